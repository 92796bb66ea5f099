// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Fuzzing
import IAP2Roles

/// The coverage of a fuzzer: the states, messages and sessions that its rounds have reached.
package struct FuzzCoverage: Sendable {
  /// A state of a session.
  package enum State: String, Sendable, CaseIterable {
    /// The detect sequence was answered.
    case detected
    /// The link was set up.
    case linkUp
    /// The authentication succeeded.
    case authenticated
    /// The identification was accepted.
    case identified
    /// Both sides were ready.
    case ready
    /// An EA session was open.
    case externalAccessoryOpened
    /// An EA session carried data of the peer.
    case externalAccessoryAnswered
    /// A file was offered to the peer.
    case fileOffered
    /// The peer answered the offer of a file.
    case fileAnswered
    /// The peer was asked above the link after the changes.
    case asked
  }

  /// The number of rounds that reached each state.
  package private(set) var rounds: [State: Int] = [:]
  /// The identifiers of the messages that the peer received unchanged or changed.
  package private(set) var sentMessages: Set<UInt16> = []
  /// The identifiers of the messages that the peer sent.
  package private(set) var receivedMessages: Set<UInt16> = []
  /// The identifiers of the messages that were changed.
  package private(set) var changedMessages: Set<UInt16> = []
  /// The number of changed packets by the type of their session.
  package private(set) var changedPackets: [LinkSessionType: Int] = [:]

  /// Creates the coverage of no round.
  package init() {}

  /// The number of rounds that reached a state.
  package subscript(state: State) -> Int { rounds[state, default: 0] }

  mutating func add(_ log: FuzzLog, _ mutating: MutatingTransport?) {
    for state in log.states { rounds[state, default: 0] += 1 }
    sentMessages.formUnion(log.sent)
    receivedMessages.formUnion(log.received)
    guard let mutating else { return }
    changedMessages.formUnion(mutating.changedMessages)
    changedPackets.merge(mutating.changedPackets, uniquingKeysWith: +)
  }
}

/// The questions above the link that a peer answers in a clean session.
package struct FuzzQuestions: Sendable, Equatable {
  /// A control message and the message that answers it.
  package struct Question: Sendable, Equatable {
    package var message: UInt16
    package var answer: UInt16
  }

  /// The control messages that the peer answers, also in a session that is ready.
  package var messages: [Question] = []
  /// Whether the peer sends messages of features. One that has sent none in a changed session may lack a step that was
  /// changed, and then need not answer a feature (Authentication.md#both-needed; high).
  package var sendsFeatures = false
  /// Whether an EA session returns bytes.
  package var externalAccessory = false
  /// Whether the peer answers the offer of a file.
  package var file = false

  /// The questions in English; empty without any.
  package var names: [String] {
    messages.map { name($0.message) } + (externalAccessory ? ["EA data"] : []) + (file ? ["a file"] : [])
  }

  private func name(_ id: UInt16) -> String {
    let digits = String(id, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
