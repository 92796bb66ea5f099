// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Runtime
public import IAP2Transport
import Synchronization

/// A session of both roles in virtual time, whose course one seed determines.
public struct SimulatedSession: Sendable {
  /// The seed of all random numbers of the session.
  public let seed: UInt64
  let settings: SimulationSettings
  let sessionPlan: SessionPlan
  /// An implementation of the roles that runs the session.
  package enum Engine: Sendable, Hashable {
    /// ``Session`` values in one loop.
    case values
    /// ``HeadUnit`` and ``Phone`` on memory transports, in virtual time.
    case actors
  }

  let engine: Engine
  /// Creates for each cable a receiver of the bytes at the head unit's end, with the side that sent them.
  let tap: (@Sendable (any RuntimeClock) -> @Sendable (Side, [UInt8]) -> Void)?
  /// Wraps the head unit's transport. Only the engine `actors` uses it.
  let wrap: @Sendable (any ByteTransport) -> any ByteTransport
  let show: @Sendable (Side, TimedEvent) -> Void

  /// The interval of seeds that run on actors: one seed in 64.
  static let actorShare: UInt64 = 64

  /// Creates the session of a seed. One seed in 64 runs on the actors `HeadUnit` and `Phone`, the others on
  /// `Session` values.
  ///
  /// - Parameters:
  ///   - seed: the seed of all random numbers of the session.
  ///   - settings: the profiles, the lifecycle policy and the kinds of faults.
  ///   - tap: called for each cable with its clock; returns a closure that receives the bytes at the head unit's end
  ///     and the side that sent them. Nil for none.
  ///   - show: called with each event of either side.
  public init(
    seed: UInt64, settings: SimulationSettings = SimulationSettings(),
    tap: (@Sendable (any RuntimeClock) -> @Sendable (Side, [UInt8]) -> Void)? = nil,
    show: @escaping @Sendable (Side, TimedEvent) -> Void = { _, _ in }
  ) {
    self.init(
      seed: seed, settings: settings, engine: seed % Self.actorShare == Self.actorShare - 1 ? .actors : .values,
      tap: tap, show: show)
  }

  package init(
    seed: UInt64, settings: SimulationSettings = SimulationSettings(), engine: Engine,
    tap: (@Sendable (any RuntimeClock) -> @Sendable (Side, [UInt8]) -> Void)? = nil,
    wrap: @escaping @Sendable (any ByteTransport) -> any ByteTransport = { $0 },
    show: @escaping @Sendable (Side, TimedEvent) -> Void = { _, _ in }
  ) {
    self.seed = seed
    self.settings = settings
    self.engine = engine
    self.tap = tap
    self.wrap = wrap
    self.show = show
    var sessionPlan = SessionPlan(seed: seed, faults: settings.faults)
    if let link = settings.headUnit.link { sessionPlan.headUnitLink = link }
    if let link = settings.phone.link { sessionPlan.phoneLink = link }
    sessionPlan.limitOvertaking()
    self.sessionPlan = sessionPlan
  }

  /// The human-readable plan of the session, one item a line: faults, link offers, signing time, and each connection.
  public var plan: [String] { sessionPlan.lines }

  /// Runs the session to its end on the calling thread and returns its outcome.
  public func run() -> SessionOutcome {
    guard engine == .actors else {
      var harness = SessionHarness(self)
      return harness.play()
    }
    do {
      return try VirtualTime.run { clock in
        let stage = SessionRunner(tapped(clock), clock: clock)
        return await stage.play()
      }
    } catch {
      // Deadlock: all tasks wait, and no timer is pending.
      return SessionOutcome(violations: ["deadlock: no task can continue"])
    }
  }
}

extension SimulatedSession {
  /// Returns the session with its tap as a wrapper of the head unit's transport.
  private func tapped(_ clock: any RuntimeClock) -> SimulatedSession {
    guard let tap else { return self }
    let wrap = wrap
    return SimulatedSession(
      seed: seed, settings: settings, engine: engine,
      wrap: { TappedTransport(transport: wrap($0), received: tap(clock)) }, show: show)
  }
}

/// A transport that reports its bytes to a closure.
private struct TappedTransport: ByteTransport {
  let transport: any ByteTransport
  let received: @Sendable (Side, [UInt8]) -> Void

  var address: String { transport.address }
  var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  func receive() async throws(TransportError) -> [UInt8]? {
    let bytes = try await transport.receive()
    if let bytes { received(.device, bytes) }
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    received(.accessory, bytes)
    try await transport.send(bytes)
  }

  func close() async { await transport.close() }

  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}

/// The outcome of a simulated session.
public struct SessionOutcome: Sendable, Equatable {
  /// The violated invariants as human-readable texts; empty for a session without violations.
  public var violations: [String] = []
  /// The number of missed disconnects: a side still considered the connection active 90 s after its end. Each side
  /// counts.
  public var missed = 0
  /// The number of inferred disconnects that a side reported while the connection was active.
  public var falseVerdicts = 0
  /// The number of connections that became ready on both sides.
  public var connected = 0
  /// The number of damaged packets that passed the link's checksums.
  public var undetected = 0
  /// The duration of the session in milliseconds of virtual time.
  public var milliseconds = 0
}
