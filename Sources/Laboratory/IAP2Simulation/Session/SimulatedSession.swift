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
  /// Puts something around the head unit's end of a cable, such as a capture.
  let wrap: @Sendable (any ByteTransport, any RuntimeClock) -> any ByteTransport
  let show: @Sendable (Side, TimedEvent) -> Void

  public init(
    seed: UInt64, settings: SimulationSettings = SimulationSettings(),
    wrap: @escaping @Sendable (any ByteTransport, any RuntimeClock) -> any ByteTransport = { transport, _ in transport
    },
    show: @escaping @Sendable (Side, TimedEvent) -> Void = { _, _ in }
  ) {
    self.seed = seed
    self.settings = settings
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

  /// Plays it to its end.
  public func run() -> SessionOutcome {
    do {
      return try VirtualTime.run { clock in
        let stage = SessionStage(self, clock: clock)
        return await stage.play()
      }
    } catch {
      // Both sides wait for each other, and nothing will ever happen.
      return SessionOutcome(violations: ["nothing can happen any more"])
    }
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
