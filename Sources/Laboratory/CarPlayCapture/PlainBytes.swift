// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2Capture

/// The bytes of one direction of a connection in the clear, for a copy of the capture.
struct PlainBytes: Sendable {
  /// Bytes of the copy.
  struct Piece: Sendable {
    var bytes: [UInt8]
    /// The mark of bytes that are as they were captured; nil for bytes in the clear.
    var mark: DecryptedMark?
    /// Whether the capture lacks bytes before these.
    var followsGap = false
    /// Whether the bytes were opened with a key.
    var isOpened = false
  }

  /// The pieces that the copy does not have yet.
  private var pieces: [Piece] = []
  /// Whether the next piece of bytes follows a gap, and the words of a loss before it.
  private var isBehindGap = false
  private var behindLoss: String?
  /// Text that is no complete message.
  private var text: [UInt8] = []
  /// Captured bytes that are no complete frame, packet or picture.
  private var captured: [UInt8] = []

  /// Removes and returns the pieces that are ready.
  mutating func take() -> [Piece] {
    defer { pieces = [] }
    return pieces
  }

  /// Makes all bytes ready, at the end of the connection and before bytes that cannot be read.
  mutating func flush() {
    append(text, isOpened: false)
    append(captured, .incomplete)
    (text, captured) = ([], [])
  }

  /// Adds bytes as they were captured.
  mutating func append(_ bytes: [UInt8], _ mark: DecryptedMark?, followsGap: Bool = false) {
    guard !bytes.isEmpty else { return }
    pieces.append(Piece(bytes: bytes, mark: mark, followsGap: followsGap || isBehindGap))
    isBehindGap = false
  }

  /// Notes that the capture lacks bytes before the next ones.
  mutating func followsGap() { isBehindGap = true }

  /// Notes that the next bytes in the clear follow a loss.
  mutating func resume(_ text: String) { behindLoss = text }

  /// Adds bytes in the clear.
  mutating func append(_ bytes: [UInt8], isOpened: Bool) {
    guard !bytes.isEmpty else { return }
    let mark = behindLoss.map { DecryptedMark.behindLoss($0) }
    pieces.append(Piece(bytes: bytes, mark: mark, followsGap: isBehindGap, isOpened: isOpened))
    (isBehindGap, behindLoss) = (false, nil)
  }

  /// Keeps captured bytes until ``opened(_:unread:)`` states what they have become.
  mutating func capture(_ bytes: [UInt8]) { captured += bytes }

  /// Adds the text of captured bytes, of which some are not opened.
  mutating func opened(_ text: [UInt8], unread: Int) {
    self.text += text
    captured.removeFirst(captured.count - min(unread, captured.count))
  }

  /// Removes and returns the first captured bytes.
  mutating func takeCaptured(_ count: Int) -> [UInt8] {
    defer { captured.removeFirst(min(count, captured.count)) }
    return Array(captured.prefix(count))
  }

  /// Makes a message of a screen ready. The length in its header is that of the body behind it.
  mutating func append(_ message: ScreenMessage, _ header: [UInt8], isOpened: Bool) {
    let captured = takeCaptured(header.count + Int(UInt32(littleEndianBytes: header.prefix(4))))
    guard message.kind == .frame else { return append(captured, isOpened: false) }
    guard isOpened else { return append(captured, .sealed) }
    append(UInt32(message.body.count).littleEndianBytes + header.dropFirst(4) + message.body, isOpened: true)
  }

  /// Makes a packet of buffered sound ready. Its length counts itself and the packet.
  mutating func append(_ packet: AudioPacket) {
    let length = captured.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    let header = takeCaptured(length).dropFirst(2).prefix(AudioPacket.headerByteCount)
    append(UInt16(2 + header.count + packet.payload.count).bigEndianBytes + header + packet.payload, isOpened: true)
  }

  /// Makes the captured bytes ready as they are.
  mutating func fail(_ mark: DecryptedMark) { fail(mark, count: captured.count) }

  /// Makes the first captured bytes ready as they are.
  mutating func fail(_ mark: DecryptedMark, count: Int) { append(takeCaptured(count), mark) }

  /// Makes the first captured bytes ready as they are: a part of a message that does not begin in the capture.
  mutating func skipCaptured(_ count: Int) { fail(.incomplete, count: count) }

  /// Sets the captured bytes, of which a search may have had some before.
  mutating func replaceCaptured(_ bytes: [UInt8]) { captured = bytes }

  /// Adds text that is in the clear in the capture, too.
  mutating func add(text: [UInt8]) { self.text += text }

  /// Makes the text ready, but for its last bytes.
  mutating func release(allBut rest: Int, isOpened: Bool) {
    let count = text.count - min(rest, text.count)
    append(Array(text.prefix(count)), isOpened: isOpened)
    text.removeFirst(count)
  }

  /// Makes the text ready, but for its last bytes, which are frames.
  mutating func encrypt(rest: Int) {
    release(allBut: rest, isOpened: false)
    text = []
  }

  /// Marks the last bytes: what comes behind them is encrypted with an unknown key.
  mutating func markLast() { if let last = pieces.indices.last { pieces[last].mark = .lastClear } }
}
