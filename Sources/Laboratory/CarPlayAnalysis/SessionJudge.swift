// swift-iap2 · Apache-2.0

package import CarPlaySession
import HIDReports

/// A judge of the messages of a session by the rules: it sees both sides, as a capture or a tester does.
///
/// It keeps what later messages need, and no content, so its size does not grow with the session.
package struct SessionJudge: Sendable {
  /// A connection for requests.
  package enum Channel: String, Sendable, CaseIterable {
    /// The phone's requests.
    case control
    /// The head unit's commands.
    case events
  }

  /// The signature in a sealed identity of pairing, as far as it could be checked.
  package enum Proof: Sendable, Hashable {
    /// The identity opens, and the signature is right.
    case right
    /// The identity opens, and the signature is wrong.
    case wrong
    /// The secret is known, and the identity does not open with it.
    case sealedOtherwise
    /// The secret or the long-term key is not known.
    case unknown
  }

  /// A stream that was set up.
  struct JudgedStream: Sendable {
    var lengthSize: Int?
    var hasPicture = false
  }

  /// Whether the judge sees the session from its beginning.
  package let isWhole: Bool
  /// Whether it has seen all until now. Otherwise what was not seen may have been sent.
  package private(set) var seesAll: Bool
  /// Whether bytes are missing since the beginning.
  package private(set) var hasGap = false
  /// Whether the phone's proofs are known to be right, as those of a tester are.
  package var isPhoneRight = false
  /// Whether the phone broke a rule of its requests, so that a head unit may refuse what follows.
  private(set) var isPhoneAtFault = false
  /// Whether a stream was set up, and whether a screen was.
  package var hasStream = false, hasScreen = false
  private(set) var states: Set<SessionState> = [.connected]
  private var breaches: [CarPlayBreach] = []
  /// The sides, rules and keys that were reported; one report says it.
  private var reported: Set<[String]> = []

  /// The state of the last message of each procedure of pairing.
  var setupState: UInt8 = 0, verifyState: UInt8 = 0
  /// Whether a state was out of order, so that the answers to it prove nothing.
  var isOrderBroken = false
  var isSecure = false
  var enabledFeatures: [String] = []
  var info: SessionInfo?
  /// The TXT record that the head unit advertises, by keys in lowercase; nil if it was not seen.
  package var textRecord: [String: String]?
  var inputs: [String: InputReader] = [:]
  var areEventsOpen = false
  /// Whether the phone sent RECORD.
  var hasAskedToRecord = false
  var streams: [StreamType: JudgedStream] = [:]
  /// Whether a key frame was asked for and has not come; the number of pictures since then.
  var picturesSinceAsked: Int?
  /// The times of the last questions of each side's clock, the newest last.
  var questions: [SessionSide: [UInt64]] = [:]
  /// The answers of each side's clock in a row that repeat no such time.
  var strayAnswers: [SessionSide: Int] = [:]

  /// The datagrams of each side's clock that are none.
  var wrongClocks: [SessionSide: Int] = [:]

  /// Creates a judge.
  ///
  /// - Parameter isWhole: Whether it sees the session from its beginning.
  package init(isWhole: Bool) { (self.isWhole, seesAll) = (isWhole, isWhole) }

  /// The steps that the session has reached, in their order.
  package var reached: [SessionState] { SessionState.allCases.filter(states.contains) }

  /// Removes and returns the breaches since the last call.
  package mutating func takeBreaches() -> [CarPlayBreach] {
    defer { breaches = [] }
    return breaches
  }

  /// The rules of streams, on which no answer to a request depends.
  private static let contentRules = Set(CarPlayRule.content)
  /// The most breaches of a session. More of them say nothing more.
  private static let maximumBreaches = 64

  mutating func reach(_ state: SessionState) {
    states.insert(state)
    if states.contains(.recording), areEventsOpen { states.insert(.live) }
  }

  /// Notes a breach of a rule, once for each key.
  package mutating func add(_ rule: CarPlayRule, by side: SessionSide, _ problem: ValueProblem) {
    guard reported.count < Self.maximumBreaches, reported.insert(["\(side)", rule.id, problem.key ?? ""]).inserted
    else { return }
    if side == .phone, !Self.contentRules.contains(rule) { isPhoneAtFault = true }
    breaches.append(CarPlayBreach(rule: rule, side: side, problem: problem))
  }

  /// Notes that bytes are missing, so that rules of order cannot be judged any more.
  package mutating func noteGap() { (seesAll, hasGap) = (false, true) }

  /// Notes that bytes of a screen are missing, which may have been a picture or a configuration.
  package mutating func noteGap(ofScreen type: StreamType) {
    streams[type]?.hasPicture = true
    if type == .screen { picturesSinceAsked = nil }
  }

  /// Notes that the session was verified before what the judge sees.
  package mutating func noteVerified() {
    isSecure = true
    reach(.verified)
  }

  // MARK: Connections

  /// Notes that the phone connects to the port of the event channel.
  package mutating func openEvents() {
    areEventsOpen = true
    reach(.connected)
  }

  /// Notes that a connection of the phone to a port of the head unit was refused.
  ///
  /// - Parameter stream: The name of the stream; nil for the event channel.
  package mutating func refuse(stream: String?) {
    if stream == nil { areEventsOpen = false }
    add(
      stream == nil ? .eventsOpen : .streamOpens, by: .headUnit,
      ValueProblem(
        stream ?? "events", is: "the head unit refuses the connection to \(stream == nil ? "eventPort" : "dataPort")",
        expected: "a port that listens"))
  }

  /// A way in which the bytes of a side cannot be read.
  package enum Damage: Sendable {
    /// A message of the control or event channel.
    case message
    /// A frame of an encrypted channel.
    case frame
    /// A message of a screen, with its problem.
    case screen(ScreenOpener.Problem)
    /// Sound over TCP.
    case buffered
    /// A package of data, or its frame.
    case data
    /// Sound over UDP.
    case sound

    /// Whether a message that is in the clear cannot be read.
    package var isOfMessage: Bool { if case .message = self { true } else { false } }
  }

  /// Notes that the bytes of a side cannot be read.
  package mutating func note(_ damage: Damage, by side: SessionSide, _ problem: ValueProblem) {
    let rule: CarPlayRule =
      switch damage {
      case .message: .form
      case .frame: .frames
      case .screen(.noConfiguration): .configurationFirst
      case .screen: .screenForm
      case .buffered: .bufferedForm
      case .data: .dataForm
      case .sound: .soundSealed
      }
    add(rule, by: side, problem)
    // The bytes after damage cannot be read, so rules of order cannot be judged.
    if case .message = damage { seesAll = false }
    if case .frame = damage { seesAll = false }
  }
}
