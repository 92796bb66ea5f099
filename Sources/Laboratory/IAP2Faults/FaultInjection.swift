// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Roles
public import IAP2Transport
import Synchronization

/// The faults of one side's transports, one after another.
public final class FaultInjection: Sendable {
  private let plan: FaultPlan?
  private let side: Side
  private let clock: any RuntimeClock
  private let state = Mutex<(current: FaultyTransport?, count: Int)>((nil, 0))

  /// - Parameter plan: nil for transports as they are.
  public init(_ plan: FaultPlan?, side: Side, clock: any RuntimeClock) {
    self.plan = plan
    self.side = side
    self.clock = clock
  }

  /// The transport with its faults, or as it is where there are none.
  public func around(_ transport: any ByteTransport) -> any ByteTransport {
    guard let plan else { return transport }
    return state.withLock { state in
      let faulty = FaultyTransport(transport, plan: plan, side: side, connection: state.count, clock: clock)
      state = (faulty, state.count + 1)
      return faulty
    }
  }

  /// Something that a moment of the plan may wait for.
  public func happened(_ event: RoleEvent) { state.withLock { $0.current }?.happened(event.name) }
}
