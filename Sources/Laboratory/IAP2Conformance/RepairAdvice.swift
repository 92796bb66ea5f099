// swift-iap2 · Apache-2.0

import IAP2

/// The result of a run in plain words: what to repair first, and what keeps checks from a verdict.
public struct RepairAdvice: Sendable {
  /// The failed check to repair first; nil if no required check failed.
  public let first: Outcome?
  /// The sentences, most important first; empty if every check passed or does not apply.
  public let sentences: [String]

  /// Creates the advice for the outcomes of a run.
  ///
  /// - Parameters:
  ///   - outcomes: the outcomes in any order.
  ///   - subject: the name of the side that was checked, such as `phone`.
  ///   - order: the checks in the order of a session, in which each part depends on the parts before.
  public init(_ outcomes: [Outcome], of subject: String, order: [Check] = Check.all) {
    let places = Dictionary(order.enumerated().map { ($1.id, $0) }) { first, _ in first }
    func place(_ outcome: Outcome) -> Int { places[outcome.check.id] ?? .max }
    let failed = outcomes.filter { $0.verdict.kind == .fail }.sorted { place($0) < place($1) }
    let required = failed.filter { $0.check.strictness == .required }
    first = required.first
    var sentences: [String] = []
    let fatal = outcomes.filter(\.leftPeerGone).sorted { place($0) < place($1) }.map(\.check.id)
    if !fatal.isEmpty {
      sentences.append(
        "The \(subject) was gone after \(Self.list(fatal)): it may have crashed, or serves one connection only.")
    }
    if let first {
      let check = first.check
      sentences.append(
        "Repair first: \(check.id), \(check.area.subject). \(check.requirement) The \(subject) does not: "
          + "\(first.verdict.reason ?? "").")
      let same = required.dropFirst().filter { $0.check.area == check.area }.map(\.check.id)
      let later = required.dropFirst().filter { $0.check.area != check.area }.map(\.check.id)
      if !same.isEmpty { sentences.append("Of the same part: \(Self.list(same)).") }
      if !later.isEmpty {
        sentences.append(
          "Then run again: \(Self.list(later)) \(later.count == 1 ? "fails" : "fail") too, and may follow from the first."
        )
      }
    }
    for strictness in [Strictness.recommended, .observed] {
      let ids = failed.filter { $0.check.strictness == strictness }.map(\.check.id)
      guard !ids.isEmpty else { continue }
      let meaning =
        strictness == .recommended
        ? "recommended: known implementations differ, so others should cope" : "observed in other implementations only"
      sentences.append("\(Self.list(ids)) \(ids.count == 1 ? "fails, but is" : "fail, but are") \(meaning).")
    }
    if let sentence = Self.undecided(outcomes) { sentences.append(sentence) }
    self.sentences = sentences
  }

  /// Returns a sentence about the reason that keeps most checks from a verdict; nil if none does.
  private static func undecided(_ outcomes: [Outcome]) -> String? {
    let reasons = outcomes.compactMap { outcome in
      if case .inconclusive(let reason) = outcome.verdict { reason } else { nil }
    }
    let counts = Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
    guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
    let count = reasons.count == 1 ? "1 check has" : "\(reasons.count) checks have"
    let part = most.value == reasons.count ? "because" : "\(most.value) of them because"
    return "\(count) no verdict, \(part): \(most.key)."
  }

  /// The number of checks that a sentence names.
  private static let namedCount = 8

  private static func list(_ ids: [String]) -> String {
    let named = ids.prefix(namedCount).joined(separator: ", ")
    return ids.count > namedCount ? "\(named) and \(ids.count - namedCount) more" : named
  }
}
