// swift-iap2 · Apache-2.0

package import IAP2Runtime
import IAP2Scenario
import Synchronization

/// The recorded EA sessions of a protocol, played again for an app.
///
/// The recorded bytes of the accessory follow the app's bytes by position: they are sent as soon as the app has sent as
/// many bytes as the recorded device had. The recorded times are not kept. Each session of the app plays the next
/// recorded one. After the last one, that one is played again.
package final class RecordedService: Sendable {
  private let protocolName: String
  private let sessions: [AccessoryRecording.Session]
  private let isLenient: Bool
  private let count = Mutex(0)

  /// Creates a service.
  ///
  /// - Parameter isLenient: Whether a session continues after the app's bytes differ from the recorded ones.
  package init(_ protocolName: String, _ sessions: [AccessoryRecording.Session], isLenient: Bool) {
    self.protocolName = protocolName
    self.sessions = sessions
    self.isLenient = isLenient
  }

  /// Plays the next recorded session until it ends, or until the first difference.
  ///
  /// - Parameter report: Called with the session's first difference as one line.
  package func serve(_ stream: ExternalAccessoryStream, report: @Sendable (String) -> Void) async {
    let number = count.withLock { count in
      count += 1
      return min(count, sessions.count)
    }
    guard number > 0 else { return }
    var playback = RecordedPlayback(sessions[number - 1], isLenient: isLenient)
    while true {
      do { try await stream.write(playback.takeDue()) } catch { return }
      guard !playback.isOver else { return await stream.close() }
      guard let bytes = await stream.read() else { return }
      guard let difference = playback.receive(bytes) else { continue }
      report("\(protocolName), recorded session \(number): \(difference.text)\(isLenient ? "" : "; the session ends")")
    }
  }
}

/// The state of a recorded EA session that is played for an app.
struct RecordedPlayback {
  /// The first difference of the app's bytes from the recorded ones.
  struct Difference: Equatable {
    /// The number of equal bytes before it.
    var offset: Int
    /// The recorded bytes from there on; empty after the last one.
    var recorded: [UInt8]
    /// The app's bytes from there on.
    var live: [UInt8]

    /// The maximum number of bytes of each side in the text.
    static let shownByteCount = 16

    var text: String {
      recorded.isEmpty
        ? "after all \(offset) recorded bytes, the app sent \(SeenBytes.text(live))"
        : "after \(offset) equal bytes, the app sent \(SeenBytes.text(live)) in the place of \(SeenBytes.text(recorded))"
    }
  }

  private let session: AccessoryRecording.Session
  private let isLenient: Bool
  /// The number of the app's bytes; without leniency, those that are equal.
  private var position = 0
  private var sentCount = 0
  private var hasDifference = false

  init(_ session: AccessoryRecording.Session, isLenient: Bool) {
    self.session = session
    self.isLenient = isLenient
  }

  /// Whether the session ends: at a difference, and after the last byte if the accessory closed it.
  var isOver: Bool {
    hasDifference && !isLenient
      || session.isClosedByAccessory && sentCount == session.answers.count && position >= session.device.count
  }

  /// Returns the bytes of the accessory whose position is reached.
  mutating func takeDue() -> [UInt8] {
    let due = session.answers[sentCount...].prefix { $0.position <= position }
    sentCount += due.count
    return due.flatMap(\.bytes)
  }

  /// Counts bytes of the app. Returns the first difference of the session.
  mutating func receive(_ bytes: [UInt8]) -> Difference? {
    let rest = session.device.dropFirst(position)
    let equal = zip(bytes, rest).prefix { $0 == $1 }.count
    let start = position
    position += isLenient ? bytes.count : equal
    guard equal < bytes.count, !hasDifference else { return nil }
    hasDifference = true
    return Difference(
      offset: start + equal, recorded: Array(rest.dropFirst(equal).prefix(Difference.shownByteCount)),
      live: Array(bytes.dropFirst(equal).prefix(Difference.shownByteCount)))
  }
}
