// swift-iap2 · Apache-2.0

import IAP2

extension DecodedText {
  /// Returns the lines of a body, each value behind its name and the parts of a value indented below it.
  package static func tree(_ tree: FindingTree, indent: Int) -> [String] {
    let space = String(repeating: " ", count: indent)
    return switch tree {
    case .value(let value): [space + word(value)]
    case .list(let parts):
      parts.enumerated().flatMap { index, part in entry("\(index)", part, indent: indent) }
    case .group(let entries): entries.flatMap { entry($0.name, $0.value, indent: indent) }
    }
  }

  private static func entry(_ name: String, _ tree: FindingTree, indent: Int) -> [String] {
    let head = String(repeating: " ", count: indent) + name.printable
    return switch tree {
    case .value(let value): ["\(head): \(word(value))"]
    // A short list without inner parts stays in its line.
    case .list(let parts) where parts.allSatisfy(\.isShort):
      ["\(head): [\(parts.compactMap(\.value).map(word).joined(separator: ", "))]"]
    case .group(let entries) where entries.isEmpty: ["\(head): {}"]
    case .list, .group: [head] + self.tree(tree, indent: indent + 2)
    }
  }

  private static func word(_ value: FindingValue) -> String {
    switch value {
    case .text(let text): text.quoted
    case .bytes(let bytes): bytes.isEmpty ? "no bytes" : short(bytes)
    case .integer, .seconds, .name, .flag, .real: value.text
    }
  }
}

extension FindingTree {
  /// The value, if the tree is one.
  fileprivate var value: FindingValue? { if case .value(let value) = self { value } else { nil } }

  fileprivate var isShort: Bool {
    switch value {
    case .text(let text)?: text.utf8.count < 40
    case .bytes?, nil: false
    default: true
    }
  }
}
