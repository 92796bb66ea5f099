// swift-iap2 · Apache-2.0

package import IAP2

/// A parameter in which two messages of the same id differ.
package struct ParameterDifference: Sendable, Equatable {
  /// A part of the path from the message to the parameter.
  package struct Place: Sendable, Equatable {
    /// The parameter id.
    package var id: UInt16
    /// The name; nil for an unknown parameter.
    package var name: String?
    /// The index among the parameters of the same id, from 0; nil if there is only one.
    package var index: Int?
  }

  /// The path from the outermost group to the parameter.
  package var path: [Place]
  /// The value in the first message; nil if the first message lacks the parameter.
  package var a: ParameterNode.Value?
  /// The value in the second message; nil if the second message lacks the parameter.
  package var b: ParameterNode.Value?
  /// Whether the values are lists whose order does not count.
  package var isSet = false
}

/// A comparison of the parameters of two messages of the same id.
package struct MessageComparison {
  /// The parameters with different values.
  package private(set) var differences: [ParameterDifference] = []
  /// The number of volatile parameters with different values, by rule.
  private(set) var volatile: [ComparisonRule: Int] = [:]

  /// Compares two messages.
  package init(_ a: [UInt8], _ b: [UInt8], _ rules: ComparisonRules) {
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

  /// Compares the parameters of one id. Equal ones are paired first, the others in their order.
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

/// The identifiers in one message.
package struct MessageIdentities {
  /// An identifier.
  package struct Identity {
    /// The kind of thing that is identified.
    package var space: IdentitySpace
    /// Whether the identifier may identify something new from here on.
    package var binds: Bool
    /// The identifier.
    package var value: ParameterNode.Value
  }

  /// The identifiers in the order of the parameters' ids.
  package private(set) var identities: [Identity] = []

  /// Reads the identifiers of a message.
  package init(_ message: [UInt8], _ rules: ComparisonRules) {
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

/// The pairs of identifiers that identify the same thing in two sessions.
package struct IdentityPairs {
  private struct Key: Hashable {
    var space: IdentitySpace
    var value: [UInt8]
  }

  private var toB: [Key: [UInt8]] = [:]
  private var toA: [Key: [UInt8]] = [:]

  /// Whether a pair of identifiers is in the book, was added to it, or contradicts it.
  package enum Verdict { case known, new, contradiction }

  /// Creates a book without pairs.
  package init() {}

  /// Returns whether two values can identify the same thing. A contradiction changes nothing, so that one wrong value
  /// is one difference.
  package mutating func check(_ a: MessageIdentities.Identity, _ b: MessageIdentities.Identity) -> Verdict {
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
