// swift-iap2 · Apache-2.0

import IAP2

extension DecodedText {
  /// Returns the lines of a body, each value behind its name and the parts of a value indented below it.
  package static func tree(_ tree: FindingTree, indent: Int) -> [String] {
    var lines: [String] = []
    add(tree, indent, to: &lines)
    return lines
  }

  private static func add(_ tree: FindingTree, _ indent: Int, to lines: inout [String]) {
    switch tree {
    case .value(let value): lines.append(String(repeating: " ", count: indent) + word(value))
    case .list(let parts):
      for (index, part) in parts.enumerated() { add("\(index)", part, indent, to: &lines) }
    case .group(let entries):
      for entry in entries { add(entry.name, entry.value, indent, to: &lines) }
    }
  }

  private static func add(_ name: String, _ tree: FindingTree, _ indent: Int, to lines: inout [String]) {
    var line = String(repeating: " ", count: indent)
    line += name.printable
    switch tree {
    case .value(let value): line += ": \(word(value))"
    // A short list without inner parts stays in its line.
    case .list(let parts) where parts.allSatisfy(\.isShort):
      line += ": [\(parts.compactMap(\.value).map(word).joined(separator: ", "))]"
    case .group(let entries) where entries.isEmpty: line += ": {}"
    case .list, .group:
      lines.append(line)
      return add(tree, indent + 2, to: &lines)
    }
    lines.append(line)
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
