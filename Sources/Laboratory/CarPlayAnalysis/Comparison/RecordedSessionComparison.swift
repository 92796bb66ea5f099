// swift-iap2 · Apache-2.0

package import CarPlaySession
package import IAP2Analysis

/// A comparison of two CarPlay sessions: their requests and answers with all values, in the order of each channel, and
/// the configurations of their screens.
///
/// Values that are new in every session (``SessionValueRule``), times, and the number of pictures and packets do not
/// count.
package struct RecordedSessionComparison: Sendable {
  /// An exchange of one session, or a pair of exchanges of both.
  package struct Row: Sendable {
    /// The channel.
    package let channel: SessionJudge.Channel
    /// The index of the exchange in the first session; nil if it has none.
    package let a: Int?
    /// The index of the exchange in the second session; nil if it has none.
    package let b: Int?
    /// The values that differ.
    package fileprivate(set) var differences: [MessageDifference]

    /// The relation.
    package var relation: SessionComparison.Row.Relation {
      guard a != nil else { return .onlyInB }
      guard b != nil else { return .onlyInA }
      return differences.isEmpty ? .equal : .changed
    }
  }

  /// The configurations of a screen, which differ.
  package struct ScreenDifference: Sendable {
    /// The screen.
    package let type: StreamType
    /// The configurations in words.
    package let a, b: String
  }

  /// A difference that does not count.
  package enum Note: Sendable {
    /// The numbers of exchanges that are not compared one by one.
    case exchanges(SessionValueRule, a: Int, b: Int)
    /// The number of values that are new in every session.
    case values(SessionValueRule, count: Int)
    /// The sums of a stream; nil for a session without the stream.
    case content(RecordedSession.Source, a: RecordedSession.Content?, b: RecordedSession.Content?)
    /// A session is longer than the limits of a recording.
    case cut
    /// The captures that lack bytes of their sessions, or have damaged ones.
    case lacking(a: Bool, b: Bool)
  }

  /// The sessions.
  package let a, b: RecordedSession
  /// The aligned exchanges, the control channel before the events.
  package private(set) var rows: [Row] = []
  /// The screens whose configurations differ.
  package private(set) var screens: [ScreenDifference] = []
  /// The differences that do not count.
  package private(set) var notes: [Note] = []

  private let ignored: Set<SessionValueRule>
  /// The side whose messages are compared; nil for both.
  private let judged: SessionSide?

  /// Compares two sessions.
  ///
  /// - Parameters:
  ///   - ignored: The optional rules that apply.
  ///   - judged: The side whose messages are compared; nil for both.
  package init(
    _ a: RecordedSession, _ b: RecordedSession, ignoring ignored: Set<SessionValueRule> = [],
    only judged: SessionSide? = nil
  ) {
    (self.a, self.b, self.ignored, self.judged) = (a, b, ignored, judged)
    for channel in SessionJudge.Channel.allCases { rows += aligned(channel) }
    removeRepeatedHeaders()
    compareContents()
    addNotes()
  }

  /// The number of differences that count.
  package var differenceCount: Int {
    screens.count
      + rows.reduce(0) { sum, row in
        sum + (row.relation == .changed ? row.differences.count : row.relation == .equal ? 0 : 1)
      }
  }

  /// Returns the exchange of a row: that of the first session if it has one.
  package func exchange(_ row: Row) -> RecordedSession.Exchange? {
    row.a.map { a.exchanges[$0] } ?? row.b.map { b.exchanges[$0] }
  }

  // MARK: Exchanges

  /// An exchange without what is new in every session. Exchanges that are not a difference have equal identities.
  private struct Identity: Hashable {
    let name: String
    let request: PlainMessage?
    let answer: PlainMessage?
  }

  private func identity(_ exchange: RecordedSession.Exchange) -> Identity {
    let (request, answer) = judgedMessages(exchange)
    return Identity(
      name: exchange.name,
      request: request.map { PlainMessage($0, path: exchange.path, ignoring: ignored) },
      answer: answer.map { PlainMessage($0, path: exchange.path, ignoring: ignored) })
  }

  /// The messages of an exchange that are compared.
  private func judgedMessages(
    _ exchange: RecordedSession.Exchange
  ) -> (request: RequestMessage?, answer: RequestMessage?) {
    let asker: SessionSide = exchange.channel == .control ? .phone : .headUnit
    return (
      judged == asker.other ? nil : exchange.request, judged == asker ? nil : exchange.answer
    )
  }

  /// Whether an exchange is compared. The played side of a replay pairs by what it knows of the other one.
  private func isCompared(_ exchange: RecordedSession.Exchange) -> Bool {
    exchange.uncounted == nil && (judged == nil || !exchange.isPairing)
  }

  private func aligned(_ channel: SessionJudge.Channel) -> [Row] {
    var (identities, kinds) = (Numbering<Identity>(), Numbering<String>())
    func places(_ session: RecordedSession) -> [Int] {
      session.exchanges.indices.filter {
        session.exchanges[$0].channel == channel && isCompared(session.exchanges[$0])
      }
    }
    let (inA, inB) = (places(a), places(b))
    let pairs = SequenceAlignment.pairs(
      inA.map { identities[identity(a.exchanges[$0])] },
      kinds: inA.map { kinds[a.exchanges[$0].name] },
      inB.map { identities[identity(b.exchanges[$0])] },
      kinds: inB.map { kinds[b.exchanges[$0].name] })
    return pairs.map { pair in
      let (indexA, indexB) = (pair.a.map { inA[$0] }, pair.b.map { inB[$0] })
      guard let indexA, let indexB else { return Row(channel: channel, a: indexA, b: indexB, differences: []) }
      return Row(
        channel: channel, a: indexA, b: indexB,
        differences: differences(a.exchanges[indexA], b.exchanges[indexB]))
    }
  }

  private func differences(
    _ a: RecordedSession.Exchange, _ b: RecordedSession.Exchange
  ) -> [MessageDifference] {
    let (inA, inB) = (judgedMessages(a), judgedMessages(b))
    return MessageDifference.all(inA.request, inB.request, path: a.path, isInAnswer: false, ignoring: ignored)
      + MessageDifference.all(inA.answer, inB.answer, path: a.path, isInAnswer: true, ignoring: ignored)
  }

  /// Removes differences of headers that an earlier message has. A side sends its name with every message.
  private mutating func removeRepeatedHeaders() {
    var seen: Set<MessageDifference> = []
    for row in rows.indices {
      rows[row].differences.removeAll { $0.path.hasPrefix("headers.") && !seen.insert($0).inserted }
    }
  }

  // MARK: Content

  private mutating func compareContents() {
    let sources = Set(a.contents.keys).union(b.contents.keys).sorted {
      ($0.type.rawValue, $0.side == .phone ? 0 : 1) < ($1.type.rawValue, $1.side == .phone ? 0 : 1)
    }
    for source in sources {
      let (inA, inB) = (a.contents[source], b.contents[source])
      if inA != inB { notes.append(.content(source, a: inA, b: inB)) }
      guard let inA, let inB else { continue }
      let (one, other) = (inA.configurations.map(Self.words), inB.configurations.map(Self.words))
      guard one != other else { continue }
      screens.append(
        ScreenDifference(
          type: source.type, a: one.joined(separator: ", then "), b: other.joined(separator: ", then ")))
    }
  }

  private static func words(_ configuration: ScreenMessage) -> String {
    "\(Int(clampingFinite: configuration.width)) × \(Int(clampingFinite: configuration.height)), flags 0x\(String(configuration.flags, radix: 16)), "
      + PlainMessage.Value.bytes(configuration.body).words
  }

  // MARK: Notes

  private mutating func addNotes() {
    for rule in SessionValueRule.allCases {
      let (inA, inB) = (
        a.exchanges.count { $0.uncounted == rule }, b.exchanges.count { $0.uncounted == rule }
      )
      if inA + inB > 0 { notes.append(.exchanges(rule, a: inA, b: inB)) }
    }
    var counts: [SessionValueRule: Int] = [:]
    for row in rows {
      guard let index = row.a, row.b != nil else { continue }
      let exchange = a.exchanges[index]
      let messages = judgedMessages(exchange)
      for message in [messages.request, messages.answer].compactMap({ $0 }) {
        let plain = PlainMessage(message, path: exchange.path, ignoring: ignored)
        counts.merge(plain.value.volatile, uniquingKeysWith: +)
      }
    }
    for rule in SessionValueRule.allCases { if let count = counts[rule] { notes.append(.values(rule, count: count)) } }
    if a.isCut || b.isCut { notes.append(.cut) }
    if a.lacksBytes || b.lacksBytes { notes.append(.lacking(a: a.lacksBytes, b: b.lacksBytes)) }
  }
}
