// swift-iap2 · Apache-2.0

import Basics
import CommandSupport
import Foundation
package import IAP2Capture

/// The CarPlay sessions of a capture in its summary, as text.
package enum SessionSummaryText {
  /// Returns the lines of all sessions.
  package static func lines(_ sessions: [Int: SessionExplanation]) -> [String] {
    sessions.sorted { $0.key < $1.key }.flatMap { number, session in
      ["CarPlay session \(number + 1): \(session.ends)"] + lines(session).map { "  " + $0 }
    }
  }

  private static func lines(_ session: SessionExplanation) -> [String] {
    var lines: [String] = []
    if let first = session.firstTime, let last = session.lastTime {
      lines.append(
        "time: \(DecodedText.seconds(first)) to \(DecodedText.seconds(last)), \(String(format: "%.3f", last - first)) s"
      )
    }
    lines.append("reached: \(session.reached.joined(separator: ", "))")
    if !session.requests.isEmpty {
      let words = session.requests.map { "\($0.count) \($0.name)".printable }
      lines.append("requests: \(words.joined(separator: ", "))")
    }
    for stream in session.streams {
      let count = stream.count > 0 ? "\(stream.count) message\(stream.count == 1 ? "" : "s"), " : "sealed, "
      lines.append("\(stream.name.printable): \(count)\(stream.byteCount) bytes")
    }
    let end = "end: \(session.text.printable)"
    lines.append(session.point == .complete ? end : Color.red(end))
    return lines
  }
}
