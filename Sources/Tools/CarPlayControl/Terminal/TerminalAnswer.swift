// swift-iap2 · Apache-2.0

/// A query whether a terminal shows pictures, and the answer to it, from bytes that arrive in pieces.
///
/// A terminal with kitty's protocol answers the first part. Every terminal since the VT100 answers the second part with
/// its primary device attributes, where 4 means sixels (https://vt100.net/docs/vt510-rm/DA1.html). Terminals answer in
/// order, so the second answer ends the wait.
struct TerminalAnswer {
  /// The kitty query with one black pixel, and the request for the attributes.
  static let question = Array("\u{1B}_Gi=\(imageID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c".utf8)
  private static let imageID = 31
  /// The xterm query for the number of its color registers (XTSMGRAPHICS,
  /// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html), and the request for the attributes, whose answer ends
  /// the wait.
  static let colorQuestion = Array("\u{1B}[?1;1;0S\u{1B}[c".utf8)

  /// The bytes that are not part of an answer: keys that the user pressed meanwhile.
  private(set) var keys: [UInt8] = []
  /// Whether the terminal has sent its attributes.
  private(set) var isComplete = false
  /// The number of color registers, if the terminal has reported it.
  private(set) var colors: Int?
  private var hasKitty = false
  private var hasSixel = false
  /// An incomplete sequence.
  private var piece: [UInt8] = []

  /// The longest answer in bytes. Known answers have fewer than 100.
  private static let maximumByteCount = 1024

  /// The best kind of pictures that the terminal reported.
  var graphics: TerminalGraphics? { hasKitty ? .kitty : hasSixel ? .sixel : nil }

  /// Parses bytes from the terminal.
  mutating func take(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      piece.append(byte)
      switch Self.form(of: piece) {
      case .begins:
        // The rest of a long sequence is dropped up to its end.
        if piece.count > Self.maximumByteCount { piece = piece.prefix(3) + piece.suffix(1) }
      case .query(let text):
        hasKitty = hasKitty || text == "Gi=\(Self.imageID);OK"
        piece = []
      case .attributes(let numbers):
        isComplete = true
        // The first number is the terminal's level, where 4 has another meaning.
        hasSixel = numbers.dropFirst().contains(4)
        piece = []
      case .graphics(let numbers):
        // The item is the color registers, and the status is success.
        if numbers.count == 3, numbers[0] == 1, numbers[1] == 0, numbers[2] > 1 { colors = numbers[2] }
        piece = []
      case .key: endPiece(isKey: true)
      case .other: endPiece(isKey: false)
      }
    }
  }

  /// Ends a sequence. If the start of another sequence cut it off, that start remains.
  private mutating func endPiece(isKey: Bool) {
    let isCut = piece.last == 0x1B && piece.count > 1
    if isKey { keys += piece.dropLast(isCut ? 1 : 0) }
    piece = isCut ? [0x1B] : []
  }

  /// Ends the wait. An incomplete answer is dropped; other bytes are keys, such as Escape.
  mutating func finish() {
    if piece.count < 3 { keys += piece }
    piece = []
  }

  private enum Form {
    case begins, key
    /// An unsolicited report.
    case other
    case query(String)
    case attributes([Int])
    case graphics([Int])
  }

  /// Returns the form of a sequence: a string for programs (APC), the attributes, an incomplete sequence, or another
  /// one.
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
