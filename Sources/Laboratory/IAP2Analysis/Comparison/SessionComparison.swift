// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Capture

/// A comparison of two sessions.
///
/// It compares the values of the SYNs, every control message with its parameters, the bytes of EA sessions and files,
/// and the order of all these on each side. It does not compare the packets, sequence numbers, retransmissions and
/// times, the transport, and the parameters that ``VolatileParameter`` lists.
package struct SessionComparison: Sendable {
  /// A step of one session, or a pair of steps of both.
  package struct Row: Sendable {
    /// The relation of the two sessions in a row.
    package enum Relation: String, Sendable { case equal, changed, onlyInA, onlyInB }
    /// The index of the step in the first session; nil if it has none.
    package let a: Int?
    /// The index of the step in the second session; nil if it has none.
    package let b: Int?
    /// The relation.
    package internal(set) var relation: Relation
  }

  /// The first session.
  package let a: SessionRecord
  /// The second session.
  package let b: SessionRecord
  /// The aligned steps of both sessions.
  package private(set) var rows: [Row] = []
  /// The differences, in the order of the rows at which they appear.
  package private(set) var differences: [SessionDifference] = []
  /// The differences that do not count.
  package private(set) var notes: [ComparisonNote] = []

  private let rules: ComparisonRules
  private var rowOfA: [Int] = []
  private var rowOfB: [Int] = []

  /// The maximum number of notes about pairs of identifiers.
  private static let maximumIdentifierNotes = 64

  /// - Parameter transports: the transports of both sessions, if they are known.
  package init(
    _ a: SessionRecord, _ b: SessionRecord, rules: ComparisonRules = ComparisonRules(),
    transports: (a: FlowKey, b: FlowKey)? = nil
  ) {
    self.a = a
    self.b = b
    self.rules = rules
    rows = Self.merged(Self.lanes(a, b, rules))
    rowOfA = Self.places(rows.map(\.a), count: a.steps.count)
    rowOfB = Self.places(rows.map(\.b), count: b.steps.count)
    addNotes(transports)
    for row in rows.indices { compare(row) }
    checkIdentities()
    addVolatileNotes()
    for side in Side.allCases where a.remainder(side) != b.remainder(side) {
      add(.remainder(side, a: a.remainder(side), b: b.remainder(side)), rows.count)
    }
    // Sorting is stable, so the differences of one row keep their order.
    differences.sort { $0.place < $1.place }
  }

  /// Whether the sessions have no difference that counts.
  package var isEqual: Bool { differences.isEmpty }

  /// Returns the step of a row: that of the first session if it has one.
  package func step(_ row: Row) -> SessionRecord.Step? {
    row.a.map { a.steps[$0] } ?? row.b.map { b.steps[$0] }
  }

  /// Returns the next step of one session in the lane of a row, from that row on.
  package func next(after row: Int, isInA: Bool) -> SessionRecord.Step? {
    guard row < rows.count, let lane = step(rows[row])?.lane else { return nil }
    for row in rows[row...] {
      guard let index = isInA ? row.a : row.b else { continue }
      let step = isInA ? a.steps[index] : b.steps[index]
      if step.lane == lane { return step }
    }
    return nil
  }

  // MARK: Alignment

  private static func lanes(_ a: SessionRecord, _ b: SessionRecord, _ rules: ComparisonRules) -> [[Row]] {
    var numbers = Numbering<StepIdentity>()
    var kinds = Numbering<StepIdentity.Kind>()
    let identitiesA = a.steps.map { StepIdentity($0.content, a, rules) }
    let identitiesB = b.steps.map { StepIdentity($0.content, b, rules) }
    let (numbersA, numbersB) = (identitiesA.map { numbers[$0] }, identitiesB.map { numbers[$0] })
    let (kindsA, kindsB) = (identitiesA.map { kinds[$0.kind] }, identitiesB.map { kinds[$0.kind] })
    return StepIdentity.Lane.allCases.map { lane in
      let inA = a.steps.indices.filter { a.steps[$0].lane == lane }
      let inB = b.steps.indices.filter { b.steps[$0].lane == lane }
      let pairs = SequenceAlignment.pairs(
        inA.map { numbersA[$0] }, kinds: inA.map { kindsA[$0] }, inB.map { numbersB[$0] },
        kinds: inB.map { kindsB[$0] })
      return pairs.map { pair in
        let (indexA, indexB) = (pair.a.map { inA[$0] }, pair.b.map { inB[$0] })
        return Row(a: indexA, b: indexB, relation: relation(indexA.map { numbersA[$0] }, indexB.map { numbersB[$0] }))
      }
    }
  }

  private static func relation(_ a: Int?, _ b: Int?) -> Row.Relation {
    guard a != nil else { return .onlyInB }
    guard b != nil else { return .onlyInA }
    return a == b ? .equal : .changed
  }

  /// Merges the lanes into one order: the order of both sessions where they agree, else that of the first.
  private static func merged(_ lanes: [[Row]]) -> [Row] {
    var heads = [Int](repeating: 0, count: lanes.count)
    var rows: [Row] = []
    rows.reserveCapacity(lanes.reduce(0) { $0 + $1.count })
    func earliest(_ index: (Row) -> Int?) -> Int? {
      let open = lanes.indices.filter { heads[$0] < lanes[$0].count && index(lanes[$0][heads[$0]]) != nil }
      return open.min { (index(lanes[$0][heads[$0]]) ?? 0) < (index(lanes[$1][heads[$1]]) ?? 0) }
    }
    while true {
      let (inA, inB) = (earliest(\.a), earliest(\.b))
      guard let first = inA ?? inB else { return rows }
      // A step of one session alone comes before the next step of both.
      let hasOnlyB = inB.map { lanes[$0][heads[$0]].a == nil } ?? false
      let lane = lanes[first][heads[first]].b == nil || !hasOnlyB ? first : inB ?? first
      rows.append(lanes[lane][heads[lane]])
      heads[lane] += 1
    }
  }

  private static func places(_ indices: [Int?], count: Int) -> [Int] {
    var places = [Int](repeating: 0, count: count)
    for (row, index) in indices.enumerated() { if let index { places[index] = row } }
    return places
  }

  // MARK: Differences

  private mutating func add(_ kind: SessionDifference.Kind, _ row: Int, place: Int? = nil) {
    differences.append(SessionDifference(kind: kind, row: row, place: place ?? row))
    if row < rows.count, rows[row].relation == .equal { rows[row].relation = .changed }
  }

  private mutating func compare(_ row: Int) {
    switch rows[row].relation {
    case .equal: return
    case .onlyInA: return add(.onlyInA, row)
    case .onlyInB: return add(.onlyInB, row)
    case .changed: break
    }
    guard let indexA = rows[row].a, let indexB = rows[row].b else { return }
    switch (a.steps[indexA].content, b.steps[indexB].content) {
    case (.synchronization(let inA, _), .synchronization(let inB, _)):
      for field in SynchronizationField.all where field.value(in: inA) != field.value(in: inB) {
        add(.link(field, a: field.value(in: inA), b: field.value(in: inB)), row)
      }
    case (.message(let inA), .message(let inB)):
      let found = MessageComparison(inA, inB, rules).differences
      for difference in found { add(.parameter(difference), row) }
      if found.isEmpty { add(.messageBytes, row) }
    case (.externalAccessory(let inA), .externalAccessory(let inB)):
      for side in Side.allCases {
        compare(a.externalAccessories[inA][side], b.externalAccessories[inB][side], row) {
          .externalAccessoryData(side, $0)
        }
      }
    case (.file(let inA), .file(let inB)): compare(a.files[inA], b.files[inB], row)
    // Paired steps have the same kind, so other combinations do not occur.
    case (.detect, _), (.reset, _), (.synchronization, _), (.message, _), (.externalAccessory, _), (.file, _): break
    }
  }

  private mutating func compare(_ inA: SessionRecord.File, _ inB: SessionRecord.File, _ row: Int) {
    if inA.setup != inB.setup { add(.fileSetup(a: inA.setup, b: inB.setup), row) }
    compare(inA.data, inB.data, row) { .fileData($0) }
    if inA.outcome != inB.outcome { add(.fileOutcome(a: inA.outcome, b: inB.outcome), row) }
  }

  private mutating func compare(
    _ inA: DataStream, _ inB: DataStream, _ row: Int, _ kind: (DataStream.Difference) -> SessionDifference.Kind
  ) {
    guard let difference = inA.difference(from: inB) else { return }
    // The differing byte was sent after this step.
    let place =
      inA.mark(of: difference.offset).map { rowOfA[max(0, $0.stepCount - 1)] }
      ?? inB.mark(of: difference.offset).map { rowOfB[max(0, $0.stepCount - 1)] }
    add(kind(difference), row, place: place.map { max($0, row) })
  }

  /// Reports identifiers that do not identify the same thing throughout both sessions.
  private mutating func checkIdentities() {
    var identityPairs = IdentityPairs()
    var reported = 0
    for row in rows.indices {
      guard let (inA, inB) = messages(row) else { continue }
      let (identitiesA, identitiesB) = (MessageIdentities(inA, rules), MessageIdentities(inB, rules))
      for (one, other) in zip(identitiesA.identities, identitiesB.identities) {
        switch identityPairs.check(one, other) {
        case .known: break
        case .contradiction: add(.identifier(one.space, a: one.value, b: other.value), row)
        case .new:
          guard one.value != other.value, reported < Self.maximumIdentifierNotes else { continue }
          reported += 1
          notes.append(.identifier(one.space, a: one.value, b: other.value))
        }
      }
    }
  }

  private func messages(_ row: Int) -> (a: [UInt8], b: [UInt8])? {
    guard let indexA = rows[row].a, let indexB = rows[row].b, case .message(let inA) = a.steps[indexA].content,
      case .message(let inB) = b.steps[indexB].content
    else { return nil }
    return (inA, inB)
  }

  // MARK: Notes

  private mutating func addNotes(_ transports: (a: FlowKey, b: FlowKey)?) {
    if let (inA, inB) = transports { notes.append(.transport(a: inA, b: inB)) }
    for side in Side.allCases where a.counts(side) != b.counts(side) {
      notes.append(.packets(side, a: a.counts(side), b: b.counts(side)))
    }
    for row in rows {
      guard let indexA = row.a, let indexB = row.b,
        case .synchronization(let inA, _) = a.steps[indexA].content,
        case .synchronization(let inB, _) = b.steps[indexB].content, inA.sessions != inB.sessions,
        SynchronizationField.sessions.value(in: inA) == SynchronizationField.sessions.value(in: inB)
      else { continue }
      notes.append(.linkSessions(a.steps[indexA].from, a: inA.sessions, b: inB.sessions))
    }
    var latest = -1
    for (number, row) in rows.enumerated() {
      guard row.a != nil, let index = row.b else { continue }
      guard index > latest else {
        notes.append(.order(row: number))
        break
      }
      latest = index
    }
  }

  private mutating func addVolatileNotes() {
    var counts: [ComparisonRule: Int] = [:]
    for row in rows.indices {
      guard let (inA, inB) = messages(row), inA != inB else { continue }
      counts.merge(MessageComparison(inA, inB, rules).volatile) { $0 + $1 }
    }
    for rule in ComparisonRule.allCases {
      if let count = counts[rule], count > 0 { notes.append(.volatile(rule, count: count)) }
    }
  }
}

/// A numbering of values; equal values have equal numbers.
package struct Numbering<Value: Hashable> {
  private var numbers: [Value: Int] = [:]

  /// Creates an empty numbering.
  package init() {}

  /// The number of a value.
  package subscript(_ value: Value) -> Int {
    mutating get {
      if let number = numbers[value] { return number }
      numbers[value] = numbers.count
      return numbers.count - 1
    }
  }
}
