// swift-iap2 · Apache-2.0

import Basics
import CommandSupport
import IAP2Capture

/// How two sessions ended.
struct SessionEnds {
  /// The ends in words.
  let a, b: String
  /// The number of differences: 1 if the sessions stop at different places or for different reasons, or if more of one
  /// can be read than of the other.
  let differenceCount: Int
  /// Whether a part of both, from the same place on, cannot be read.
  let isPartial: Bool
  private let isComplete: (a: Bool, b: Bool)

  /// Creates the ends of two captured sessions; nil for a capture without one.
  init(_ a: SessionExplanation?, _ b: SessionExplanation?) {
    (self.a, self.b) = (Self.words(a), Self.words(b))
    differenceCount = a?.point == b?.point && a?.stage == b?.stage ? 0 : 1
    isPartial = differenceCount == 0 && [.sealed, .unread].contains(a?.point)
    isComplete = (a?.point == .complete, b?.point == .complete)
  }

  /// Creates the ends of a recording and of its replay.
  ///
  /// - Parameter stop: Why the replay stopped early; nil if it went to the end of the recording.
  init(_ recording: SessionExplanation?, stop: String?) {
    a = Self.words(recording)
    b = stop.map { "the replay stopped: \($0.printable)" } ?? "played to its end"
    differenceCount = stop == nil ? 0 : 1
    isPartial = false
    isComplete = (recording?.point == .complete, stop == nil)
  }

  /// The difference in words.
  var text: String { "the end: A \(a); B \(b)" }

  var lines: [String] {
    [("A", a, isComplete.a), ("B", b, isComplete.b)].map { name, words, isComplete in
      "  \(name): \(isComplete ? words : Color.red(words))"
    }
  }

  private static func words(_ explanation: SessionExplanation?) -> String {
    guard let explanation else { return "no session" }
    let rule = explanation.finding.map { " (\($0.id): \($0.detail))" } ?? ""
    return "\(explanation.point == .complete ? "complete" : "stopped, \(explanation.stage)"): "
      + "\(explanation.text)\(rule)".printable
  }
}
