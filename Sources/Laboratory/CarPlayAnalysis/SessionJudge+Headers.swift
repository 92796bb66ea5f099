// swift-iap2 · Apache-2.0

import CarPlaySession

// Headers of both sides.
extension SessionJudge {
  private static let bytes = "application/octet-stream"
  private static let list = "application/x-apple-binary-plist"

  /// Returns the types that fit the body of a request or its answer; nil if the form of the body is not known.
  private static func types(_ method: String, _ path: String) -> [String]? {
    switch (method, path) {
    case ("POST", "/pair-setup"), ("POST", "/pair-verify"): ["application/pairing+tlv8", bytes]
    case ("POST", "/auth-setup"): [bytes]
    case ("SETUP", _), ("TEARDOWN", _), (_, "/info"), ("POST", "/command"), ("POST", "/feedback"): [list]
    default: nil
    }
  }

  /// Judges the type of a body. A message without a body needs none.
  mutating func takeContentType(
    of message: RequestMessage, _ name: String, _ method: String, _ path: String, from side: SessionSide
  ) {
    guard !message.body.isEmpty, let types = Self.types(method, path) else { return }
    let given = message.headers["Content-Type"]
    // Parameters follow a semicolon, and case has no meaning.
    let type = given?.prefix { $0 != ";" && $0 != " " }.lowercased()
    guard let type, types.contains(type) else {
      return add(
        .contentType, by: side,
        ValueProblem(name, "Content-Type", given.map { .text($0) }, expected: types.joined(separator: " or ")))
    }
  }
}
