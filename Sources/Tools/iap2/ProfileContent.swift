// swift-iap2 · Apache-2.0

import Foundation
import IAP2Capture

/// Detection of profiles by their top-level keys.
enum ProfileContent {
  /// Keys of profiles that no message has. Both have `name`.
  private static let keys = [
    "role", "summary", "evidence", "link", "timing", "quirks", "features", "protocols", "identification", "order",
    "state",
  ]
  /// Keys of messages that no profile has.
  private static let messageKeys = ["id", "layer", "parameters", "record", "time", "from"]

  /// The size limit of profiles in bytes.
  private static let maximumByteCount = 1 << 20

  /// Returns whether the contents of a file are a profile, also a truncated or invalid one.
  static func isProfile(_ data: Data) -> Bool {
    guard data.count <= maximumByteCount, let text = String(data: data, encoding: .utf8) else { return false }
    guard data.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return isBlock(text) }
    // Also accept a truncated or invalid profile, so that the profile reader reports the place.
    let first = data.drop { $0 <= 0x20 }.prefix { $0 != 0x0A }
    if let fields = object(data) ?? object(first) {
      return fields.keys.contains(where: keys.contains) && !fields.keys.contains(where: messageKeys.contains)
    }
    return text.split { "{,\n".contains($0) }.contains { key($0).map(keys.contains) ?? false }
  }

  private static func object(_ data: Data) -> [String: JSONValue]? {
    do {
      guard case .object(let fields) = try JSONDecoder().decode(JSONValue.self, from: data) else { return nil }
      return fields
    } catch { return nil }
  }

  /// Returns whether every line that is not indented begins with a key, and one of the keys is a profile's.
  private static func isBlock(_ text: String) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline).filter { line in
      !"#%-.]}".contains(line[line.startIndex]) && !line[line.startIndex].isWhitespace
    }
    let found = lines.map(key)
    return !found.contains(nil) && found.contains { $0.map(keys.contains) ?? false }
  }

  /// Returns the key before a colon, without quotes; nil without a key.
  private static func key(_ text: Substring) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let rest = text[colon...].dropFirst()
    let key = text[..<colon].trimmingCharacters(in: [" ", "\t", "\"", "'", "\u{FEFF}"])
    return key.isEmpty || key.contains(" ") || rest.first.map { !$0.isWhitespace && !"\"'[{".contains($0) } ?? false
      ? nil : key
  }
}
