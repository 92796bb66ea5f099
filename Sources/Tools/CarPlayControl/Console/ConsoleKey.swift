// swift-iap2 · Apache-2.0

/// A key of a terminal.
enum ConsoleKey: Hashable {
  case character(Character)
  case enter, escape, backspace, up, down, left, right

  /// Returns the keys of bytes that a terminal sent, and removes these bytes. An incomplete character remains.
  static func take(from bytes: inout [UInt8]) -> [ConsoleKey] {
    var keys: [ConsoleKey] = []
    while let first = bytes.first {
      switch first {
      case 0x1B where bytes.starts(with: [0x1B, 0x5F, 0x47]):
        guard dropAnswer(&bytes) else { return keys }
      case 0x1B: keys += escape(&bytes)
      case 0x0A, 0x0D:
        bytes.removeFirst()
        keys.append(.enter)
      case 0x08, 0x7F:
        bytes.removeFirst()
        keys.append(.backspace)
      default:
        let count = length(first)
        guard bytes.count >= count else { return keys }
        if let text = String(validating: bytes[..<count], as: UTF8.self), let character = text.first, first >= 0x20 {
          keys.append(.character(character))
        }
        bytes.removeFirst(count)
      }
    }
    return keys
  }

  /// The number of bytes of a character in UTF-8.
  private static func length(_ first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  /// The longest incomplete answer of a terminal, in bytes.
  private static let maximumAnswerByteCount = 256

  /// Removes a late answer of a terminal with kitty's graphics: `ESC _ G`, text, `ESC \`. Returns false if the answer
  /// is incomplete.
  private static func dropAnswer(_ bytes: inout [UInt8]) -> Bool {
    let end = bytes.indices.dropFirst(4).first { bytes[$0 - 1] == 0x1B && bytes[$0] == 0x5C }
    guard end != nil || bytes.count > maximumAnswerByteCount else { return false }
    bytes.removeFirst((end ?? bytes.count - 1) + 1)
    return true
  }

  /// Returns the key of an escape sequence. An arrow key is escape, a bracket and a letter; terminals send it in one
  /// piece.
  private static func escape(_ bytes: inout [UInt8]) -> [ConsoleKey] {
    guard bytes.count >= 3, bytes[1] == 0x5B || bytes[1] == 0x4F else {
      bytes.removeFirst()
      return [.escape]
    }
    // Other keys have more parts, up to a final letter.
    let end = bytes[2...].firstIndex { (0x40...0x7E).contains($0) } ?? bytes.count - 1
    let final = bytes[end]
    let isPlain = end == 2
    bytes.removeFirst(end + 1)
    guard isPlain else { return [] }
    switch final {
    case 0x41: return [.up]
    case 0x42: return [.down]
    case 0x43: return [.right]
    case 0x44: return [.left]
    default: return []
    }
  }
}
