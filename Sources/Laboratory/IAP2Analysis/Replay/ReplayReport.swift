// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Roles

/// What happens while a session is replayed.
package enum ReplayEvent: Sendable {
  case linkUp(LinkSynchronization)
  /// - Parameters:
  ///   - message: as it was sent; the recording may have other values.
  ///   - step: nil for an answer that the recording does not have.
  case sent(message: [UInt8], step: Int?)
  case sentData(session: Int, byteCount: Int, step: Int)
  case offeredFile(Int, step: Int)
  /// - Parameter step: which step of the recording it is; nil for one that the recording does not have.
  case received(message: [UInt8], step: Int?, [ReplayDifference])
  case receivedData(session: Int, byteCount: Int)
  case receivedFile(id: UInt8, byteCount: Int, step: Int?)
  /// It has not come in the time it had; what follows is sent.
  case overdue(step: Int)
  /// The step is sent when the user says so.
  case ready(step: Int)
  case note(ReplayNote)
  /// A difference that belongs to no message that came.
  case difference(ReplayDifference)
  case violation(ProtocolViolation)
  case disconnected(DisconnectCause)
  /// So much happened so fast that these could not be told; the report has them.
  case eventsLost(count: Int)
  /// What a role would have been told here: for who wants to know what it would have thought of it.
  case heard(RoleInput)
}

/// Something a user should know that is no difference.
package enum ReplayNote: Sendable, Equatable {
  /// Recorded bytes of authentication left as they are: they belong to another challenge, or to none.
  case recordedAuthentication(message: UInt16, reason: String?)
  /// Asked for, and the recording does not have it: answered all the same.
  case answeredAlone(message: UInt16)
  /// A file of ours of which the recording does not have everything: the rest is zeros, or it is left out.
  case incompleteFile(id: UInt8)
  /// The session was closed before all of a step's data had left.
  case unsentData(session: Int)
  /// A part of the recording is not played.
  case unplayed(stepCount: Int, behind: ReplayScript.Cut)
}

/// What a replay came to.
package struct ReplayReport: Sendable {
  /// Of both sides, in the script.
  package internal(set) var stepCount = 0
  package internal(set) var sentCount = 0
  package internal(set) var receivedCount = 0
  package internal(set) var matchedCount = 0
  /// In the order of the script; at most ``maximumDifferences``, of which failures go before what is tolerated.
  package internal(set) var differences: [ReplayDifference] = []
  /// All of them, and those that a tolerance covers.
  package internal(set) var differenceCount = 0
  package internal(set) var toleratedCount = 0
  /// Messages that came more or less often, by the rule that says why that is none.
  package internal(set) var repeated: [ComparisonRule: Int] = [:]
  /// Messages that came when a recording that stops before the link ends was over.
  package internal(set) var laterCount = 0
  package internal(set) var cause: DisconnectCause?
  package internal(set) var isLinkUp = false

  /// A peer that sends without end must not grow us.
  package static let maximumDifferences = 4096

  /// Nothing differed but what is tolerated.
  package var isEqual: Bool { isLinkUp && differenceCount == toleratedCount }

  /// Of the differences that are listed.
  private var listedToleratedCount = 0

  mutating func add(_ difference: ReplayDifference) {
    let isTolerated = difference.tolerance != nil
    differenceCount += 1
    if isTolerated { toleratedCount += 1 }
    if differences.count >= Self.maximumDifferences {
      // A list of what is tolerated must not hide why a replay failed.
      guard !isTolerated, listedToleratedCount > 0, let last = differences.lastIndex(where: { $0.tolerance != nil })
      else { return }
      differences.remove(at: last)
      listedToleratedCount -= 1
    }
    differences.append(difference)
    if isTolerated { listedToleratedCount += 1 }
  }
}
