// swift-iap2 · Apache-2.0

import Basics
import CommandSupport
import IAP2
package import IAP2Analysis
import IAP2Capture
import IAP2Roles
import IAP2Runtime

/// An event of a role for a terminal.
extension RoleLine {
  /// The parts of an event's line.
  private struct Words {
    var who: String
    var text: String
    var detail = ""
    var color: Color
    var kind: RunReport.Row.Kind
  }

  /// Returns the event's line; nil if both roles are shown and the other role's line has the same content.
  package func ladderLine(showingBoth: Bool) -> String? {
    words(showingBoth: showingBoth).map { words in
      let detail = words.detail.isEmpty ? "" : " \(Color.dim(words.detail))"
      return "\(DecodedText.seconds(timed.time.seconds))  \(words.who)  \(words.color(words.text))\(detail)"
    }
  }

  /// Returns the event's row in the report of a run with both roles; nil if the other role's row has the same content.
  package var row: RunReport.Row? {
    words(showingBoth: true).map { words in
      RunReport.Row(
        words.kind, time: timed.time.seconds, who: words.who,
        words.text + (words.detail.isEmpty ? "" : " \(words.detail)"))
    }
  }

  private func words(showingBoth: Bool) -> Words? {
    switch timed.event {
    case .message(let direction, let id, let bytes):
      if showingBoth, direction == .received { return nil }
      let isFromHeadUnit = (role == .headUnit) == (direction == .sent)
      return Words(
        who: isFromHeadUnit ? "head unit ───► phone" : "head unit ◄─── phone",
        text: MessageCatalog[id]?.name ?? "unknown message",
        detail: "\(MessageCatalog.text(id)), \(bytes.count) bytes", color: .green, kind: .message)
    case .proposal(let proposal):
      // Shown by the side that received it.
      return Words(
        who: role == .headUnit ? "head unit ◄─── phone" : "head unit ───► phone", text: "SYN",
        detail: DecodedText.synchronization(proposal), color: .blue, kind: .message)
    default:
      guard let record, !record.text.isEmpty else { return nil }
      // Names come from the peer.
      return Words(
        who: role.columnName, text: record.text.printable, color: color(record.declaration.severity),
        kind: timed.event.disconnectCause == .requested ? .detail : .init(record.declaration.severity))
    }
  }

  private func color(_ severity: EventSeverity) -> Color {
    switch severity {
    case .detail: .dim
    case .step: .cyan
    case .content: .magenta
    case .notice: .yellow
    case .warning: .red
    case .end: timed.event.disconnectCause == .requested ? .dim : .red
    }
  }
}
