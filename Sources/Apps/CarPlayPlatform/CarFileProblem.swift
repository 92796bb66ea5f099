// swift-iap2 · Apache-2.0

/// A fault in a file that describes an app, a car or a scenario, with its place.
public struct CarFileProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the file.
  public var file: String
  /// The line from 1; nil for the whole file.
  public var line: Int?
  /// The key, with the keys around it joined by dots.
  public var key: String
  /// The fault, with the allowed values.
  public var text: String

  /// Creates a fault.
  public init(file: String, line: Int? = nil, key: String = "", text: String) {
    self.file = file
    self.line = line
    self.key = key
    self.text = text
  }

  /// The fault as one line: file, line, key and text.
  public var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return "\(place): " + (key.isEmpty ? text : "\(key): \(text)")
  }
}
