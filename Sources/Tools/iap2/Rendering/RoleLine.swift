// swift-iap2 · Apache-2.0

import Basics
import CommandSupport
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Transports
import Synchronization

/// An event of a role for a terminal.
extension RoleLine {
  /// Returns the event's line; nil if both roles are shown and the other role's line has the same content.
  func ladderLine(showingBoth: Bool) -> String? {
    let time = DecodedText.seconds(timed.time.seconds)
    switch timed.event {
    case .message(let direction, let id, let bytes):
      if showingBoth, direction == .received { return nil }
      let isFromHeadUnit = (role == .headUnit) == (direction == .sent)
      let arrow = isFromHeadUnit ? "head unit ───► phone" : "head unit ◄─── phone"
      return
        "\(time)  \(arrow)  \(Color.green(MessageCatalog[id]?.name ?? "unknown message")) \(Color.dim(MessageCatalog.text(id) + ", \(bytes.count) bytes"))"
    case .proposal(let proposal):
      // Shown by the side that received it.
      let arrow = role == .headUnit ? "head unit ◄─── phone" : "head unit ───► phone"
      return "\(time)  \(arrow)  \(Color.blue("SYN")) \(Color.dim(DecodedText.synchronization(proposal)))"
    default:
      guard let record, !record.text.isEmpty else { return nil }
      // Names come from the peer.
      return "\(time)  \(role.columnName)  \(color(record.declaration.severity)(record.text.printable))"
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

/// Violations of a session, of both roles where both are shown.
final class ViolationCount: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  func note(_ event: RoleEvent) { if case .violation = event { count.withLock { $0 += 1 } } }
}

/// The lines of commands that are no events of a role.
enum CommandEvents {
  private static let seconds = EventField<Double>("time", "seconds")
  private static let transport = EventKind(
    "transport", "A notice of a transport, other than its connections.", .notice, seconds,
    EventField<String>("role", "`headUnit` or `phone`"), EventField<String>("kind", "the kind of the notice"),
    EventField<String>("address", "the transport"), EventField<String?>("reason", "the text for people"))
  private static let end = EventKind(
    "finished", "The end of run, headunit or phone.", .end, EventField<Bool>("ok", "whether all went as expected"),
    EventField<Int>("violations", "the number of protocol violations of the peers"), seconds)

  static let declarations = [transport.declaration, end.declaration]

  static func notice(_ notice: TransportNotice, role: Role, time: MonotonicTime) -> EventRecord {
    transport(time.seconds, role.rawValue, notice.kind.rawValue, notice.address, notice.text)
  }

  static func finished(ok: Bool, violations: Int, time: Double) -> EventRecord { end(ok, violations, time) }
}
