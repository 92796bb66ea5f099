// swift-iap2 · Apache-2.0

/// The first bytes of a control connection.
enum ControlRequest {
  private static let paths = [
    "/pair-setup", "/pair-verify", "/pair-pin-start", "/auth-setup", "/info", "/command", "/feedback", "/ctrl-int/",
  ]

  /// Returns whether bytes begin a request of a session. Requests with the word HTTP/1.1 must have one of its paths.
  static func begins(_ bytes: [UInt8]) -> Bool {
    // Behind the first line any bytes may follow.
    guard let line = String(validating: bytes.prefix(512).prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self) else {
      return false
    }
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy({ $0.isUppercase || $0 == "_" }) else {
      return false
    }
    return words[2] == "RTSP/1.0" || words[2] == "HTTP/1.1" && paths.contains { words[1].hasPrefix($0) }
  }
}
