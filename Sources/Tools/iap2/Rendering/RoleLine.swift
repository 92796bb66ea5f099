// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Formats
import IAP2Roles
import IAP2Runtime
import IAP2Transports
import Synchronization

/// An event of a role for a terminal.
extension RoleLine {
  private static func text(_ event: FeatureEvent) -> String {
    switch event {
    case .artwork(let bytes): "\(bytes.count) bytes"
    case .playbackQueue(let items): "\(items.count) items"
    case .hidReport(let component, let report, let values):
      "device \(component), \(Hex.text(report))"
        + (values.isEmpty ? ", at rest" : values.keys.sorted().map { ", usage \($0.page):\($0.number)" }.joined())
    case .appShown(let app, let protocols): "\(app) for \(protocols.joined(separator: ", "))"
    case .appHidden(let app, _): app
    case .appWanted(let name, let byAlert): "for \(name)" + (byAlert ? ", by alert" : ", in the settings")
    default: event.message.map { shortened(FeatureValues($0).text) } ?? ""
    }
  }

  /// Returns a line that fits a wide terminal. `--json` has the full text.
  private static func shortened(_ text: String) -> String { text.count <= 120 ? text : text.prefix(119) + "…" }

  /// Returns the text of a transfer's step; nil for a piece of data.
  private static func text(_ event: FileTransferEvent) -> String? {
    switch event {
    case .offered(let id, let setup): "file \(id) offered: \(setup.byteCount) bytes"
    case .refused(let id, let count): "file \(id) refused: \(count) bytes"
    case .data(let id, _, let isLast): isLast ? "file \(id) complete" : nil
    case .paused(let id): "file \(id) paused"
    case .delivered(let id): "file \(id) delivered"
    case .failed(let id): "file \(id) failed"
    case .cancelled(let id): "file \(id) cancelled"
    }
  }

  // MARK: Ladder

  /// Returns the event's line; nil if both roles are shown and the other role's line has the same content.
  func ladderLine(showingBoth: Bool) -> String? {
    let time = DecodedText.seconds(timed.time.seconds)
    let who = role.columnName
    // Names come from the peer.
    func note(_ text: String, _ color: Color) -> String {
      "\(time)  \(who)  \(color(text.printable))"
    }
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
    case .transportOpened(let address): return note("transport open: \(address)", .dim)
    case .detected: return note("detected", .dim)
    case .linkUp(let local, _): return note("link up: \(DecodedText.synchronization(local))", .blue)
    case .authenticated: return note("authenticated", .cyan)
    case .authenticationFailed(let reason):
      return note("authentication failed" + (reason.map { ": \($0)" } ?? ""), .red)
    case .identified: return note("identified", .cyan)
    case .identificationRejected(let parameters):
      return note("identification rejected: \(parameters.map(RoleAdvice.parameter).joined(separator: ", "))", .red)
    case .externalAccessoryOpened(let name, let session): return note("\(name) open as session \(session)", .magenta)
    case .externalAccessoryClosed(let name, let session, let sent, let received):
      return note("\(name) session \(session) closed: \(sent) bytes sent, \(received) received", .magenta)
    case .externalAccessoryUndelivered(let name, let session, let byteCount):
      return note("\(name) session \(session): \(byteCount) written bytes were not delivered", .red)
    case .externalAccessoryServiceStopped(let name, let session):
      return note("\(name) session \(session): its service did not return after the end and was cancelled", .red)
    case .carPlayAvailable: return note("CarPlay available", .cyan)
    case .carPlayStarted: return note("CarPlay started", .cyan)
    case .powerChanged(let update): return note("power: \(Self.text(update))", .yellow)
    case .powerSourceChanged(let update):
      return note("power offered: \(update.availableCurrentForDevice.map { "\($0) mA" } ?? "unchanged")", .yellow)
    case .feature(let event): return note("\(event.kind.rawValue): \(Self.text(event))", .cyan)
    case .fileTransfer(let event): return Self.text(event).map { note($0, .dim) }
    case .legacyPeer, .violation, .eventsLost: return warning.map { note($0, .red) }
    // Text output has `identified` and `authenticated`; the rest is only in JSON.
    case .connected: return nil
    case .suspected(let evidence): return note("disconnect suspected: \(Self.text(evidence))", .yellow)
    case .cleared: return note("disconnect ruled out: the peer has answered", .yellow)
    case .disconnected(let end):
      let because = end.evidence.count > 1 ? " (\(Self.text(end.evidence)))" : ""
      return note("disconnected: \(end.cause.rawValue)\(because)", end.cause == .requested ? .dim : .red)
    }
  }

  private static func text(_ evidence: [Evidence]) -> String { evidence.map(\.kind.rawValue).joined(separator: ", ") }

  private static func text(_ update: PowerUpdate) -> String {
    var parts: [String] = []
    if let current = update.maximumCurrentDrawnFromAccessory { parts.append("draws up to \(current) mA") }
    if let will = update.deviceBatteryWillChargeIfPowerIsPresent {
      parts.append(will ? "will charge" : "will not charge")
    }
    if let external = update.isExternalChargerConnected {
      parts.append(external ? "external charger" : "no external charger")
    }
    if let state = update.batteryChargingState { parts.append("battery \(state.name ?? "state \(state.rawValue)")") }
    if let level = update.batteryChargeLevel { parts.append("battery at \(level) %") }
    return parts.joined(separator: ", ")
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
