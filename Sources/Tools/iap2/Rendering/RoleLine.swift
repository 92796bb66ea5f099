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

/// A notice of a transport, other than its connections.
struct NoticeLine: Encodable, Sendable {
  var event = "transport"
  var time: Double
  var role: String
  var kind: String
  var address: String
  var reason: String?

  init(_ notice: TransportNotice, role: Role, time: MonotonicTime) {
    self.time = time.seconds
    self.role = role.rawValue
    kind = notice.kind.rawValue
    address = notice.address
    reason = notice.text
  }
}

/// The last line of a live command's JSON.
struct FinishedLine: Encodable {
  var event = "finished"
  var ok: Bool
  /// The number of protocol violations of the peer.
  var violations: Int
  var time: Double
}
