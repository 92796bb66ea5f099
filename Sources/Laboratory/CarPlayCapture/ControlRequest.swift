// swift-iap2 · Apache-2.0

/// The first bytes of a control connection.
enum ControlRequest {
  private static let paths = [
    "/pair-setup", "/pair-verify", "/pair-pin-start", "/auth-setup", "/info", "/command", "/feedback",
  ]

  /// Returns whether bytes are a part of the first line of a request, so that more of them decide.
  static func isIncomplete(_ bytes: [UInt8]) -> Bool {
    guard bytes.count < maximumLineByteCount, !bytes.contains(0x0D), !bytes.contains(0x0A) else { return false }
    let method = bytes.prefix { $0 != 0x20 }
    return !method.isEmpty && method.count <= 32 && method.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F }
      && bytes.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// The bytes of a first line that are looked at. Paths of sessions are shorter.
  private static let maximumLineByteCount = 512

  /// Returns whether bytes begin an answer, as those of a capture that begins late. Answers with the word HTTP/1.1 may
  /// belong to any web server.
  static func beginsAnswer(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "RTSP/1.0 ".utf8) }

  /// Returns whether bytes begin a request with which a head unit asks a phone to connect, or another of that interface.
  static func beginsCall(_ bytes: [UInt8]) -> Bool {
    let line = bytes.prefix(maximumLineByteCount).prefix { $0 != 0x0D && $0 != 0x0A }
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    return words.count == 3 && words[1].starts(with: "/ctrl-int/".utf8) && words[2].starts(with: "HTTP/1.".utf8)
  }

  /// Returns whether bytes of a session begin a request or an answer.
  static func beginsMessage(_ bytes: [UInt8]) -> Bool {
    if beginsAnswer(bytes) || bytes.starts(with: "HTTP/1.1 ".utf8) { return true }
    let line = bytes.prefix(maximumLineByteCount).prefix { $0 != 0x0D && $0 != 0x0A }
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    return words.count == 3 && !words[0].isEmpty
      && words[0].allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F }
      && (words[2].elementsEqual("RTSP/1.0".utf8) || words[2].elementsEqual("HTTP/1.1".utf8))
  }

  /// Returns whether bytes begin a request of a session. Requests with the word HTTP/1.1 must have one of its paths.
  static func begins(_ bytes: [UInt8]) -> Bool {
    // Behind the first line any bytes may follow.
    guard
      let line = String(
        validating: bytes.prefix(maximumLineByteCount).prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self)
    else {
      return false
    }
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy({ $0.isUppercase || $0 == "_" }) else {
      return false
    }
    return words[2] == "RTSP/1.0" || words[2] == "HTTP/1.1" && paths.contains { words[1].hasPrefix($0) }
  }
}
