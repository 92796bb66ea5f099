// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
import IAP2Capture

extension LabEntry {
  /// Creates the row of a rule that a side breaks.
  init(_ finding: RuleFinding) {
    self.init(
      .finding, finding.isOwed ? "owed" : "rule broken", text: finding.detail, time: finding.time,
      from: Lane(finding.side), level: .error,
      detail: .lines([
        finding.rule.text, "source: \(finding.rule.evidence) (\(finding.rule.confidence.rawValue))",
        "remedy: \(finding.repair ?? finding.rule.repair)",
      ]))
  }

  /// Creates the row of the point at which a connection stopped; nil if nothing was found in it.
  init?(_ explanation: Explanation) {
    guard let last = explanation.last else { return nil }
    let causes = explanation.causes.map { "perhaps: \($0.text)" }
    self.init(
      .finding, explanation.point.isComplete ? "complete" : "stops here", text: explanation.text, time: last.time,
      from: last.from.map(Lane.init) ?? .phone, level: explanation.point.isComplete ? .notice : .warning,
      detail: .lines(causes))
  }
}

extension LabEntry {
  /// Creates the row of a rule of CarPlay sessions that a side breaks.
  private init(_ finding: SessionExplanation.Finding) {
    self.init(
      .finding, finding.isOwed ? "owed" : "rule broken", text: "\(finding.id): \(finding.detail)", time: finding.time,
      from: Lane(finding.side), level: finding.level == "observed" ? .warning : .error,
      detail: .lines([
        finding.text, "source: \(finding.evidence) (\(finding.confidence ?? "unverified"))",
        "remedy: \(finding.repair)",
      ]))
  }

  /// Returns the rows of a CarPlay session of a capture, with their records: how the two sides found each other, the
  /// rules that were broken, and the point at which the session stopped.
  static func rows(of explanation: SessionExplanation) -> [(record: Int, entry: LabEntry)] {
    let discovery = explanation.discovery.map { step in
      (
        step.record,
        LabEntry(.event, "discovery", text: step.text, time: step.time, from: Lane(step.from), level: .notice)
      )
    }
    let findings = ([explanation.finding].compactMap(\.self) + explanation.others).map { ($0.record, LabEntry($0)) }
    guard let last = explanation.last else { return discovery + findings }
    let isComplete = explanation.point == .complete
    let stop = LabEntry(
      .finding, isComplete ? "complete" : "stops here", text: explanation.text, time: last.time, from: Lane(last.from),
      level: isComplete ? .notice : .warning, detail: .lines(explanation.details))
    return discovery + findings + [(last.record, stop)]
  }
}

extension LabEntry.Lane {
  fileprivate init(_ side: Side) { self = side == .accessory ? .headUnit : .phone }
}

/// The findings of `iap2 explain` in a running session: the broken rules, soon after they are broken, and the point at
/// which each connection stopped.
struct LiveFindings {
  /// A rule and the record that breaks it.
  private struct Place: Hashable {
    var rule: String
    var record: Int
    var side: Side
  }

  private var analyzer = CaptureAnalyzer(sink: ExplanationSink())
  /// The beginning of the capture, with which each connection begins anew.
  private var header: [UInt8]?
  private var shown: Set<Place> = []
  /// The time of the first record of the connection in seconds. The analyzer counts from it.
  private var start: Double?
  private var isChanged = false

  /// The most rows of one connection. A side that breaks rules all the time needs no more.
  private static let maximumCount = 100

  /// Takes a piece of the capture. The first one is its header.
  mutating func take(_ bytes: [UInt8], at time: Double) {
    if header == nil { header = bytes } else { start = start ?? time }
    analyzer.append(bytes)
    isChanged = true
  }

  /// Returns the broken rules that were not returned before.
  mutating func news() -> [LabEntry] {
    guard isChanged, shown.count < Self.maximumCount else { return [] }
    isChanged = false
    return entries(Explanation.all(analyzer).flatMap(\.breaches).filter { !$0.isOwed })
  }

  /// Ends the connection. Returns what is left to say of it.
  mutating func end() -> [LabEntry] {
    guard let header, let start else { return [] }
    analyzer.finish()
    let explanations = Explanation.all(analyzer)
    var last = entries(explanations.flatMap(\.breaches))
    last += explanations.compactMap { LabEntry($0) }.map { Self.moved($0, by: start) }
    self = LiveFindings()
    take(header, at: 0)
    return last
  }

  private mutating func entries(_ findings: [RuleFinding]) -> [LabEntry] {
    findings.filter { shown.insert(Place(rule: $0.rule.text, record: $0.record, side: $0.side)).inserted }
      .map { Self.moved(LabEntry($0), by: start ?? 0) }
  }

  private static func moved(_ entry: LabEntry, by start: Double) -> LabEntry {
    var entry = entry
    entry.time = entry.time.map { $0 + start }
    return entry
  }
}

extension Explanation {
  /// All rules that the connection breaks.
  var breaches: [RuleFinding] { [finding].compactMap(\.self) + otherBreaches }
}
