// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
import IAP2Capture

/// A comparison for people: the first divergence, then section by section.
struct ComparisonText {
  private let comparison: SessionComparison
  private let showsAll: Bool
  /// The differences of each row.
  private let found: [Int: [SessionDifference]]

  /// Rows of the timing table that are shown without being asked for.
  private static let shownTimes = 40

  init(_ comparison: SessionComparison, showsAll: Bool) {
    self.comparison = comparison
    self.showsAll = showsAll
    found = Dictionary(grouping: comparison.differences, by: \.row)
  }

  private var a: SessionRecord { comparison.a }
  private var b: SessionRecord { comparison.b }

  func lines(_ show: (String) -> Void) {
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
      return Colour.green("equal: \(comparison.rows.count) steps")
    }
    let count = comparison.differences.count
    return Colour.red("first difference: ") + "\(shortened("\(place(first)): \(what(first))"))"
      + Colour.dim(" (\(count) difference\(count == 1 ? "" : "s"))")
  }

  /// One line that can be read at a glance; its section has the rest.
  private func shortened(_ text: String) -> String { text.count <= 240 ? text : text.prefix(240) + "…" }

  private func place(_ difference: SessionDifference) -> String {
    guard difference.row < comparison.rows.count else { return "behind step \(comparison.rows.count)" }
    guard difference.place == difference.row else {
      return "step \(difference.row + 1), in data behind step \(difference.place + 1)"
    }
    let row = comparison.rows[difference.row]
    let times = [
      ("A", row.a.flatMap { a.time(of: a.steps[$0]) }), ("B", row.b.flatMap { b.time(of: b.steps[$0]) }),
    ].compactMap { name, time in time.map { "\(name) \(DecodedText.seconds($0))" } }
    return "step \(difference.row + 1)" + (times.isEmpty ? "" : " (\(times.joined(separator: ", ")))")
  }

  private func what(_ difference: SessionDifference) -> String {
    switch difference.kind {
    case .onlyInA, .onlyInB:
      let sentA = sent(comparison.next(after: difference.row, isInA: true), a)
      let sentB = sent(comparison.next(after: difference.row, isInA: false), b)
      return sentA == sentB ? "\(detail(difference)): \(sentA)" : "A sent \(sentA), B sent \(sentB)"
    case .link, .parameter, .messageBytes, .identifier, .externalAccessoryData, .fileSetup, .fileData, .fileOutcome:
      return "\(name(comparison.rows[difference.row])): \(detail(difference))"
    case .remainder: return detail(difference)
    }
  }

  private func sent(_ step: SessionRecord.Step?, _ session: SessionRecord) -> String {
    step.map { "\(ComparisonWords.step($0, of: session)) (\($0.from.rawValue))" } ?? "nothing more"
  }

  /// What a row's steps are.
  private func name(_ row: SessionComparison.Row) -> String {
    if let index = row.a { return ComparisonWords.step(a.steps[index], of: a) }
    if let index = row.b { return ComparisonWords.step(b.steps[index], of: b) }
    return ""
  }

  private func detail(_ difference: SessionDifference) -> String {
    switch difference.kind {
    case .onlyInA: return "only in A"
    case .onlyInB: return "only in B"
    case .link(let field, let a, let b):
      return "\(field.rawValue): A \(ComparisonWords.field(a)), B \(ComparisonWords.field(b))"
    case .parameter(let parameter):
      return "\(ComparisonWords.path(parameter)): \(ComparisonWords.values(parameter))"
    case .messageBytes: return "bytes that are no parameter are not the same"
    case .identifier(let space, let a, let b):
      return "\(ComparisonWords.identifier(space)): A \(FeatureValues.text(a)), B \(FeatureValues.text(b)),"
        + " which stood for something else before"
    case .externalAccessoryData(let side, let place):
      guard let (inA, inB) = sessions(difference.row) else { return "" }
      return "\(side.rawValue): \(data(inA[side], inB[side], place))"
    case .fileSetup(let a, let b): return "A \(ComparisonWords.setup(a)), B \(ComparisonWords.setup(b))"
    case .fileData(let place):
      guard let (inA, inB) = files(difference.row) else { return "" }
      return data(inA.data, inB.data, place)
    case .fileOutcome(let a, let b): return "A ended with \(a.rawValue), B with \(b.rawValue)"
    case .remainder(let side, let a, let b):
      return "\(side.rawValue): A \(ComparisonWords.remainder(a)), B \(ComparisonWords.remainder(b))"
    }
  }

  private func data(_ a: DataStream, _ b: DataStream, _ place: DataStream.Difference) -> String {
    let counts = a.byteCount == b.byteCount ? "\(a.byteCount) bytes" : "A \(a.byteCount) bytes, B \(b.byteCount) bytes"
    let shown =
      place.isExact
      ? ": A \(ComparisonWords.bytes(a, at: place.offset)), B \(ComparisonWords.bytes(b, at: place.offset))" : ""
    return "\(counts), \(ComparisonWords.place(place))\(shown)"
  }

  private func sessions(_ row: Int) -> (a: SessionRecord.ExternalAccessory, b: SessionRecord.ExternalAccessory)? {
    guard let inA = comparison.rows[row].a, case .externalAccessory(let indexA) = a.steps[inA].content,
      let inB = comparison.rows[row].b, case .externalAccessory(let indexB) = b.steps[inB].content
    else { return nil }
    return (a.externalAccessories[indexA], b.externalAccessories[indexB])
  }

  private func files(_ row: Int) -> (a: SessionRecord.File, b: SessionRecord.File)? {
    guard let inA = comparison.rows[row].a, case .file(let indexA) = a.steps[inA].content,
      let inB = comparison.rows[row].b, case .file(let indexB) = b.steps[inB].content
    else { return nil }
    return (a.files[indexA], b.files[indexB])
  }

  // MARK: Sections

  /// A heading with the differences of its rows below.
  private func section(
    _ title: String, _ rows: [Int], _ show: (String) -> Void, equal: (Int) -> [String]
  ) {
    let differing = rows.filter { comparison.rows[$0].relation != .equal }
    let state =
      rows.isEmpty ? "none" : differing.isEmpty ? Colour.green("equal") : Colour.red("\(differing.count) not equal")
    show("\(title): \(state)")
    for row in rows where showsAll || comparison.rows[row].relation != .equal {
      show("  \(mark(comparison.rows[row])) step \(row + 1)  \(name(comparison.rows[row]))")
      for difference in found[row] ?? [] { show("      \(detail(difference))") }
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
    if case .message(let bytes) = content { ControlHeader.id(of: bytes) == 0x1D01 } else { false }
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
      guard let (inA, inB) = sessions(row) else { return [] }
      return Side.allCases.map { "\($0.rawValue): A \(inA[$0].byteCount) bytes, B \(inB[$0].byteCount) bytes" }
    }
  }

  private func files(_ show: (String) -> Void) {
    section("files", rows { if case .file = $0 { true } else { false } }, show) { row in
      guard let (inA, inB) = files(row) else { return [] }
      return [
        "A \(inA.data.byteCount) bytes, \(inA.outcome.rawValue); B \(inB.data.byteCount) bytes, \(inB.outcome.rawValue)"
      ]
    }
  }

  private func remainder(_ show: (String) -> Void) {
    for difference in found[comparison.rows.count] ?? [] { show("behind the limit: \(detail(difference))") }
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
      if equal > 0 { show(Colour.dim("    … \(equal) equal")) }
      equal = 0
    }
    show("messages")
    for (number, row) in comparison.rows.enumerated() {
      if row.relation == .equal, !showsAll {
        equal += 1
        continue
      }
      fold()
      show("  \(mark(row)) \(line(row, number))")
      // Those of the link, the identification and of data stand in their sections.
      guard let step = comparison.step(row), case .message = step.content, !Self.isIdentification(step.content) else {
        continue
      }
      for difference in found[number] ?? [] where row.relation == .changed { show("        \(detail(difference))") }
    }
    fold()
  }

  private func mark(_ row: SessionComparison.Row) -> String {
    switch row.relation {
    case .equal: " "
    case .changed: Colour.yellow("~")
    case .onlyInA: Colour.red("-")
    case .onlyInB: Colour.green("+")
    }
  }

  private func line(_ row: SessionComparison.Row, _ number: Int, difference: Double? = nil) -> String {
    guard let step = comparison.step(row) else { return "" }
    let digits = "\(number + 1)"
    return "\(String(repeating: " ", count: max(0, 4 - digits.count)))\(digits)"
      + " \(ComparisonWords.time(row.a.flatMap { a.time(of: a.steps[$0]) }))"
      + " \(ComparisonWords.time(row.b.flatMap { b.time(of: b.steps[$0]) }))"
      + (difference.map { " \(ComparisonWords.time($0))" } ?? "")
      + "  \(ComparisonWords.arrow(step.from))  \(name(row))"
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
    if timed.count > shown { show(Colour.dim("    … \(timed.count - shown) more with --all")) }
  }
}
