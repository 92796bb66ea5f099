// swift-iap2 · Apache-2.0

/// A problem in a file that a user wrote, with its place.
public struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the file.
  public var file: String
  /// The line of the problem, from 1; nil when the problem concerns the whole file.
  public var line: Int?
  /// The path of keys and list indices to the value, joined by dots; empty at the top level.
  public var key: String
  /// The human-readable description, with the allowed values.
  public var text: String

  /// Creates a problem.
  public init(file: String, line: Int? = nil, key: String = "", text: String) {
    self.file = file
    self.line = line
    self.key = key
    self.text = text
  }

  /// The problem with its file, line and key in one line.
  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return "\(place): " + (key.isEmpty ? text : "\(key): \(text)")
  }
}
