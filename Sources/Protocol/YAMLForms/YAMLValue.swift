// swift-iap2 · Apache-2.0

package import Basics
internal import Yams

/// A reader of the files that a YAML file names. The caller resolves the names.
public struct NamedFiles: Sendable {
  /// An error of reading a file.
  public struct Problem: Error, Sendable {
    /// The human-readable reason.
    public var text: String
    /// Creates an error with this reason.
    public init(_ text: String) { self.text = text }
  }

  let read: @Sendable (String) throws(Problem) -> [UInt8]

  /// Creates a reader from a function that returns the bytes of a file by its name in the YAML.
  public init(_ read: @escaping @Sendable (String) throws(Problem) -> [UInt8]) { self.read = read }

  /// A reader that rejects every file.
  public static let none = NamedFiles { (_) throws(Problem) in throw Problem("files cannot be named here") }
}

/// A value of a YAML file with its place for errors.
package struct YAMLValue {
  let node: Node
  package let file: String
  let key: String
  /// The reader of the files that this file names.
  package let files: NamedFiles

  /// The maximum size of a YAML file.
  package static let maximumByteCount = 1 << 20

  package init(_ text: String, file: String, files: NamedFiles = .none) throws(FileProblem) {
    guard text.utf8.count <= Self.maximumByteCount else {
      throw FileProblem(
        file: file, line: nil, key: "", text: "the file is larger than \(Self.maximumByteCount) bytes")
    }
    let root: Node?
    do { root = try compose(yaml: text) } catch { throw Self.problem(error, file, text) }
    guard let root else { throw FileProblem(file: file, line: nil, key: "", text: "the file is empty") }
    node = root
    self.file = file
    key = ""
    self.files = files
  }

  private init(node: Node, file: String, key: String, files: NamedFiles) {
    self.node = node
    self.file = file
    self.key = key
    self.files = files
  }

  /// Returns this value, or the content of the YAML file that `{file: …}` names.
  package func included() throws(FileProblem) -> YAMLValue {
    guard isMapping, try entries().map(\.name) == ["file"] else { return self }
    let path = try single().value
    return try YAMLValue(try path.textFile(), file: path.text(), files: files)
  }

  /// Returns the bytes of the file that this value names.
  package func contents() throws(FileProblem) -> [UInt8] {
    let path = try text()
    do { return try files.read(path) } catch { throw problem("\(path): \(error.text)") }
  }

  /// Returns the text of the file that this value names.
  package func textFile() throws(FileProblem) -> String {
    guard let text = String(validating: try contents(), as: UTF8.self) else {
      throw problem("the file \(try text()) is not UTF-8")
    }
    return text
  }

  /// Returns what a fault of YAML's syntax means, for the faults of people who write YAML by hand.
  private static func hint(_ problem: String, at mark: Mark, in text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = lines.indices.contains(mark.line - 1) ? String(lines[mark.line - 1]) : ""
    if line.prefix(while: \.isWhitespace).contains("\t") {
      return "the line is indented with a tab; YAML takes spaces only"
    }
    if problem.contains("cannot start any token") {
      let sign = line.dropFirst(max(0, mark.column - 1)).first.map { "\($0)" } ?? ""
      return sign == "\t"
        ? "a tab stands where a value begins; use spaces"
        : "a text cannot begin with \(sign) unless it stands in quotes"
    }
    if problem.contains("nesting level") { return "lists or mappings are nested too deep" }
    if problem.contains("mapping values are not allowed") {
      return "a colon and a space are not allowed inside a text; put the text in quotes"
    }
    return "\(problem); check the indentation, the brackets and the quotes of this line and of the line before"
  }

  private static func problem(_ error: any Error, _ file: String, _ text: String) -> FileProblem {
    guard let error = error as? YamlError else {
      return FileProblem(file: file, line: nil, key: "", text: "\(error)")
    }
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return FileProblem(file: file, line: mark.line, key: "", text: hint(problem, at: mark, in: text))
    case .duplicatedKeysInMapping(let keys, let context):
      let names = keys.map { "\($0)" }.joined(separator: ", ")
      return FileProblem(file: file, line: context.mark.line, key: "", text: "keys are repeated: \(names)")
    case .reader(let problem, let offset, _, let text):
      let line = offset.map { offset in text.utf8.prefix(offset).count { $0 == 0x0A } + 1 }
      return FileProblem(file: file, line: line, key: "", text: "the file is not YAML: \(problem)")
    default: return FileProblem(file: file, line: nil, key: "", text: "the file is not YAML")
    }
  }

  /// The line of the value from 1; nil if it is not known.
  package var line: Int? { node.mark?.line }

  package func problem(_ text: String) -> FileProblem {
    FileProblem(file: file, line: line, key: key, text: text)
  }

  /// Returns a problem of a value inside of this one.
  ///
  /// - Parameter path: The keys and indices to the value; those that do not exist are left out.
  package func problem(_ text: String, at path: String...) -> FileProblem {
    var place = self
    for name in path {
      let inner: Node? =
        switch place.node {
        case .mapping(let mapping): mapping[Node(name)]
        case .sequence(let sequence): Int(name).flatMap { sequence.indices.contains($0) ? sequence[$0] : nil }
        default: nil
        }
      guard let inner else { break }
      place = place.child(inner, name)
    }
    return place.problem(text)
  }

  private func child(_ node: Node, _ name: String) -> YAMLValue {
    YAMLValue(node: node, file: file, key: key.isEmpty ? name : "\(key).\(name)", files: files)
  }

  /// Returns the entries of a mapping by key. Throws at a key that is not in `known`.
  package func fields(_ known: [String]) throws(FileProblem) -> [String: YAMLValue] {
    var fields: [String: YAMLValue] = [:]
    guard isMapping else { throw problem("expected keys and values; the keys here are \(Self.list(known))") }
    for (name, value) in try entries() {
      guard known.contains(name) else {
        throw value.problem("unknown key\(NearWords.hint(name, known)); the keys here are \(Self.list(known))")
      }
      fields[name] = value
    }
    return fields
  }

  /// Returns the entries of a mapping in their order.
  package func entries() throws(FileProblem) -> [(name: String, value: YAMLValue)] {
    guard case .mapping(let mapping) = node else { throw problem("expected keys and values") }
    var all: [(name: String, value: YAMLValue)] = []
    for pair in mapping {
      guard let name = pair.key.string else { throw problem("expected text as a key") }
      all.append((name, child(pair.value, name)))
    }
    return all
  }

  private static func list(_ names: [String]) -> String { names.sorted().joined(separator: ", ") }

  /// Returns the only entry of a mapping, which must have one of the names.
  package func single(of names: [String], _ kind: String) throws(FileProblem) -> (name: String, value: YAMLValue) {
    let all = isMapping ? try entries() : []
    guard all.count == 1, let first = all.first else {
      throw problem("expected one \(kind); they are \(Self.list(names))")
    }
    guard names.contains(first.name) else {
      throw first.value.problem(
        "no \(kind) is called \"\(first.name)\"\(NearWords.hint(first.name, names)); they are \(Self.list(names))")
    }
    return first
  }

  package var isList: Bool { if case .sequence = node { true } else { false } }
  /// Whether the value is true or false, in one of YAML's words for them.
  package var isFlag: Bool { isScalar && node.bool != nil }
  package var isScalar: Bool { if case .scalar = node { true } else { false } }
  package var isMapping: Bool { if case .mapping = node { true } else { false } }

  /// Returns the only entry of a mapping. Throws if it has none or several.
  package func single() throws(FileProblem) -> (name: String, value: YAMLValue) {
    let all = try entries()
    guard all.count == 1, let first = all.first else { throw problem("expected one key, not \(all.count)") }
    return first
  }

  package func list() throws(FileProblem) -> [YAMLValue] {
    guard case .sequence(let sequence) = node else { throw problem("expected a list") }
    return sequence.enumerated().map { child($0.element, "\($0.offset)") }
  }

  /// The maximum length of a text. Names, titles and roads are shorter, and all texts of a message share 65 535 bytes.
  package static let maximumTextByteCount = 1024

  package func text(atMost limit: Int = maximumTextByteCount) throws(FileProblem) -> String {
    guard case .scalar(let scalar) = node else { throw problem("expected a text") }
    guard node.null == nil else { throw problem("expected a text; an empty one stands in quotes") }
    guard scalar.string.utf8.count <= limit else { throw problem("the text is longer than \(limit) bytes") }
    return scalar.string
  }

  /// Returns a plain decimal integer. YAML's octal and sexagesimal numbers are rejected, because most are mistakes.
  package func integer(_ range: ClosedRange<Int>) throws(FileProblem) -> Int {
    guard case .scalar(let scalar) = node, let number = Int(scalar.string), "\(number)" == scalar.string,
      range.contains(number)
    else {
      throw problem("expected a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Checks the value of a step without arguments, which must be true.
  package func confirm() throws(FileProblem) {
    guard case .scalar = node, node.bool == true else { throw problem("expected true") }
  }

  package func number(_ range: ClosedRange<Double>) throws(FileProblem) -> Double {
    guard case .scalar(let scalar) = node, scalar.string.allSatisfy({ "0123456789.-+eE".contains($0) }),
      let number = Double(scalar.string), range.contains(number)
    else {
      throw problem("expected a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  package func flag() throws(FileProblem) -> Bool {
    guard case .scalar = node, let flag = node.bool else { throw problem("expected true or false") }
    return flag
  }

  /// Returns the value of one of these names.
  package func choice<Value>(_ choices: [String: Value]) throws(FileProblem) -> Value {
    let name = try text()
    guard let value = choices[name] else {
      throw problem("\"\(name)\" is not one of \(choices.keys.sorted().joined(separator: ", "))")
    }
    return value
  }
}
