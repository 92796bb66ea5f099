// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Roles
public import IAP2Transport
import Synchronization

/// A factory that adds the faults of a plan to each transport of one side.
public final class FaultInjection: Sendable {
  private let side: Side
  private let clock: any RuntimeClock
  private let state: Mutex<(plan: FaultPlan?, current: FaultyTransport?, count: Int)>

  /// Creates a factory without transports.
  ///
  /// - Parameters:
  ///   - plan: The plan; nil to leave transports unchanged.
  ///   - side: The side that uses the transports.
  ///   - clock: The clock for delays and moments.
  public init(_ plan: FaultPlan?, side: Side, clock: any RuntimeClock) {
    self.side = side
    self.clock = clock
    state = Mutex((plan, nil, 0))
  }

  /// Returns the transport with the faults of the plan, or the transport itself without a plan. Each call begins a new
  /// connection.
  public func around(_ transport: any ByteTransport) -> any ByteTransport {
    state.withLock { state in
      guard let plan = state.plan else { return transport }
      let faulty = FaultyTransport(transport, plan: plan, side: side, connection: state.count, clock: clock)
      (state.current, state.count) = (faulty, state.count + 1)
      return faulty
    }
  }

  /// Reports an event to the current transport, because a moment of the plan may be named by an event.
  public func happened(_ event: RoleEvent) { happened(named: event.name) }

  /// Whether there is a plan.
  public var hasPlan: Bool { state.withLock { $0.plan != nil } }

  /// Changes the conditions of the current transport and of later ones. Without a plan nothing changes.
  package func change(_ change: ConditionChange) {
    state.withLock { state in
      state.plan?.change(change)
      state.current?.change(change)
    }
  }

  /// Reports an event of the CarPlay session beside the link, by its name.
  public func happened(named name: String) { state.withLock { $0.current }?.happened(name) }
}
