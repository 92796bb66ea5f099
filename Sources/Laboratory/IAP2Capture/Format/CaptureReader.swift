// swift-iap2 · Apache-2.0

public import IAP2

/// Reads a capture of any format, which its first bytes tell, from pieces of any size.
///
///     reader.append(bytes)
///     while let item = reader.next() { … reader.bytes(of: frame) … }
///     reader.finish(); the same again
///
/// Frames are lent: their bytes are there until the next `append`. Memory stays below two of the largest records.
public struct CaptureReader: Sendable {
  public enum Format: Sendable, Hashable {
    case pcap, pcapng, btsnoop, packetLogger, text
    /// Nothing of these: not read any further.
    case unknown
    /// Link bytes of one side and nothing else.
    case raw(Side)
  }

  public enum Item: Sendable {
    case frame(CaptureFrame)
    /// Counts as no record.
    case block(CaptureBlock)
    case damage(CaptureDamage)
  }

  private enum Parser: Sendable {
    case pcap(Pcap)
    case pcapng(Pcapng)
    case btsnoop(BTSnoop)
    case packetLogger(PacketLogger)
    // Its state is the largest, and it is never the fast path: kept apart, a reader stays small enough to lend its bytes.
    indirect case text(TextCapture)
    case raw(Side)
    case unknown

    mutating func next(_ bytes: RawSpan, at offset: inout Int, isFinished: Bool) -> FormatStep {
      switch self {
      case .pcap(var parser):
        defer { self = .pcap(parser) }
        return parser.next(bytes, at: &offset)
      case .pcapng(var parser):
        defer { self = .pcapng(parser) }
        return parser.next(bytes, at: &offset)
      case .btsnoop(var parser):
        defer { self = .btsnoop(parser) }
        return parser.next(bytes, at: &offset)
      case .packetLogger(let parser): return parser.next(bytes, at: &offset)
      case .text(var parser):
        defer { self = .text(parser) }
        return parser.next(bytes, at: &offset, isFinished: isFinished)
      case .unknown: return .damage(.unknownFormat, isFatal: true)
      case .raw(let side):
        let range = offset..<bytes.byteCount
        offset = bytes.byteCount
        return .frame(
          CaptureFrame(
            number: 0, nanoseconds: nil, encapsulation: .bytes(.side(side)), range: range,
            originalByteCount: range.count, offset: 0))
      }
    }
  }

  /// Nil until enough bytes have come.
  public private(set) var format: Format?
  private var parser: Parser?
  private var buffer: [UInt8] = []
  private var offset = 0
  /// Bytes of the file before the buffer.
  private var base = 0
  private var number = 0
  private var isFinished = false
  private var isOver = false
  /// No step is possible with fewer bytes than these from the offset on.
  private var needed = 1

  private let log: TextLog?

  /// Lines looked at before the style of a text is settled.
  private static let textSampleByteCount = 4096

  /// - Parameter format: where it is known; else the content tells.
  public init(format: Format? = nil) { self.init(format: format, log: nil) }

  /// - Parameter log: what is known of a text.
  package init(format: Format?, log: TextLog?) {
    self.log = log
    if case .raw(let side)? = format {
      self.format = format
      parser = .raw(side)
    }
  }

  /// Takes the next bytes of the file.
  public mutating func append(_ bytes: [UInt8]) {
    guard !isOver else { return }
    base += offset
    buffer.removeFirst(offset)
    offset = 0
    buffer += bytes
  }

  /// No more bytes come.
  public mutating func finish() { isFinished = true }

  /// The bytes of the last frame.
  @_lifetime(borrow self)
  public func bytes(of frame: CaptureFrame) -> RawSpan {
    if case .text(let text) = parser {
      return unsafe _overrideLifetime(text.decoded.rawBytes.extracting(frame.range), borrowing: self)
    }
    return buffer.rawBytes.extracting(frame.range)
  }

  /// Lines of a text that hold no bytes, comments and empty ones apart.
  package var otherLines: Int { if case .text(let text) = parser { text.otherLines } else { 0 } }

  /// The body of the last block.
  @_lifetime(borrow self)
  public func bytes(of block: CaptureBlock) -> RawSpan { buffer.rawBytes.extracting(block.range) }

  /// What somebody wrote of the last frame.
  package func comment(of frame: CaptureFrame) -> String? {
    frame.comment.map { String(decoding: buffer[$0], as: UTF8.self) }
  }

  /// The next record or what is wrong with it; nil when more bytes are wanted, or none will come.
  public mutating func next() -> Item? {
    while !isOver {
      if parser == nil, !detect() { return nil }
      let start = offset
      guard buffer.count - offset >= (isFinished ? 1 : needed) || isFinished && hasPendingText else { return nil }
      switch step() {
      case .frame(var frame):
        needed = 1
        number += 1
        frame.number = number
        frame.offset = base + start
        return .frame(frame)
      case .passed: needed = 1
      case .block(let block):
        needed = 1
        return .block(block)
      case .more(let count):
        guard isFinished else {
          needed = count
          return nil
        }
        isOver = true
        return damage(.cutOff, at: start, isFatal: true)
      case .damage(let problem, let isFatal):
        needed = 1
        isOver = isFatal
        return damage(problem, at: start, isFatal: isFatal)
      }
    }
    return nil
  }

  private mutating func damage(_ problem: CaptureProblem, at start: Int, isFatal: Bool) -> Item {
    if case .dropped = problem {
      return .damage(CaptureDamage(problem: problem, number: number + 1, offset: base + start, isFatal: false))
    }
    number += 1
    return .damage(CaptureDamage(problem: problem, number: number, offset: base + start, isFatal: isFatal))
  }

  private mutating func step() -> FormatStep {
    // Out and back: the bytes are lent by `self`, which must not be changed meanwhile.
    var working: Parser?
    swap(&working, &parser)
    var position = offset
    let step = working?.next(buffer.rawBytes, at: &position, isFinished: isFinished) ?? .more(1)
    swap(&working, &parser)
    offset = position
    return step
  }

  /// A record of text ends where the next one begins, or with the file.
  private var hasPendingText: Bool { if case .text(let text) = parser { text.hasPending } else { false } }

  /// False while the first bytes are too few to tell. What is told does not depend on the pieces they come in.
  private mutating func detect() -> Bool {
    let sample = Self.textSample(buffer, log)
    // No text has a NUL, but in two bytes a character.
    let isText = !sample.bytes.contains(0)
    guard isFinished || sample.isTelling && isText || buffer.count >= Self.magicByteCount else { return false }
    if let (format, parser) = Self.binary(buffer) {
      self.format = format
      self.parser = parser
      return true
    }
    guard isText else {
      format = .unknown
      parser = .unknown
      return true
    }
    guard isFinished || sample.isTelling || buffer.count >= Self.textSampleByteCount else { return false }
    format = .text
    parser = .text(TextCapture(isOwn: TextCapture.isOwn(Array(sample.bytes).rawBytes), log))
    return true
  }

  /// The beginning of a text as far as its style is told from it: a line of the own form, or any line of a log that the
  /// user knows, needs none behind it.
  private static func textSample(_ buffer: [UInt8], _ log: TextLog?) -> (bytes: ArraySlice<UInt8>, isTelling: Bool) {
    let sample = buffer.prefix(textSampleByteCount)
    var start = 0
    while let end = sample[start...].firstIndex(of: 0x0A) {
      if log != nil || TextCapture.isOwn(buffer.rawBytes.extracting(start..<end)) { return (sample[..<end], true) }
      start = end + 1
    }
    return (sample, false)
  }

  /// As many first bytes as any magic number needs.
  private static let magicByteCount = 24

  private static func binary(_ buffer: [UInt8]) -> (Format, Parser)? {
    let bytes = buffer.rawBytes
    if Pcap.magic(bytes) != nil { return (.pcap, .pcap(Pcap())) }
    if bytes.byteCount >= 4 {
      let first: UInt32 = bytes.integer(0, isLittleEndian: true)
      if first == Pcapng.sectionHeader { return (.pcapng, .pcapng(Pcapng())) }
    }
    if buffer.starts(with: BTSnoop.magic) { return (.btsnoop, .btsnoop(BTSnoop())) }
    return PacketLogger.isLittleEndian(bytes).map { isLittleEndian in
      (.packetLogger, .packetLogger(PacketLogger(isLittleEndian: isLittleEndian)))
    }
  }
}
