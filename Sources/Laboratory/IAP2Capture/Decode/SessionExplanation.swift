// swift-iap2 · Apache-2.0

package import IAP2

/// An explanation of a CarPlay session of a capture: how far it got, where it stopped, and what was wrong.
package struct SessionExplanation: Sendable, Equatable {
  /// A place at which a session stops. The raw values are stable.
  package enum Point: String, Sendable, CaseIterable {
    /// The session was live when the capture ended, or was ended in order.
    case complete
    /// A side broke a rule, so a part of the session failed or may have failed.
    case ruleIgnored = "rule-ignored"
    /// A side broke a rule, and the session did not go on.
    case ruleBroken = "rule-broken"
    /// A request was answered with an error.
    case refused
    /// A request was not answered.
    case unanswered
    /// A side closed the control connection without an end in order.
    case closed
    /// The session was live, and nothing of it came any more although the capture went on.
    case silent
    /// The capture ends while the next step is to come.
    case waiting
    /// The rest is encrypted, and its keys are not known.
    case sealed
    /// The rest cannot be read.
    case unread
    /// A side is announced, and the capture has neither a control request nor a connection.
    case notCalled = "not-called"
    /// A control request was answered with an error.
    case callRefused = "call-refused"
    /// A control request was not answered.
    case callUnanswered = "call-unanswered"
    /// A control request was granted, and no session followed.
    case notConnected = "not-connected"
  }

  /// A rule that was broken, or an answer that is owed.
  package struct Finding: Sendable, Equatable {
    /// The id of the rule, such as `CIN-03`.
    package var id: String
    /// `required`, `recommended` or `observed`.
    package var level: String
    /// The rule as one sentence.
    package var text: String
    /// The side that broke the rule or owes the answer.
    package var side: Side
    /// Whether an answer is owed.
    package var isOwed: Bool
    /// The message: a request such as `SETUP`, or a stream.
    package var request: String
    /// The path of the key; nil for a message as a whole.
    package var key: String?
    /// The value in words; nil for a missing key.
    package var value: String?
    /// The expected value, in words.
    package var expected: String
    /// The record of the message.
    package var record: Int
    /// The time of that record in seconds; nil when the capture has no times.
    package var time: Double?
    /// The observation as a clause.
    package var detail: String
    /// The fact in `Documentation/Protocol`, and the confidence in it; nil for an unverified one.
    package var evidence: String
    package var confidence: String?
    /// The change that keeps the rule, as one sentence.
    package var repair: String

    /// Creates a finding.
    package init(
      id: String, level: String, text: String, side: Side, isOwed: Bool, request: String, key: String?, value: String?,
      expected: String, record: Int, time: Double?, detail: String, evidence: String, confidence: String?,
      repair: String
    ) {
      (self.id, self.level, self.text, self.side, self.isOwed) = (id, level, text, side, isOwed)
      (self.request, self.key, self.value, self.expected) = (request, key, value, expected)
      (self.record, self.time, self.detail) = (record, time, detail)
      (self.evidence, self.confidence, self.repair) = (evidence, confidence, repair)
    }
  }

  /// The last step.
  package struct Step: Sendable, Equatable {
    /// The record, and its time in seconds.
    package var record: Int
    package var time: Double?
    /// The side, and what it did.
    package var from: Side
    package var text: String
    /// The connection of the message over iAP2, from 1; nil for a step on the network.
    package var connection: Int?

    /// Creates a step.
    package init(record: Int, time: Double?, from: Side, text: String, connection: Int? = nil) {
      (self.record, self.time, self.from, self.text, self.connection) = (record, time, from, text, connection)
    }
  }

  /// The steps before the session: messages over iAP2 that brought it up, announcements, control requests and the
  /// connection.
  package var discovery: [Step]
  /// Messages of a kind, such as the requests of a method or the pictures of a stream.
  package struct Count: Sendable, Equatable {
    /// The name of the kind.
    package var name: String
    /// The number of messages; 0 if only their bytes can be counted.
    package var count: Int
    /// The total length in bytes.
    package var byteCount: Int

    /// Creates a count.
    package init(name: String, count: Int, byteCount: Int) {
      (self.name, self.count, self.byteCount) = (name, count, byteCount)
    }
  }

  /// The requests by their names, and the content of streams by their names.
  package var requests: [Count] = [], streams: [Count] = []
  /// The times of the first and the last message in seconds; nil when the capture has no times.
  package var firstTime: Double?, lastTime: Double?
  /// The ends of the control connection, as text; the names of the sides if there is none.
  package var ends: String
  /// The place at which the session stopped.
  package var point: Point
  /// The step of the session that is not reached, or the last one of a session that went live: a name of the event
  /// `carPlayState`.
  package var stage: String
  /// The steps that were reached, in their order.
  package var reached: [String]
  /// The stop as one sentence.
  package var text: String
  /// The last step; nil if there is none.
  package var last: Step?
  /// The seconds from the last step to the end of the capture; nil when the capture has no times.
  package var silence: Double?
  /// The side whose turn it is; nil for none.
  package var turn: Side?
  /// The steps that are expected of it.
  package var expected: [String]
  /// Facts beside the stop, one clause each.
  package var details: [String]
  /// The rule or the owed answer that explains the stop; nil if none does.
  package var finding: Finding?
  /// Other breaches, the earliest first.
  package var others: [Finding]

  /// Creates an explanation.
  package init(
    discovery: [Step] = [], ends: String, point: Point, stage: String, reached: [String], text: String, last: Step?,
    silence: Double?,
    turn: Side?, expected: [String], details: [String], finding: Finding?, others: [Finding]
  ) {
    self.discovery = discovery
    (self.ends, self.point, self.stage, self.reached, self.text) = (ends, point, stage, reached, text)
    (self.last, self.silence, self.turn, self.expected) = (last, silence, turn, expected)
    (self.details, self.finding, self.others) = (details, finding, others)
  }
}
