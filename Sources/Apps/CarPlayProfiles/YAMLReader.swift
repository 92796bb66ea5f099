// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Yams

/// A value of a YAML file with its place for faults. The Laboratory has a reader of its own, whose layer builds sockets
/// and cryptography that an app's tests do not need.
struct YAMLReader {
  let node: Node
  let file: String
  let key: String

  init(_ text: String, file: String) throws(CarFileProblem) {
    guard text.utf8.count <= CarVerbForm.maximumProfileByteCount else {
      throw CarFileProblem(file: file, text: "the file is larger than \(CarVerbForm.maximumProfileByteCount) bytes")
    }
    let root: Node?
    do { root = try compose(yaml: text) } catch { throw Self.problem(error, file) }
    guard let root else { throw CarFileProblem(file: file, text: "the file is empty") }
    node = root
    self.file = file
    key = ""
  }

  private init(_ node: Node, file: String, key: String) {
    self.node = node
    self.file = file
    self.key = key
  }

  private static func problem(_ error: any Error, _ file: String) -> CarFileProblem {
    switch error as? YamlError {
    case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _), .composer(_, let text, let mark, _):
      CarFileProblem(
        file: file, line: mark.line,
        text: text.contains("nesting level")
          ? "lists or mappings are nested too deep"
          : "\(text); check the indentation, the brackets and the quotes of this line and of the line before")
    case .duplicatedKeysInMapping(let keys, let context):
      CarFileProblem(
        file: file, line: context.mark.line,
        text: "keys are repeated: \(keys.map { "\($0)" }.sorted().joined(separator: ", "))")
    default: CarFileProblem(file: file, text: "the file is not YAML")
    }
  }

  func problem(_ text: String) -> CarFileProblem {
    CarFileProblem(file: file, line: node.mark?.line, key: key, text: text)
  }

  /// Returns the values of a mapping by key. Throws at a key that is not known.
  func fields(_ known: [String]) throws(CarFileProblem) -> [String: YAMLReader] {
    guard case .mapping(let mapping) = node else {
      throw problem("expected keys and values; the keys here are \(known.sorted().joined(separator: ", "))")
    }
    var fields: [String: YAMLReader] = [:]
    for pair in mapping {
      let name = pair.key.string ?? ""
      let value = YAMLReader(pair.value, file: file, key: key.isEmpty ? name : "\(key).\(name)")
      guard known.contains(name) else {
        throw CarFileProblem(
          file: file, line: pair.key.mark?.line, key: value.key,
          text: "unknown key; the keys here are \(known.sorted().joined(separator: ", "))")
      }
      fields[name] = value
    }
    return fields
  }

  /// The longest text of a profile; names are shorter.
  private static let maximumTextByteCount = 1024

  func text() throws(CarFileProblem) -> String {
    guard case .scalar(let scalar) = node else { throw problem("expected a text") }
    guard scalar.string.utf8.count <= Self.maximumTextByteCount else {
      throw problem("the text is longer than \(Self.maximumTextByteCount) bytes")
    }
    return scalar.string
  }

  func integer(_ range: ClosedRange<Int>) throws(CarFileProblem) -> Int {
    guard case .scalar(let scalar) = node, let number = Int(scalar.string), "\(number)" == scalar.string,
      range.contains(number)
    else { throw problem("expected a whole number from \(range.lowerBound) to \(range.upperBound)") }
    return number
  }

  func number(_ range: ClosedRange<Double>) throws(CarFileProblem) -> Double {
    guard case .scalar(let scalar) = node, scalar.string.allSatisfy({ "0123456789.".contains($0) }),
      let number = Double(scalar.string), range.contains(number)
    else { throw problem("expected a number from \(range.lowerBound) to \(range.upperBound)") }
    return number
  }

  func flag() throws(CarFileProblem) -> Bool {
    guard case .scalar = node, let flag = node.bool else { throw problem("expected true or false") }
    return flag
  }

  /// Returns the value with this raw name.
  func choice<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) throws(CarFileProblem) -> Value
  where Value.RawValue == String {
    let name = try text()
    guard let value = Value(rawValue: name) else {
      throw problem("\"\(name)\" is not one of \(Value.allCases.map(\.rawValue).sorted().joined(separator: ", "))")
    }
    return value
  }

  /// Returns the values of a list of raw names.
  func choices<Value: RawRepresentable & CaseIterable & Hashable>(_ type: Value.Type) throws(CarFileProblem)
    -> Set<Value> where Value.RawValue == String
  {
    var all: Set<Value> = []
    for entry in try list() { all.insert(try entry.choice(type)) }
    return all
  }

  func list() throws(CarFileProblem) -> [YAMLReader] {
    guard case .sequence(let sequence) = node else { throw problem("expected a list") }
    return sequence.enumerated().map { YAMLReader($0.element, file: file, key: "\(key).\($0.offset)") }
  }
}
