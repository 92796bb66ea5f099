// swift-iap2 · Apache-2.0

package import CarPlaySession

/// A value that differs between two messages of the same kind.
package struct MessageDifference: Sendable, Hashable {
  /// Whether the value is in the answer, not in the request.
  package let isInAnswer: Bool
  /// The path: `status`, `headers.server`, or that of the body, such as `streams[0].audioFormat`.
  package let path: String
  /// The values in words; nil for a missing one.
  package let a: String?
  package let b: String?

  /// Returns the differences of two requests, or of two answers to requests with one path.
  ///
  /// - Parameters:
  ///   - a: The message of the first session; nil if it has none.
  ///   - b: The message of the second session.
  ///   - path: The path of the request.
  package static func all(
    _ a: RequestMessage?, _ b: RequestMessage?, path: String, isInAnswer: Bool,
    ignoring ignored: Set<SessionValueRule> = []
  ) -> [MessageDifference] {
    let place = isInAnswer ? "answer" : "request"
    switch (a, b) {
    case (nil, nil): return []
    case (let a?, nil): return [MessageDifference(isInAnswer: isInAnswer, path: place, a: a.words, b: nil)]
    case (nil, let b?): return [MessageDifference(isInAnswer: isInAnswer, path: place, a: nil, b: b.words)]
    case (let a?, let b?):
      var found = Search(isInAnswer: isInAnswer)
      found.compare(
        PlainMessage(a, path: path, ignoring: ignored).value, PlainMessage(b, path: path, ignoring: ignored).value, "")
      return found.differences
    }
  }

  /// A walk through two trees.
  private struct Search {
    let isInAnswer: Bool
    var differences: [MessageDifference] = []

    mutating func compare(_ a: PlainMessage.Value?, _ b: PlainMessage.Value?, _ path: String) {
      switch (a, b) {
      case (.group(let a)?, .group(let b)?):
        let keys = path.isEmpty ? PlainMessage.parts : Set(a.keys).union(b.keys).sorted()
        for key in keys { compare(a[key], b[key], Self.path(path, key)) }
      case (.list(let a)?, .list(let b)?):
        for index in 0..<max(a.count, b.count) {
          compare(index < a.count ? a[index] : nil, index < b.count ? b[index] : nil, "\(path)[\(index)]")
        }
      default:
        guard a != b else { return }
        differences.append(MessageDifference(isInAnswer: isInAnswer, path: path, a: a?.words, b: b?.words))
      }
    }

    /// The names of a body's keys stand alone, as in the rules of sessions.
    private static func path(_ path: String, _ key: String) -> String {
      path.isEmpty || path == "body" ? key : "\(path).\(key)"
    }
  }
}

extension RequestMessage {
  /// The first line in words.
  fileprivate var words: String {
    switch start {
    case .request(let method, let path, _): "\(method) \(path)"
    case .answer(let status, _, _): "status \(status)"
    }
  }
}
