// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Capture

/// A line of a comparison in JSON. The kind of the line decides which keys it has.
package struct ComparisonLine: Encodable {
  /// A value of one of the two sessions.
  package enum Value {
    case text(String)
    case number(Int)
    case parameter(ParameterNode.Value)
  }

  /// The kind of a difference.
  var difference: String?
  /// The kind of a note.
  var note: String?
  /// The number of the step, from 1.
  var step: Int?
  var relation: String?
  var from: String?
  var name: String?
  var id: String?
  var path: [UInt16]?
  var field: String?
  var offset: Int?
  var isExact: Bool?
  var rule: String?
  var count: Int?
  var a: Value?
  var b: Value?
  /// Seconds since the link was up.
  var timeA: Double?
  var timeB: Double?
  var recordA: Int?
  var recordB: Int?

  /// Creates the line of a difference.
  package init(_ difference: SessionDifference, _ comparison: SessionComparison) {
    self.difference = difference.kind.name
    if difference.row < comparison.rows.count { describe(difference.row, comparison) }
    switch difference.kind {
    case .onlyInA, .onlyInB, .messageBytes: break
    case .link(let field, let a, let b):
      self.field = field.name
      set(.text(ComparisonWords.field(a)), .text(ComparisonWords.field(b)))
    case .parameter(let parameter):
      path = parameter.path.map(\.id)
      field = ComparisonWords.path(parameter)
      set(parameter.a.map(Value.parameter), parameter.b.map(Value.parameter))
    case .identifier(let space, let a, let b):
      rule = space.rawValue
      set(.parameter(a), .parameter(b))
    case .externalAccessoryData(let side, let place):
      from = side.rawValue
      (offset, isExact) = (place.offset, place.isExact)
      set(byteCount(difference.row, comparison, isInA: true), byteCount(difference.row, comparison, isInA: false))
    case .fileData(let place):
      (offset, isExact) = (place.offset, place.isExact)
      set(byteCount(difference.row, comparison, isInA: true), byteCount(difference.row, comparison, isInA: false))
    case .fileSetup(let a, let b): set(.text(ComparisonWords.setup(a)), .text(ComparisonWords.setup(b)))
    case .fileOutcome(let a, let b): set(.text(a.rawValue), .text(b.rawValue))
    case .remainder(let side, let a, let b):
      from = side.rawValue
      set(.number(a.steps), .number(b.steps))
    }
  }

  /// Creates the line of a note.
  package init(_ note: ComparisonNote) {
    self.note = note.name
    switch note {
    case .transport(let a, let b): set(.text(ComparisonWords.transport(a)), .text(ComparisonWords.transport(b)))
    case .packets(let side, let a, let b):
      from = side.rawValue
      set(.number(a.packets), .number(b.packets))
    case .linkSessions(let side, let a, let b):
      from = side.rawValue
      set(.text(DecodedText.sessions(a)), .text(DecodedText.sessions(b)))
    case .order(let row): step = row + 1
    case .volatile(let rule, let count):
      self.rule = rule.rawValue
      self.count = count
    case .identifier(let space, let a, let b):
      rule = space.rawValue
      set(.parameter(a), .parameter(b))
    }
  }

  /// Creates the line of a step.
  package init(row: Int, _ comparison: SessionComparison) {
    relation = comparison.rows[row].relation.rawValue
    describe(row, comparison)
  }

  private mutating func set(_ a: Value?, _ b: Value?) { (self.a, self.b) = (a, b) }

  private mutating func describe(_ number: Int, _ comparison: SessionComparison) {
    let row = comparison.rows[number]
    step = number + 1
    for (index, session, isInA) in [(row.a, comparison.a, true), (row.b, comparison.b, false)] {
      guard let index else { continue }
      let step = session.steps[index]
      from = step.from.rawValue
      if isInA || row.a == nil { name = ComparisonWords.step(step, of: session) }
      if case .message(let bytes) = step.content {
        id = MessageCatalog.text(ControlHeader.id(of: bytes))
        name = MessageCatalog[ControlHeader.id(of: bytes)]?.name
      }
      if isInA {
        (timeA, recordA) = (session.time(of: step), step.record)
      } else {
        (timeB, recordB) = (session.time(of: step), step.record)
      }
    }
  }

  private func byteCount(_ row: Int, _ comparison: SessionComparison, isInA: Bool) -> Value? {
    let session = isInA ? comparison.a : comparison.b
    guard let index = isInA ? comparison.rows[row].a : comparison.rows[row].b else { return nil }
    switch session.steps[index].content {
    case .externalAccessory(let number):
      return from.flatMap(Side.init).map { .number(session.externalAccessories[number][$0].byteCount) }
    case .file(let number): return .number(session.files[number].data.byteCount)
    case .detect, .synchronization, .reset, .message: return nil
    }
  }
}

extension ComparisonLine.Value: Encodable {
  package func encode(to encoder: any Encoder) throws {
    if case .parameter(let value) = self { return try FeatureValues.eventValue(value).encode(to: encoder) }
    var single = encoder.singleValueContainer()
    switch self {
    case .text(let text): try single.encode(text)
    case .number(let number): try single.encode(number)
    case .parameter: break
    }
  }
}
