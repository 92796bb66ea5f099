// swift-iap2 · Apache-2.0

/// The headers of a message in their order. Names ignore case.
public struct RequestHeaders: Sendable, Hashable {
  /// A line of the headers.
  public struct Field: Sendable, Hashable {
    /// The name as it was sent.
    public var name: String
    /// The value without space around it.
    public var value: String
  }

  /// The lines.
  public var fields: [Field] = []

  /// Creates headers.
  public init(_ fields: [(String, String)] = []) { self.fields = fields.map { Field(name: $0.0, value: $0.1) } }

  /// The value of the first line with a name; nil without one.
  public subscript(name: String) -> String? {
    fields.first { Self.isSameName($0.name, name) }?.value
  }

  /// Returns whether two names differ only in the case of their letters, which are those of ASCII.
  package static func isSameName(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}

/// A message of the control or event channel, in the form of RTSP (CarPlaySession.md#request).
public struct RequestMessage: Sendable, Hashable {
  /// The first line.
  public enum Start: Sendable, Hashable {
    /// `METHOD path PROTOCOL`.
    case request(method: String, path: String, protocolWord: String)
    /// `PROTOCOL status reason`.
    case answer(status: Int, reason: String, protocolWord: String)
  }

  /// The first line.
  public var start: Start
  /// The headers without `Content-Length`, which follows from the body.
  public var headers: RequestHeaders
  /// The body.
  public var body: [UInt8]

  /// Creates a message.
  public init(_ start: Start, headers: RequestHeaders = RequestHeaders(), body: [UInt8] = []) {
    (self.start, self.headers, self.body) = (start, headers, body)
  }

  /// The sequence number, which an answer repeats; nil without one.
  public var sequence: String? { headers["CSeq"] }

  /// The path of a request without its query; nil for an answer.
  public var path: String? {
    guard case .request(_, let path, _) = start else { return nil }
    guard let end = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return path }
    return String(path[..<end])
  }

  /// Returns an answer to this request, with the same protocol word and sequence number.
  public func answer(_ status: Int, headers: [(String, String)] = [], body: [UInt8] = []) -> RequestMessage {
    var word = "RTSP/1.0"
    if case .request(_, _, let own) = start { word = own }
    return RequestMessage(
      .answer(status: status, reason: Self.reasons[status] ?? "", protocolWord: word),
      headers: RequestHeaders((sequence.map { [("CSeq", $0)] } ?? []) + headers), body: body)
  }

  private static let reasons = [
    200: "OK", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 413: "Request Entity Too Large",
    453: "Not Enough Bandwidth", 455: "Method Not Valid in This State", 500: "Internal Server Error",
    501: "Not Implemented",
  ]

  /// The bytes of the message.
  public var bytes: [UInt8] {
    let first =
      switch start {
      case .request(let method, let path, let word): "\(method) \(path) \(word)"
      case .answer(let status, let reason, let word): "\(word) \(status) \(reason)"
      }
    let lines = [first] + headers.fields.map { "\($0.name): \($0.value)" } + ["Content-Length: \(body.count)"]
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }
}
