// swift-iap2 · Apache-2.0

import Basics
package import CarPlayAnalysis
import CarPlaySession
import IAP2Conformance

/// A side of a recorded session that is played against a live peer, with new keys and new ports.
package struct SessionReplay: Sendable {
  /// A reason why a recording cannot be played.
  package enum Problem: Error, Sendable, Hashable {
    /// No message of the session can be read behind pair-verify.
    case sealed
    /// The session has no pair-verify, so the keys of its streams come from older procedures.
    case unverified
    /// The session has no set-up.
    case unfinished
  }

  /// The messages of the live session, and why it stopped early; nil if it went to its end.
  package struct Result: Sendable {
    package let session: RecordedSession
    package let stop: String?

    /// The result of a replay that its user ended.
    package var interrupted: Result { Result(session: session, stop: "interrupted") }
  }

  /// The recording.
  package let recording: RecordedSession
  /// The speed as a multiple of the recorded one; nil waits only for the peer.
  package let speed: Double?

  /// Creates a replay.
  package init(_ recording: RecordedSession, speed: Double? = 1) throws(Problem) {
    (self.recording, self.speed) = (recording, speed)
    let control = recording.exchanges.filter { $0.channel == .control }
    guard control.contains(where: { $0.method == "SETUP" }) else {
      let isVerified = control.contains { $0.path == "/pair-verify" && $0.pairingState == 3 && $0.answer != nil }
      // A request behind pair-verify shows that the session is readable.
      let isRead = control.contains { $0.path == "/auth-setup" || $0.path.isEmpty }
      throw isVerified && !isRead ? .sealed : .unfinished
    }
    guard control.contains(where: { $0.path == "/pair-verify" }) else { throw .unverified }
  }

  /// The limits of a recording that is played.
  package static var limits: RecordedSession.Limits {
    var limits = RecordedSession.Limits()
    limits.pieceByteCount = 512 << 20
    return limits
  }

  /// Plays the phone of the recording.
  ///
  /// - Parameter began: Called before each request or command, with its number in the recording from 0.
  /// - Returns: The live session; nil if the head unit accepts no connection.
  package func play(
    against headUnit: ProbedHeadUnit, began: @Sendable (Int) -> Void = { _ in }
  ) async -> Result? {
    guard let phone = await ScriptedPhone.connect(to: headUnit) else { return nil }
    phone.record.messages = RecordedSession()
    let stop = await phone.replay(self, began)
    // The head unit may still send commands of the session.
    if stop == nil { await phone.pass(.milliseconds(200)) }
    await phone.leave()
    return Result(session: phone.record.messages ?? RecordedSession(), stop: stop)
  }

  /// Plays the head unit of the recording.
  ///
  /// - Returns: The live session; nil if the phone does not connect.
  package func play(against phone: ProbedPhone, began: @Sendable (Int) -> Void = { _ in }) async -> Result? {
    var peer = phone
    if let info = recording.information { peer.info = info }
    guard let headUnit = await ScriptedHeadUnit.connect(to: peer) else { return nil }
    headUnit.record.messages = RecordedSession()
    let stop = await headUnit.replay(self, began)
    await headUnit.leave()
    // A phone that has come back has another session.
    let session = (headUnit.firstRecord ?? headUnit.record).messages
    return Result(session: session ?? RecordedSession(), stop: stop)
  }
}

extension RecordedSession.Exchange {
  /// The content of `/info`; nil for another exchange.
  var information: SessionInfo? {
    guard path == "/info", let answer, answer.status == 200 else { return nil }
    do throws(BodyProblem) { return try SessionInfo(bytes: answer.body) } catch { return nil }
  }
}

extension RecordedSession {
  /// The content of the first `/info`; nil without one.
  var information: SessionInfo? { exchanges.lazy.compactMap(\.information).first }
}

/// The times of a recording as times of a replay. A replay that is late does not hurry.
struct ReplayClock {
  private let speed: Double?
  private let start: Double
  /// The time of the replay at which the recording begins.
  private var origin: MonotonicTime
  /// The longest time of a replay, in seconds: a day. A damaged capture may have any times.
  private static let maximumSeconds = 86_400.0

  init(_ replay: SessionReplay, at now: MonotonicTime) {
    (speed, start, origin) = (replay.speed, replay.recording.start ?? 0, now)
  }

  /// Returns the time to wait until a moment of the recording.
  mutating func wait(for moment: RecordedSession.Moment, now: MonotonicTime) -> Duration {
    guard let speed, let seconds = moment.seconds else { return .zero }
    let offset = (seconds - start) / speed
    let target = origin.advanced(by: .seconds(min(max(0, offset), Self.maximumSeconds)))
    guard target > now else {
      origin = origin.advanced(by: .nanoseconds(now.nanoseconds - target.nanoseconds))
      return .zero
    }
    return .nanoseconds(target.nanoseconds - now.nanoseconds)
  }
}
