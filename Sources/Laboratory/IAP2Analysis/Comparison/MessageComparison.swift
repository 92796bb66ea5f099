// swift-iap2 · Apache-2.0

package import IAP2

/// A parameter that two messages of the same id do not have in common.
package struct ParameterDifference: Sendable, Equatable {
  /// One step on the way from the message to the parameter.
  package struct Place: Sendable, Equatable {
    package var id: UInt16
    /// Nil for a parameter nobody knows.
    package var name: String?
    /// From 0; nil where there is one of this id only.
    package var index: Int?
  }

  /// From the outermost group to the parameter.
  package var path: [Place]
  /// Nil where the first message does not have it.
  package var a: ParameterNode.Value?
  package var b: ParameterNode.Value?
  /// Lists whose order means nothing.
  package var isSet = false
}

/// Compares the parameters of two messages of the same id.
struct MessageComparison {
  private(set) var differences: [ParameterDifference] = []
  /// How many volatile parameters had different values.
  private(set) var volatile: [ComparisonRule: Int] = [:]

  init(_ a: [UInt8], _ b: [UInt8], _ rules: ComparisonRules) {
    let id = ControlHeader.id(of: a)
    let rows = MessageCatalog[id]?.rows ?? []
    let scope = VolatileScope(rules.parameters(of: id))
    if let whole = scope.whole {
      volatile[whole.rule] = a == b ? 0 : 1
      return
    }
    compare(
      ParameterNode.nodes(of: a.rawBytes, rows: rows).nodes, ParameterNode.nodes(of: b.rawBytes, rows: rows).nodes,
      scope, [])
  }

  private mutating func compare(
    _ a: [ParameterNode], _ b: [ParameterNode], _ scope: VolatileScope, _ path: [ParameterDifference.Place]
  ) {
    let (fromA, fromB) = (Dictionary(grouping: a, by: \.id), Dictionary(grouping: b, by: \.id))
    for id in Set(fromA.keys).union(fromB.keys).sorted() {
      let (inA, inB) = (fromA[id] ?? [], fromB[id] ?? [])
      let inner = scope.inside(id)
      if let line = inner.whole, line.treatment == .dropped {
        if !Self.areEqual(inA, inB) { volatile[line.rule, default: 0] += 1 }
      } else {
        compare(inA, inB, of: id, inner, path)
      }
    }
  }

  /// Parameters of one id: equal ones are each other's, the others pair up in their order.
  private mutating func compare(
    _ a: [ParameterNode], _ b: [ParameterNode], of id: UInt16, _ scope: VolatileScope,
    _ path: [ParameterDifference.Place]
  ) {
    var numbers = Numbering<[UInt8]>()
    let numbersA = a.map { numbers[CanonicalMessage.value($0.value, scope)] }
    let numbersB = b.map { numbers[CanonicalMessage.value($0.value, scope)] }
    let kinds = ([Int](repeating: 0, count: a.count), [Int](repeating: 0, count: b.count))
    let isRepeated = a.count > 1 || b.count > 1
    for pair in SequenceAlignment.pairs(numbersA, kinds: kinds.0, numbersB, kinds: kinds.1) {
      let place = ParameterDifference.Place(
        id: id, name: pair.a.flatMap { a[$0].name } ?? pair.b.flatMap { b[$0].name },
        index: isRepeated ? pair.a ?? pair.b : nil)
      compare(pair.a.map { a[$0].value }, pair.b.map { b[$0].value }, scope, path + [place])
    }
  }

  private mutating func compare(
    _ a: ParameterNode.Value?, _ b: ParameterNode.Value?, _ scope: VolatileScope, _ path: [ParameterDifference.Place]
  ) {
    if case .group(let inA) = a, case .group(let inB) = b, scope.whole == nil {
      return compare(inA, inB, scope, path)
    }
    if let a, let b, CanonicalMessage.value(a, scope) == CanonicalMessage.value(b, scope) {
      if let rule = scope.whole?.rule, CanonicalMessage.value(a, .none) != CanonicalMessage.value(b, .none) {
        volatile[rule, default: 0] += 1
      }
      return
    }
    differences.append(ParameterDifference(path: path, a: a, b: b, isSet: scope.whole?.treatment == .unordered))
  }

  private static func areEqual(_ a: [ParameterNode], _ b: [ParameterNode]) -> Bool {
    a.map { CanonicalMessage.value($0.value, .none) } == b.map { CanonicalMessage.value($0.value, .none) }
  }
}

/// The values of one message that stand for something else.
struct MessageIdentities {
  struct Identity {
    var space: IdentitySpace
    var binds: Bool
    var value: ParameterNode.Value
  }

  private(set) var identities: [Identity] = []

  init(_ message: [UInt8], _ rules: ComparisonRules) {
    let id = ControlHeader.id(of: message)
    let scope = VolatileScope(
      rules.parameters(of: id).filter { if case .identity = $0.treatment { true } else { false } })
    guard !scope.isEmpty else { return }
    add(ParameterNode.nodes(of: message.rawBytes, rows: MessageCatalog[id]?.rows ?? []).nodes, scope)
  }

  private mutating func add(_ nodes: [ParameterNode], _ scope: VolatileScope) {
    for node in CanonicalMessage.inOrder(nodes) {
      let inner = scope.inside(node.id)
      if case .identity(let space, let binds) = inner.whole?.treatment {
        identities.append(Identity(space: space, binds: binds, value: node.value))
      } else if !inner.isEmpty, case .group(let inside) = node.value {
        add(inside, inner)
      }
    }
  }
}

/// Which value of one session stands for what a value of the other does.
struct IdentityBook {
  private struct Key: Hashable {
    var space: IdentitySpace
    var value: [UInt8]
  }

  private var toB: [Key: [UInt8]] = [:]
  private var toA: [Key: [UInt8]] = [:]

  enum Verdict { case known, new, contradiction }

  /// Whether two values can stand for the same. What contradicts changes nothing, so that one wrong value is one
  /// difference.
  mutating func check(_ a: MessageIdentities.Identity, _ b: MessageIdentities.Identity) -> Verdict {
    let (inA, inB) = (CanonicalMessage.value(a.value, .none), CanonicalMessage.value(b.value, .none))
    let (keyA, keyB) = (Key(space: a.space, value: inA), Key(space: b.space, value: inB))
    let (knownB, knownA) = (toB[keyA], toA[keyB])
    if knownB == inB, knownA == inA { return .known }
    guard a.binds || knownA == nil && knownB == nil else { return .contradiction }
    if let knownB { toA[Key(space: a.space, value: knownB)] = nil }
    if let knownA { toB[Key(space: a.space, value: knownA)] = nil }
    toB[keyA] = inB
    toA[keyB] = inA
    return .new
  }
}
