// swift-iap2 · Apache-2.0

/// A wrong value in a message of the other side: its place, the value, and the expected one.
public struct ValueProblem: Error, Sendable, Hashable {
  /// The message: a request such as `SETUP` or `/info`, or a stream such as `screen`.
  public var message: String
  /// The path of the key from the outermost dictionary, such as `streams[0].audioFormat`; nil for a message as a whole.
  public var key: String?
  /// The value in words; nil for a key that is missing.
  public var value: String?
  /// The expected value, in words.
  public var expected: String

  /// Creates a problem of a message as a whole.
  public init(_ message: String, is value: String, expected: String) {
    (self.message, self.value, self.expected) = (message, value, expected)
  }

  /// Creates a problem of a key.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - path: The path of the dictionary, such as `streams[0]`; nil for the outermost one.
  ///   - key: The name of the key.
  ///   - value: The value; nil for a missing key.
  ///   - expected: The expected value, in words.
  public init(_ message: String, in path: String? = nil, _ key: String, _ value: PropertyValue?, expected: String) {
    (self.message, self.expected) = (message, expected)
    self.key = (path.map { $0 + "." } ?? "") + key
    self.value = value?.summary
  }

  /// Creates the problem of a body that is not a property list, or not a dictionary.
  package init(_ message: String, body: [UInt8], _ problem: BodyProblem) {
    self.init(
      message, is: "the body is \(problem.summary(of: body))",
      expected: problem == .noDictionary ? "a dictionary" : "a binary property list (bplist00)")
  }
}

extension ValueProblem: CustomStringConvertible {
  /// A text such as `SETUP: streams[0].type is 96, expected 100 to 103, 110, 111 or 130`.
  public var description: String { "\(message): \(reason)" }

  /// The text without the message.
  package var reason: String {
    guard let key else { return "\(value ?? "nothing"), expected \(expected)" }
    return "\(key) is \(value ?? "missing"), expected \(expected)"
  }
}

extension PropertyValue {
  /// The value in a few words. Texts are cut.
  fileprivate var summary: String {
    switch self {
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "the text \"\(value.prefix(40))\(value.count > 40 ? "…" : "")\""
    case .data(let value): "data of \(value.count) bytes"
    case .array(let value): "a list of \(value.count)"
    case .dictionary(let value): "a dictionary of \(value.count)"
    }
  }
}

extension BodyProblem {
  fileprivate func summary(of body: [UInt8]) -> String {
    switch self {
    case .noDictionary: "not a dictionary"
    case .propertyList(.notBinary):
      if body.isEmpty { "empty" } else if body.starts(with: Array("<".utf8)) { "XML" } else { "no property list" }
    case .propertyList(.tooLong(let count)): "\(count) bytes long"
    case .propertyList(.badTable): "a property list whose table of offsets is wrong"
    case .propertyList(.badObject(let offset)): "a property list with a bad object at byte \(offset)"
    case .propertyList(.tooDeep): "nested deeper than \(PropertyListLimits.depth) containers"
    case .propertyList(.tooManyObjects): "a property list of too many objects"
    }
  }
}
