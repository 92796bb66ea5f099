// swift-iap2 · Apache-2.0

/// A reader of messages from bytes that arrive in pieces of any size.
public struct RequestReader: Sendable {
  /// The largest size of the first line and the headers together, in bytes. Ours (CarPlaySession.md#request-limits).
  public static let maximumHeaderByteCount = 16 << 10
  /// The largest size of a body in bytes. Ours (CarPlaySession.md#request-limits).
  public static let maximumBodyByteCount = PropertyListLimits.byteCount

  private var arrived = ReceiveBuffer()
  /// The number of bytes that were searched for the end of the headers.
  private var searched = 0
  /// A message whose body is not complete.
  private struct Head: Sendable {
    var message: RequestMessage
    var bodyCount: Int
    /// The size of the first line and the headers, in bytes.
    var byteCount: Int
  }
  private var head: Head?

  /// Creates a reader.
  public init() {}

  /// A reason why no more messages can be read. The answer has the status of the reason, then the connection closes.
  public enum Problem: Error, Sendable, Hashable {
    /// The first line does not have three words, or names an unknown protocol.
    case badStart
    /// A line contains an incomplete line end, a header has no colon, or the headers are longer than
    /// ``RequestReader/maximumHeaderByteCount``.
    case badHeaders
    /// `Content-Length` is not a number in decimal digits, or is repeated with another number.
    case badLength
    /// The body is longer than ``RequestReader/maximumBodyByteCount``; it is not read.
    case bodyTooLong

    /// The reason in words.
    package var reason: String {
      switch self {
      case .badStart: "the first line is neither that of a request nor that of an answer"
      case .badHeaders:
        "a header has no colon or a wrong line end, or the headers have over \(maximumHeaderByteCount) bytes"
      case .badLength: "Content-Length is no number, or two different ones"
      case .bodyTooLong: "a body has over \(maximumBodyByteCount) bytes"
      }
    }

    /// The status of the answer.
    public var status: Int { self == .bodyTooLong ? 413 : 400 }
  }

  /// Adds received bytes.
  public mutating func add(_ piece: some Sequence<UInt8>) { arrived.add(piece) }

  /// The number of received bytes that were not parsed.
  var unreadByteCount: Int { arrived.unread.count }

  /// The number of bytes of the message that is not complete.
  package var incompleteByteCount: Int { (head?.byteCount ?? 0) + arrived.unread.count }

  /// Whether a part of a message has arrived.
  package var isWithinMessage: Bool { head != nil || !arrived.unread.isEmpty }

  /// Removes and returns the received bytes that were not parsed.
  package mutating func takeRest() -> [UInt8] {
    let rest = Array(arrived.unread)
    self = RequestReader()
    return rest
  }

  /// Returns the next message; nil until more bytes arrive.
  ///
  /// - Throws: ``Problem``, after which the bytes have no meaning.
  public mutating func next() throws(Problem) -> RequestMessage? {
    if head == nil {
      guard let end = try endOfHead() else { return nil }
      head = try Self.head(arrived.unread.prefix(end))
      arrived.skip(end)
      searched = 0
    }
    guard let head, arrived.unread.count >= head.bodyCount else { return nil }
    var message = head.message
    message.body = Array(arrived.unread.prefix(head.bodyCount))
    arrived.skip(head.bodyCount)
    self.head = nil
    return message
  }

  /// Returns the offset behind the empty line; nil until the line arrives.
  private mutating func endOfHead() throws(Problem) -> Int? {
    let bytes = arrived.unread.prefix(Self.maximumHeaderByteCount)
    var rest = bytes.dropFirst(max(0, searched - 3))
    while let index = rest.firstIndex(of: 0x0D) {
      rest = rest[index...]
      if rest.starts(with: [0x0D, 0x0A, 0x0D, 0x0A]) { return index + 4 - bytes.startIndex }
      rest = rest.dropFirst()
    }
    guard bytes.count < Self.maximumHeaderByteCount else { throw .badHeaders }
    searched = bytes.count
    return nil
  }

  private static let protocols = ["RTSP/1.0", "HTTP/1.1", "HTTP/1.0"]

  /// Reads the first line and the headers. The lines are split as bytes, which takes a fraction of the time that a split
  /// of the text takes.
  private static func head(_ bytes: ArraySlice<UInt8>) throws(Problem) -> Head {
    let bytes = bytes.dropLast(4)
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .badHeaders }
    var lines = try lines(bytes)[...]
    let start = try start(lines.removeFirst())
    var headers = RequestHeaders()
    headers.fields.reserveCapacity(lines.count)
    var count: Int?
    for line in lines {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { throw .badHeaders }
      let name = String(decoding: line[..<colon], as: UTF8.self)
      let value = String(decoding: trimmed(line[(colon + 1)...]), as: UTF8.self)
      guard RequestHeaders.isSameName(name, "Content-Length") else {
        headers.fields.append(RequestHeaders.Field(name: name, value: value))
        continue
      }
      // A length beyond `Int` exceeds the limit too.
      guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .badLength }
      guard let length = Int(value), length <= maximumBodyByteCount else { throw .bodyTooLong }
      guard count ?? length == length else { throw .badLength }
      count = length
    }
    return Head(message: RequestMessage(start, headers: headers), bodyCount: count ?? 0, byteCount: bytes.count)
  }

  /// Returns the lines without their ends. An incomplete line end in `CSeq` would be copied into the answer, so it is
  /// refused in any line.
  private static func lines(_ bytes: ArraySlice<UInt8>) throws(Problem) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var (start, index) = (bytes.startIndex, bytes.startIndex)
    while index < bytes.endIndex {
      switch bytes[index] {
      case 0x0D where bytes[index...].dropFirst().first == 0x0A:
        lines.append(bytes[start..<index])
        index += 2
        start = index
      case 0x0D, 0x0A: throw .badHeaders
      default: index += 1
      }
    }
    lines.append(bytes[start...])
    return lines
  }

  private static func start(_ line: ArraySlice<UInt8>) throws(Problem) -> RequestMessage.Start {
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    if let word = words.first, protocols.contains(word) {
      guard words.count >= 2, words[1].utf8.count == 3, let status = Int(words[1]), (100...599).contains(status) else {
        throw .badStart
      }
      return .answer(status: status, reason: words.count == 3 ? words[2] : "", protocolWord: word)
    }
    guard words.count == 3, !words[0].isEmpty, !words[1].isEmpty, protocols.contains(words[2]) else { throw .badStart }
    return .request(method: words[0], path: words[1], protocolWord: words[2])
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    let text = text.drop(while: isSpace)
    return text.lastIndex { !isSpace($0) }.map { text[...$0] } ?? []
  }
}
