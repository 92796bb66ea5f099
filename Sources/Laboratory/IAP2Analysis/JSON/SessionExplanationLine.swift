// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Capture

/// An explanation of a CarPlay session for JSON. The keys are those of a connection's explanation, with `session` in
/// place of `connection`.
package struct SessionExplanationLine: Encodable {
  var session: Int
  var discovery: [DiscoveryStep]
  var transport: String
  var point: String
  var stage: String
  var text: String
  var reached: [String]
  var complete: Bool
  var lastRecord: Int?
  var lastTime: Double?
  var last: String?
  var lastFrom: String?
  var turn: String
  var expected: [String]
  var details: [String]
  var silence: Double?
  /// The seconds from the first message to the last one.
  var seconds: Double?
  var requests: [Count]
  var streams: [Count]
  var rule: Rule?
  var breaches: [Rule]

  /// Creates the line of a session.
  ///
  /// - Parameter number: The number of the session, from 0.
  package init(_ explanation: SessionExplanation, number: Int) {
    session = number + 1
    discovery = explanation.discovery.map(DiscoveryStep.init)
    transport = explanation.ends
    point = explanation.point.rawValue
    stage = explanation.stage
    text = explanation.text
    reached = explanation.reached
    complete = explanation.point == .complete
    lastRecord = explanation.last?.record
    lastTime = explanation.last?.time
    last = explanation.last?.text
    lastFrom = explanation.last?.from.rawValue
    turn = explanation.turn?.rawValue ?? "either"
    expected = explanation.expected
    details = explanation.details
    silence = explanation.silence
    seconds = explanation.firstTime.flatMap { first in explanation.lastTime.map { $0 - first } }
    requests = explanation.requests.map(Count.init)
    streams = explanation.streams.map(Count.init)
    rule = explanation.finding.map(Rule.init)
    breaches = explanation.others.map(Rule.init)
  }

  /// A step before the session: on the network, or over iAP2.
  struct DiscoveryStep: Encodable {
    var record: Int
    var time: Double?
    var from: String
    var text: String
    var connection: Int?

    init(_ step: SessionExplanation.Step) {
      (record, time, from, text) = (step.record, step.time, step.from.rawValue, step.text)
      connection = step.connection
    }
  }

  /// Messages of a kind.
  struct Count: Encodable {
    var name: String
    var count: Int
    var byteCount: Int

    init(_ count: SessionExplanation.Count) {
      (name, self.count, byteCount) = (count.name, count.count, count.byteCount)
    }
  }

  /// A broken rule, or an owed answer.
  struct Rule: Encodable {
    var id: String
    var level: String
    var text: String
    var side: String
    var owed: Bool
    var request: String
    var key: String?
    var value: String?
    var expected: String
    var record: Int
    var time: Double?
    var detail: String
    var evidence: String
    var confidence: String
    var check: String

    init(_ finding: SessionExplanation.Finding) {
      (id, level, text, side) = (finding.id, finding.level, finding.text, finding.side.rawValue)
      (owed, request, key, value) = (finding.isOwed, finding.request, finding.key, finding.value)
      (expected, record, time, detail) = (finding.expected, finding.record, finding.time, finding.detail)
      (evidence, check) = (finding.evidence, finding.repair)
      confidence = finding.confidence ?? "unverified"
    }
  }
}
