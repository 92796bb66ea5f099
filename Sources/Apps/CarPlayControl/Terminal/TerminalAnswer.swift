// swift-iap2 · Apache-2.0

/// The question to a terminal whether it shows pictures, and the answer, from bytes that arrive in pieces.
///
/// A terminal with kitty's protocol answers the first part, and every terminal since the VT100 the second: its primary
/// device attributes, where 4 stands for sixels (https://vt100.net/docs/vt510-rm/DA1.html). Terminals answer in order,
/// so the second answer is the end.
struct TerminalAnswer {
  /// The query of one black pixel, and the request for the attributes.
  static let question = Array("\u{1B}_Gi=\(imageID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c".utf8)
  private static let imageID = 31
  /// The question of xterm for the number of its color registers (XTSMGRAPHICS,
  /// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html), and the request for the attributes, which is the end.
  static let colorQuestion = Array("\u{1B}[?1;1;0S\u{1B}[c".utf8)

  /// The bytes that belong to no answer: keys that were pressed meanwhile.
  private(set) var keys: [UInt8] = []
  /// Whether the terminal has sent its attributes.
  private(set) var isComplete = false
  /// The number of color registers, if the terminal has reported it.
  private(set) var colors: Int?
  private var hasKitty = false
  private var hasSixel = false
  /// A sequence without its end.
  private var piece: [UInt8] = []

  /// The longest answer in bytes. Known ones have fewer than 100.
  private static let maximumByteCount = 1024

  /// The best kind of pictures that the terminal has said to show.
  var graphics: TerminalGraphics? { hasKitty ? .kitty : hasSixel ? .sixel : nil }

  /// Takes over bytes from the terminal.
  mutating func take(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      piece.append(byte)
      switch Self.form(of: piece) {
      case .begins:
        // The rest is dropped up to its end.
        if piece.count > Self.maximumByteCount { piece = piece.prefix(3) + piece.suffix(1) }
      case .query(let text):
        hasKitty = hasKitty || text == "Gi=\(Self.imageID);OK"
        piece = []
      case .attributes(let numbers):
        isComplete = true
        // The first number is the terminal's level, and 4 has another meaning there.
        hasSixel = numbers.dropFirst().contains(4)
        piece = []
      case .graphics(let numbers):
        // The subject is the registers, and the state is success.
        if numbers.count == 3, numbers[0] == 1, numbers[1] == 0, numbers[2] > 1 { colors = numbers[2] }
        piece = []
      case .key: endPiece(isKey: true)
      case .other: endPiece(isKey: false)
      }
    }
  }

  /// Ends a sequence. The begin of another one, which cuts it off, stays.
  private mutating func endPiece(isKey: Bool) {
    let isCut = piece.last == 0x1B && piece.count > 1
    if isKey { keys += piece.dropLast(isCut ? 1 : 0) }
    piece = isCut ? [0x1B] : []
  }

  /// Ends the wait: a piece of an answer is dropped, and anything else is a key, such as Escape.
  mutating func finish() {
    if piece.count < 3 { keys += piece }
    piece = []
  }

  private enum Form {
    case begins, key
    /// A report that was not asked for.
    case other
    case query(String)
    case attributes([Int])
    case graphics([Int])
  }

  /// Returns what a sequence is: a string for programs (APC), the attributes, the begin of one, or something else.
  private static func form(of bytes: [UInt8]) -> Form {
    guard bytes[0] == 0x1B else { return .key }
    guard bytes.count > 1 else { return .begins }
    switch bytes[1] {
    case 0x5F:
      guard bytes.count > 3, bytes.suffix(2) == [0x1B, 0x5C] else { return .begins }
      return .query(String(decoding: bytes[2...].dropLast(2), as: UTF8.self))
    case 0x5B:
      guard bytes.count > 2 else { return .begins }
      guard bytes[2] == 0x3F else { return .key }
      let text = bytes[3...]
      if text.allSatisfy({ (0x20...0x3F).contains($0) }) { return .begins }
      let numbers = text.dropLast().split(separator: 0x3B).map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
      switch text.last {
      case 0x63: return .attributes(numbers)
      case 0x53: return .graphics(numbers)
      default: return .other
      }
    default: return .key
    }
  }
}
