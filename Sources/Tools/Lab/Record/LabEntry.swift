// swift-iap2 · Apache-2.0

package import IAP2Capture

/// A row of the lab's record: a message between two parts, or what happened at one of them.
package struct LabEntry: Sendable {
  /// A part of the session, a column of the ladder.
  package enum Lane: String, Sendable, Codable, CaseIterable { case headUnit, phone, app, car }

  /// The kind of a row.
  package enum Kind: String, Sendable, Codable {
    case step, call, message, packet, event, screen, report, finding, output, fault, stream, end
  }

  /// The importance of the row.
  package enum Level: String, Sendable, Codable { case detail, info, notice, warning, error }

  /// The content of a row beside its text.
  package enum Detail: Sendable {
    /// A finding of the decoder of captures, with its bytes.
    case line(DecodedLine)
    /// Further lines.
    case lines([String])
  }

  /// The time of the session in seconds; nil for none.
  package var time: Double?
  /// The sender and the receiver. They are the same for a note on one part.
  package var from, to: Lane
  package var kind: Kind
  /// The message, the method or the event.
  package var name: String
  /// Its values in short.
  package var text: String
  package var level: Level
  package var detail: Detail?
  /// The stream that begins or ends here; nil for another row.
  package var stream: (name: String, isBegin: Bool)?
  /// A step of a scenario that expects the event of the row; nil for none.
  package var expectation: String?

  package init(
    _ kind: Kind, _ name: String, text: String = "", time: Double?, from: Lane, to: Lane? = nil, level: Level = .info,
    detail: Detail? = nil
  ) {
    (self.kind, self.time, self.from, self.to) = (kind, time, from, to ?? from)
    (self.name, self.text) = (Self.cut(name, Self.maximumName), Self.cut(text, Self.maximumText))
    (self.level, self.detail) = (level, detail)
  }

  /// The longest name and the longest text of a row in characters. The detail has the rest.
  private static let maximumName = 200, maximumText = 400

  private static func cut(_ text: String, _ count: Int) -> String {
    // Most texts are short, and counting characters costs more than counting bytes.
    text.utf8.count <= count ? text : String(text.prefix(count)) + "…"
  }

  /// About the memory of the row in bytes.
  var byteCount: Int {
    let kept: Int =
      switch detail {
      case .line(let line):
        (line.source?.bytes.count ?? 0) + (line.control?.count ?? 0)
      case .lines(let lines): lines.reduce(0) { $0 + $1.utf8.count }
      case nil: 0
      }
    return Self.rowByteCount + name.utf8.count + text.utf8.count + kept + (expectation?.utf8.count ?? 0)
  }

  /// About the memory of a row without texts.
  static let rowByteCount = 300
}

/// An entry with its number, as the page gets it.
package struct NumberedEntry: Encodable, Sendable {
  var number: Int
  var entry: LabEntry

  private enum Key: String, CodingKey { case n, t, from, to, kind, name, text, level, more, expectable, stream, state }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(number, forKey: .n)
    try values.encode(entry.time.map { ($0 * 1e6).rounded() / 1e6 }, forKey: .t)
    try values.encode(entry.from, forKey: .from)
    try values.encode(entry.to, forKey: .to)
    try values.encode(entry.kind, forKey: .kind)
    try values.encode(entry.name, forKey: .name)
    try values.encode(entry.text, forKey: .text)
    try values.encode(entry.level, forKey: .level)
    try values.encode(entry.detail != nil, forKey: .more)
    if entry.expectation != nil { try values.encode(true, forKey: .expectable) }
    if let stream = entry.stream {
      try values.encode(stream.name, forKey: .stream)
      try values.encode(stream.isBegin ? "begin" : "end", forKey: .state)
    }
  }
}

extension DecodedLine {
  /// The bytes of a control message or of an EA session's data; nil for another finding.
  fileprivate var control: [UInt8]? {
    switch content {
    case .control(_, _, _, let bytes): bytes
    case .externalAccessory(_, let data): data
    default: nil
    }
  }
}
