// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Runtime
public import IAP2Transport
import Synchronization

/// One session of both roles in virtual time: what one seed makes of it, and what became of it.
public struct SimulatedSession: Sendable {
  public let seed: UInt64
  let settings: SimulationSettings
  let course: SessionCourse
  /// The implementation of the roles that plays the session.
  public enum Engine: Sendable, Hashable {
    /// ``Session`` values in one loop.
    case values
    /// ``HeadUnit`` and ``Phone`` on transports in memory, in virtual time.
    case actors
  }

  let engine: Engine
  /// Hears the bytes of each cable at the head unit's end, with the side that sent them.
  let tap: (@Sendable (any RuntimeClock) -> @Sendable (Side, [UInt8]) -> Void)?
  /// Puts something around the head unit's end of a cable, where actors play.
  let wrap: @Sendable (any ByteTransport) -> any ByteTransport
  let show: @Sendable (Side, TimedEvent) -> Void

  /// One seed in so many is played by actors.
  static let actorShare: UInt64 = 64

  /// - Parameters:
  ///   - tap: called for each cable; what it returns is given the bytes at the head unit's end.
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
    var course = SessionCourse(seed: seed, faults: settings.faults)
    if let link = settings.headUnit.link { course.headUnitLink = link }
    if let link = settings.phone.link { course.phoneLink = link }
    course.limitOvertaking()
    self.course = course
  }

  /// What the seed drew, for people: one line each.
  public var plan: [String] { course.lines }

  /// Plays the session to its end.
  public func run() -> SessionOutcome {
    guard engine == .actors else {
      var harness = SessionHarness(self)
      return harness.play()
    }
    do {
      return try VirtualTime.run { clock in
        let stage = SessionStage(tapped(clock), clock: clock)
        return await stage.play()
      }
    } catch {
      // Both sides wait for each other, and nothing will ever happen.
      return SessionOutcome(violations: ["nothing can happen any more"])
    }
  }
}

extension SimulatedSession {
  /// The session with its tap as a transport around the head unit's.
  private func tapped(_ clock: any RuntimeClock) -> SimulatedSession {
    guard let tap else { return self }
    let wrap = wrap
    return SimulatedSession(
      seed: seed, settings: settings, engine: engine,
      wrap: { TappedTransport(transport: wrap($0), heard: tap(clock)) }, show: show)
  }
}

/// A transport whose bytes are heard.
private struct TappedTransport: ByteTransport {
  let transport: any ByteTransport
  let heard: @Sendable (Side, [UInt8]) -> Void

  var address: String { transport.address }
  var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  func receive() async throws(TransportError) -> [UInt8]? {
    let bytes = try await transport.receive()
    if let bytes { heard(.device, bytes) }
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    heard(.accessory, bytes)
    try await transport.send(bytes)
  }

  func close() async { await transport.close() }

  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}

/// What became of a session.
public struct SessionOutcome: Sendable, Equatable {
  /// Broken invariants, for people; empty in a good session.
  public var violations: [String] = []
  /// Ends of connections that a side that believed in one had not noticed 90 s later.
  public var missed = 0
  /// Connections that were called ended while they lived.
  public var falseVerdicts = 0
  /// Connections that became ready on both sides.
  public var connected = 0
  /// Damaged packets that the link's checksums let through.
  public var undetected = 0
  /// Virtual time that it took.
  public var milliseconds = 0
}
