// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// Text of the differences between two sessions.
package struct DifferenceText {
  private let comparison: SessionComparison
  private var a: SessionRecord { comparison.a }
  private var b: SessionRecord { comparison.b }

  /// Creates the text of a comparison.
  package init(_ comparison: SessionComparison) { self.comparison = comparison }

  /// Returns the step of a difference and its times.
  package func place(_ difference: SessionDifference) -> String {
    guard difference.row < comparison.rows.count else { return "after step \(comparison.rows.count)" }
    guard difference.place == difference.row else {
      return "step \(difference.row + 1), in data after step \(difference.place + 1)"
    }
    let row = comparison.rows[difference.row]
    let times = [
      ("A", row.a.flatMap { a.time(of: a.steps[$0]) }), ("B", row.b.flatMap { b.time(of: b.steps[$0]) }),
    ].compactMap { name, time in time.map { "\(name) \(DecodedText.seconds($0))" } }
    return "step \(difference.row + 1)" + (times.isEmpty ? "" : " (\(times.joined(separator: ", ")))")
  }

  /// Returns a difference as one sentence.
  package func what(_ difference: SessionDifference) -> String {
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

  /// Returns the name of the steps in a row.
  package func name(_ row: SessionComparison.Row) -> String {
    if let index = row.a { return ComparisonWords.step(a.steps[index], of: a) }
    if let index = row.b { return ComparisonWords.step(b.steps[index], of: b) }
    return ""
  }

  /// Returns the values of a difference.
  package func detail(_ difference: SessionDifference) -> String {
    switch difference.kind {
    case .onlyInA: return "only in A"
    case .onlyInB: return "only in B"
    case .link(let field, let a, let b):
      return "\(field.name): A \(ComparisonWords.field(a)), B \(ComparisonWords.field(b))"
    case .parameter(let parameter):
      return "\(ComparisonWords.path(parameter)): \(ComparisonWords.values(parameter))"
    case .messageBytes: return "bytes outside of parameters are different"
    case .identifier(let space, let a, let b):
      return "\(ComparisonWords.identifier(space)): A \(FeatureValues.text(a)), B \(FeatureValues.text(b)),"
        + " which identified something else before"
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

  package func sessions(_ row: Int) -> (a: SessionRecord.ExternalAccessory, b: SessionRecord.ExternalAccessory)? {
    guard let inA = comparison.rows[row].a, case .externalAccessory(let indexA) = a.steps[inA].content,
      let inB = comparison.rows[row].b, case .externalAccessory(let indexB) = b.steps[inB].content
    else { return nil }
    return (a.externalAccessories[indexA], b.externalAccessories[indexB])
  }

  package func files(_ row: Int) -> (a: SessionRecord.File, b: SessionRecord.File)? {
    guard let inA = comparison.rows[row].a, case .file(let indexA) = a.steps[inA].content,
      let inB = comparison.rows[row].b, case .file(let indexB) = b.steps[inB].content
    else { return nil }
    return (a.files[indexA], b.files[indexB])
  }

  // MARK: Sections
}
