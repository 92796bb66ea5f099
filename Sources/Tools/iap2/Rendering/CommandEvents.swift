// swift-iap2 · Apache-2.0

import Basics
import CommandSupport
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Transports
import RunReports
import Synchronization

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
