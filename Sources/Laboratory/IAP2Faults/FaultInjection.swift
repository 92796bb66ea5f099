// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Roles
public import IAP2Transport
import Synchronization

/// A factory that adds the faults of a plan to each transport of one side.
public final class FaultInjection: Sendable {
  private let plan: FaultPlan?
  private let side: Side
  private let clock: any RuntimeClock
  private let state = Mutex<(current: FaultyTransport?, count: Int)>((nil, 0))

  /// Creates a factory without transports.
  ///
  /// - Parameters:
  ///   - plan: The plan; nil to leave transports unchanged.
  ///   - side: The side that uses the transports.
  ///   - clock: The clock for delays and moments.
  public init(_ plan: FaultPlan?, side: Side, clock: any RuntimeClock) {
    self.plan = plan
    self.side = side
    self.clock = clock
  }

  /// Returns the transport with the faults of the plan, or the transport itself without a plan. Each call begins a new
  /// connection.
  public func around(_ transport: any ByteTransport) -> any ByteTransport {
    guard let plan else { return transport }
    return state.withLock { state in
      let faulty = FaultyTransport(transport, plan: plan, side: side, connection: state.count, clock: clock)
      state = (faulty, state.count + 1)
      return faulty
    }
  }

  /// Reports an event to the current transport, because a moment of the plan may be named by an event.
  public func happened(_ event: RoleEvent) { happened(named: event.name) }

  /// Whether there is a plan.
  public var hasPlan: Bool { plan != nil }

  /// Reports an event of the CarPlay session beside the link, by its name.
  public func happened(named name: String) { state.withLock { $0.current }?.happened(name) }
}
