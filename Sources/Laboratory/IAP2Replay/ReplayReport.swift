// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Analysis
package import IAP2Roles

/// An event of a replay.
package enum ReplayEvent: Sendable {
  /// The link came up with these values.
  case linkUp(LinkSynchronization)
  /// A message was sent.
  ///
  /// - Parameters:
  ///   - message: the message as it was sent; the recording may have other values.
  ///   - step: the script index; nil for an answer that the recording lacks.
  case sent(message: [UInt8], step: Int?)
  /// Data was sent in the EA session with this index in the script.
  case sentData(session: Int, byteCount: Int, step: Int)
  /// The file with this index in the script was offered.
  case offeredFile(Int, step: Int)
  /// A message was received, with its differences.
  ///
  /// - Parameter step: the script index; nil for a message that the recording lacks.
  case received(message: [UInt8], step: Int?, [ReplayDifference])
  /// Data was received in the EA session with this index in the script.
  case receivedData(session: Int, byteCount: Int)
  /// The peer offered a file; `step` is nil for a file that the recording lacks.
  case receivedFile(id: UInt8, byteCount: Int, step: Int?)
  /// An expected step was not received in time; the replay continues.
  case overdue(step: Int)
  /// A step of a stepped replay waits for permission.
  case ready(step: Int)
  /// A note for the user.
  case note(ReplayNote)
  /// A difference that belongs to no received message.
  case difference(ReplayDifference)
  /// The peer violated the protocol.
  case violation(ProtocolViolation)
  /// The connection ended.
  case disconnected(DisconnectCause)
  /// Events were reported too fast, and this number of them was dropped; the report includes them.
  case eventsLost(count: Int)
  /// An input that a role would have received here, for observers that follow the role's view.
  case input(RoleInput)
}

/// A note for the user that is not a difference.
package enum ReplayNote: Sendable, Equatable {
  /// Recorded bytes of authentication are sent unchanged; they belong to another challenge, or to none.
  case recordedAuthentication(message: UInt16, reason: String?)
  /// A request that the recording lacks was answered.
  case answeredAlone(message: UInt16)
  /// The recording lacks bytes of a file to send: zeros replace them, or the file is not offered.
  case incompleteFile(id: UInt8)
  /// The EA session was closed before all data of a step was sent.
  case unsentData(session: Int)
  /// A part of the recording is not played.
  case unplayed(stepCount: Int, behind: ReplayScript.Cut)
}

/// The result of a replay.
package struct ReplayReport: Sendable {
  /// The number of steps of both sides in the script.
  package internal(set) var stepCount = 0
  /// The number of sent messages, pieces of data and files.
  package internal(set) var sentCount = 0
  /// The number of received messages and files.
  package internal(set) var receivedCount = 0
  /// The number of received messages and files that the recording has.
  package internal(set) var matchedCount = 0
  /// The differences in the order of the script, at most ``maximumDifferences``. Failures take precedence over
  /// tolerated ones.
  package internal(set) var differences: [ReplayDifference] = []
  /// The number of all differences.
  package internal(set) var differenceCount = 0
  /// The number of differences that a tolerance covers.
  package internal(set) var toleratedCount = 0
  /// The number of messages that were received more or less often than recorded, by the rule that tolerates it.
  package internal(set) var repeated: [ComparisonRule: Int] = [:]
  /// The number of messages received after the end of a recording that stops before its link ends.
  package internal(set) var laterCount = 0
  /// The cause of the connection's end.
  package internal(set) var cause: DisconnectCause?
  /// Whether the link came up.
  package internal(set) var isLinkUp = false

  /// The maximum number of listed differences, so that a peer that sends forever cannot exhaust memory.
  package static let maximumDifferences = 4096

  /// Whether the link came up and every difference is tolerated.
  package var isEqual: Bool { isLinkUp && differenceCount == toleratedCount }

  /// The number of tolerated differences in the list.
  private var listedToleratedCount = 0

  mutating func add(_ difference: ReplayDifference) {
    let isTolerated = difference.tolerance != nil
    differenceCount += 1
    if isTolerated { toleratedCount += 1 }
    if differences.count >= Self.maximumDifferences {
      // Tolerated differences must not displace the reason why a replay failed.
      guard !isTolerated, listedToleratedCount > 0, let last = differences.lastIndex(where: { $0.tolerance != nil })
      else { return }
      differences.remove(at: last)
      listedToleratedCount -= 1
    }
    differences.append(difference)
    if isTolerated { listedToleratedCount += 1 }
  }
}
