// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
package import IAP2Analysis
import IAP2Capture

/// A comparison for people: the first divergence, then section by section.
package struct ComparisonText {
  private let comparison: SessionComparison
  private let text: DifferenceText
  private let showsAll: Bool
  /// The differences of each row.
  private let found: [Int: [SessionDifference]]

  /// The number of rows of the timing table that are shown without `--all`.
  private static let shownTimes = 40

  /// Creates the text of a comparison.
  ///
  /// - Parameter showsAll: Whether equal steps are shown, too.
  package init(_ comparison: SessionComparison, showsAll: Bool) {
    self.comparison = comparison
    text = DifferenceText(comparison)
    self.showsAll = showsAll
    found = Dictionary(grouping: comparison.differences, by: \.row)
  }

  private var a: SessionRecord { comparison.a }
  private var b: SessionRecord { comparison.b }

  /// Calls a function with each line.
  package func lines(_ show: (String) -> Void) {
    show(verdict)
    link(show)
    identification(show)
    messages(show)
    externalAccessory(show)
    files(show)
    remainder(show)
    notes(show)
    timing(show)
  }

  // MARK: The verdict

  private var verdict: String {
    guard let first = comparison.differences.first else {
      return Color.green("equal: \(comparison.rows.count) steps")
    }
    let count = comparison.differences.count
    return Color.red("first difference: ") + "\(shortened("\(text.place(first)): \(text.what(first))"))"
      + Color.dim(" (\(count) difference\(count == 1 ? "" : "s"))")
  }

  /// Returns a short line; the section has the full text.
  private func shortened(_ text: String) -> String { text.count <= 240 ? text : text.prefix(240) + "…" }

  /// A heading with the differences of its rows below.
  private func section(
    _ title: String, _ rows: [Int], _ show: (String) -> Void, equal: (Int) -> [String]
  ) {
    let differing = rows.filter { comparison.rows[$0].relation != .equal }
    let state =
      rows.isEmpty ? "none" : differing.isEmpty ? Color.green("equal") : Color.red("\(differing.count) not equal")
    show("\(title): \(state)")
    for row in rows where showsAll || comparison.rows[row].relation != .equal {
      show("  \(comparison.rows[row].relation.mark) step \(row + 1)  \(text.name(comparison.rows[row]))")
      for difference in found[row] ?? [] { show("      \(text.detail(difference))") }
      if showsAll { for line in equal(row) { show("      \(line)") } }
    }
  }

  private func rows(where isWanted: (SessionRecord.Step.Content) -> Bool) -> [Int] {
    comparison.rows.indices.filter { comparison.step(comparison.rows[$0]).map { isWanted($0.content) } ?? false }
  }

  private func link(_ show: (String) -> Void) {
    section("link", rows { if case .synchronization = $0 { true } else { false } }, show) { row in
      guard let step = comparison.step(comparison.rows[row]), case .synchronization(let values, _) = step.content
      else { return [] }
      return [DecodedText.synchronization(values)]
    }
  }

  private static func isIdentification(_ content: SessionRecord.Step.Content) -> Bool {
    if case .message(let bytes) = content { ControlHeader.id(of: bytes) == IdentificationInformation.id } else { false }
  }

  private func identification(_ show: (String) -> Void) {
    section("identification", rows(where: Self.isIdentification), show) { row in
      guard let step = comparison.step(comparison.rows[row]), case .message(let bytes) = step.content else { return [] }
      let nodes = ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: IdentificationInformation.rows).nodes
      return nodes.flatMap { DecodedText.node($0, indent: 0) }
    }
  }

  private func externalAccessory(_ show: (String) -> Void) {
    section("external accessory", rows { if case .externalAccessory = $0 { true } else { false } }, show) { row in
      guard let (inA, inB) = text.sessions(row) else { return [] }
      return Side.allCases.map { "\($0.rawValue): A \(inA[$0].byteCount) bytes, B \(inB[$0].byteCount) bytes" }
    }
  }

  private func files(_ show: (String) -> Void) {
    section("files", rows { if case .file = $0 { true } else { false } }, show) { row in
      guard let (inA, inB) = text.files(row) else { return [] }
      return [
        "A \(inA.data.byteCount) bytes, \(inA.outcome.rawValue); B \(inB.data.byteCount) bytes, \(inB.outcome.rawValue)"
      ]
    }
  }

  private func remainder(_ show: (String) -> Void) {
    for difference in found[comparison.rows.count] ?? [] { show("above the limit: \(text.detail(difference))") }
  }

  private func notes(_ show: (String) -> Void) {
    guard !comparison.notes.isEmpty else { return }
    show("no differences, by rule:")
    for note in comparison.notes { show("  \(ComparisonWords.note(note))") }
  }

  // MARK: Messages

  private func messages(_ show: (String) -> Void) {
    var equal = 0
    func fold() {
      if equal > 0 { show(Color.dim("    … \(equal) equal")) }
      equal = 0
    }
    show("messages")
    for (number, row) in comparison.rows.enumerated() {
      if row.relation == .equal, !showsAll {
        equal += 1
        continue
      }
      fold()
      show("  \(row.relation.mark) \(line(row, number))")
      // Differences of the link, the identification and data are shown in their sections.
      guard let step = comparison.step(row), case .message = step.content, !Self.isIdentification(step.content) else {
        continue
      }
      for difference in found[number] ?? [] where row.relation == .changed {
        show("        \(text.detail(difference))")
      }
    }
    fold()
  }

  private func line(_ row: SessionComparison.Row, _ number: Int, difference: Double? = nil) -> String {
    guard let step = comparison.step(row) else { return "" }
    let digits = "\(number + 1)"
    return "\(String(repeating: " ", count: max(0, 4 - digits.count)))\(digits)"
      + " \(ComparisonWords.time(row.a.flatMap { a.time(of: a.steps[$0]) }))"
      + " \(ComparisonWords.time(row.b.flatMap { b.time(of: b.steps[$0]) }))"
      + (difference.map { " \(ComparisonWords.time($0))" } ?? "")
      + "  \(ComparisonWords.arrow(step.from))  \(text.name(row))"
  }

  // MARK: Timing

  private func timing(_ show: (String) -> Void) {
    let timed = comparison.rows.enumerated().compactMap { number, row -> (row: Int, difference: Double)? in
      guard let inA = row.a, let inB = row.b, let timeA = a.time(of: a.steps[inA]), let timeB = b.time(of: b.steps[inB])
      else { return nil }
      return (number, timeB - timeA)
    }
    guard !timed.isEmpty else { return show("timing: the captures do not both have times") }
    show("timing, since the link was up: A, B, B - A")
    let shown = showsAll ? timed.count : Self.shownTimes
    for (row, difference) in timed.prefix(shown) {
      show("    \(line(comparison.rows[row], row, difference: difference))")
    }
    if timed.count > shown { show(Color.dim("    … \(timed.count - shown) more with --all")) }
  }
}

extension SessionComparison.Row.Relation {
  /// The mark of a row.
  package var mark: String {
    switch self {
    case .equal: " "
    case .changed: Color.yellow("~")
    case .onlyInA: Color.red("-")
    case .onlyInB: Color.green("+")
    }
  }
}
