// swift-iap2 · Apache-2.0

/// A version of iOS that a car profile emulates, such as 17.4.
public struct IOSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The major number.
  public var major: Int
  /// The minor number.
  public var minor: Int

  /// Creates a version.
  public init(_ major: Int, _ minor: Int = 0) {
    self.major = major
    self.minor = minor
  }

  /// Creates a version from text such as `17` or `17.4`; nil for other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int($0) }
    guard (1...2).contains(parts.count), numbers.count == parts.count, numbers.allSatisfy({ (0...999).contains($0) })
    else { return nil }
    self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0)
  }

  /// The version as text, such as `17.4` or `12`.
  public var description: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }

  /// Returns whether the left version is older.
  public static func < (left: Self, right: Self) -> Bool { (left.major, left.minor) < (right.major, right.minor) }
}

extension IOSVersion: Codable {
  /// Reads a version from text such as `17.4`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let version = Self(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a version such as 17.4")
    }
    self = version
  }

  /// Writes the version as text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
