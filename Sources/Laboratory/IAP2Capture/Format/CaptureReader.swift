// swift-iap2 · Apache-2.0

public import IAP2

/// A reader of captures of any format. It detects the format from the first bytes and takes the file in pieces of any
/// size.
///
///     reader.append(bytes)
///     while let item = reader.next() { … reader.bytes(of: frame) … }
///     reader.finish()  // then the same loop again
///
/// The bytes of a frame are valid until the next `append`. Memory stays below two of the largest records.
public struct CaptureReader: Sendable {
  /// A format of capture files.
  public enum Format: Sendable, Hashable {
    /// A file format that is detected from the content.
    case pcap, pcapng, btsnoop, packetLogger, text
    /// None of these formats. Nothing is read.
    case unknown
    /// The link bytes of one side, without any file format.
    case raw(Side)
  }

  /// An item of a capture file.
  public enum Item: Sendable {
    /// A record.
    case frame(CaptureFrame)
    /// A block that does not count as a record.
    case block(CaptureBlock)
    /// A problem of the file.
    case damage(CaptureDamage)
  }

  private enum Parser: Sendable {
    case pcap(Pcap)
    case pcapng(Pcapng)
    case btsnoop(BTSnoop)
    case packetLogger(PacketLogger)
    // This state is the largest and never on the fast path. Stored indirectly, it keeps the reader small enough to lend
    // its bytes.
    indirect case text(TextCapture)
    case raw(Side)
    case unknown

    /// Returns the parser of a text, and leaves none. With a second owner of its buffers, each line would copy them.
    private mutating func takeText() -> TextCapture? {
      guard case .text(let text) = self else { return nil }
      self = .unknown
      return text
    }

    mutating func next(_ bytes: RawSpan, at offset: inout Int, isFinished: Bool) -> FormatStep {
      if var text = takeText() {
        defer { self = .text(text) }
        return text.next(bytes, at: &offset, isFinished: isFinished)
      }
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
      case .text, .unknown: return .damage(.unknownFormat, isFatal: true)
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

  /// The format; nil until enough bytes were received to detect it.
  public private(set) var format: Format?
  private var parser: Parser?
  private var buffer: [UInt8] = []
  private var offset = 0
  /// The offset of the buffer in the file.
  private var base = 0
  private var number = 0
  private var isFinished = false
  private var isOver = false
  /// The number of bytes from the offset on that the next step needs.
  private var needed = 1
  private var clock = CaptureClock()

  private let log: TextLog?
  /// The encoding of a text; nil until enough bytes were received to detect it.
  private var encoding: TextEncoding?
  private var converter: UTF16Converter?
  private var sample = TextSample()
  /// The number of bytes of the file so far.
  package private(set) var byteCount = 0
  /// The first bytes of the file.
  private var start: [UInt8] = []
  /// The kind of a file that has no format; nil for a capture file, and for no known kind.
  package var look: CaptureLook? { [nil, .unknown, .text].contains(format) ? CaptureLook(start) : nil }

  /// Creates a reader.
  ///
  /// - Parameter format: the format if it is known; nil to detect it. Only ``Format/raw(_:)`` is used; other formats
  ///   are detected all the same.
  public init(format: Format? = nil) { self.init(format: format, log: nil) }

  /// Creates a reader that knows the layout of a text log.
  ///
  /// - Parameter log: the layout that the user supplies.
  package init(format: Format?, log: TextLog?) {
    self.log = log
    if case .raw(let side)? = format {
      self.format = format
      parser = .raw(side)
    }
  }

  /// Takes the next bytes of the file.
  public mutating func append(_ bytes: [UInt8]) {
    byteCount += bytes.count
    if start.count < CaptureLook.byteCount { start += bytes.prefix(CaptureLook.byteCount - start.count) }
    guard !isOver else { return }
    base += offset
    buffer.removeFirst(offset)
    offset = 0
    buffer += converter?.take(bytes) ?? bytes
  }

  /// States that the file has no more bytes. Call ``next()`` again after it.
  public mutating func finish() {
    isFinished = true
    buffer += converter?.finish() ?? []
  }

  /// Returns the bytes of the last frame.
  @_lifetime(borrow self)
  public func bytes(of frame: CaptureFrame) -> RawSpan {
    if case .text(let text) = parser {
      return unsafe _overrideLifetime(text.decoded.rawBytes.extracting(frame.range), borrowing: self)
    }
    return buffer.rawBytes.extracting(frame.range)
  }

  /// The number of lines of a text that hold no bytes; empty lines and the lines of the project's own form do not
  /// count.
  package var otherLines: Int { if case .text(let text) = parser { text.otherLines } else { 0 } }

  /// The recognized form of a text; nil for other formats, and before the first line.
  package var textReading: TextReading? {
    guard case .text(let text) = parser else { return nil }
    var reading = text.reading
    if let encoding { reading.encoding = encoding }
    return reading
  }

  /// The number of records without a plausible time, and the first of them; nil if every time is plausible.
  package var implausibleTimes: (count: Int, firstRecord: Int)? { clock.implausible }

  /// Whether times count from the first record, because the file has no date.
  package var countsFromStart: Bool { if case .btsnoop(let log) = parser { log.countsInUpperWord } else { false } }

  /// Returns the body of the last block.
  @_lifetime(borrow self)
  public func bytes(of block: CaptureBlock) -> RawSpan { buffer.rawBytes.extracting(block.range) }

  /// Returns the comment of the last frame; nil if it has none.
  package func comment(of frame: CaptureFrame) -> String? {
    if case .text(let text) = parser { return frame.comment == nil ? nil : text.comment }
    return frame.comment.map { String(decoding: buffer[$0], as: UTF8.self) }
  }

  /// Returns the next item; nil when more bytes are needed, or when the file has ended.
  public mutating func next() -> Item? {
    while !isOver {
      if parser == nil, !detect() { return nil }
      let start = offset
      guard buffer.count - offset >= (isFinished ? 1 : needed) || hasPendingText else { return nil }
      switch step() {
      case .frame(var frame):
        needed = 1
        number += 1
        frame.number = number
        frame.offset = place(start)
        // A text has its own origin of times.
        if format != .text { frame.nanoseconds = frame.nanoseconds.flatMap { clock.time($0, record: number) } }
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
      return .damage(CaptureDamage(problem: problem, number: number + 1, offset: place(start), isFatal: false))
    }
    number += 1
    return .damage(CaptureDamage(problem: problem, number: number, offset: place(start), isFatal: isFatal))
  }

  private mutating func step() -> FormatStep {
    // The parser is swapped out of `self`, because the bytes must not be borrowed from it while it changes.
    var working: Parser?
    swap(&working, &parser)
    var position = offset
    let step = working?.next(buffer.rawBytes, at: &position, isFinished: isFinished) ?? .more(1)
    swap(&working, &parser)
    offset = position
    return step
  }

  /// A record of text ends at the next record or at the end of the file, and a line may end several.
  private var hasPendingText: Bool {
    if case .text(let text) = parser { text.hasWaiting || isFinished && text.hasPending } else { false }
  }

  /// Detects the format; returns false while there are too few bytes. The result does not depend on the size of the
  /// pieces.
  private mutating func detect() -> Bool {
    guard detectEncoding() else { return false }
    sample.read(buffer, log)
    guard isFinished || sample.isTelling || buffer.count >= Self.magicByteCount else { return false }
    if let (format, parser) = Self.binary(buffer) {
      self.format = format
      self.parser = parser
      return true
    }
    guard sample.isText else {
      format = .unknown
      parser = .unknown
      return true
    }
    guard isFinished || sample.isTelling || buffer.count >= TextSample.maximumByteCount else { return false }
    format = .text
    parser = .text(TextCapture(sample: buffer.rawBytes.extracting(0..<sample.byteCount), log))
    return true
  }

  /// Detects the encoding and converts what was received; returns false while there are too few bytes.
  private mutating func detectEncoding() -> Bool {
    guard encoding == nil else { return true }
    guard let found = TextEncoding.detect(buffer, isFinished: isFinished) else { return false }
    encoding = found
    buffer.removeFirst(found.markByteCount)
    base += found.markByteCount
    guard case .utf16(let isLittleEndian, _) = found else { return true }
    var converter = UTF16Converter(isLittleEndian: isLittleEndian)
    buffer = converter.take(buffer)
    if isFinished { buffer += converter.finish() }
    self.converter = converter
    return true
  }

  /// Returns the place in the file of an offset. In UTF-16 it is that of the same number of ASCII characters.
  private func place(_ offset: Int) -> Int {
    guard case .utf16(_, let hasMark)? = encoding else { return base + offset }
    let mark = hasMark ? 2 : 0
    return min(byteCount, mark + (base - mark + offset) * 2)
  }

  /// The number of bytes that suffice for every magic number.
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
