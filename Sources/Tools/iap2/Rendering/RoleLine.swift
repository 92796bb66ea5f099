// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Formats
import IAP2Roles
import IAP2Runtime
import Synchronization

/// An event of a role, as JSON line and as a rung of the ladder.
struct RoleLine: Encodable {
  enum Role: String {
    case headUnit, phone

    var side: Side { self == .headUnit ? .accessory : .device }
  }

  var role: Role
  var timed: TimedEvent

  private enum Key: String, CodingKey {
    case time, role, event, kind, address, parameters, direction, id, name, session, bytesSent, bytesReceived, cause,
      reason
    case file, step, values, app, protocols, component, report, usages, byteCount, items
    case alert, version, maxOutstandingPackets, maxPacketLength, retransmissionTimeout, cumulativeAckTimeout
    case maxRetransmissions, maxCumulativeAcks, sessions, type
    case evidence, latencyMilliseconds
    case externalAccessoryProtocol = "protocol"
  }

  /// What spoke against a connection, and when.
  private struct EvidenceLine: Encodable {
    var kind: String
    var time: Double

    init(_ evidence: Evidence) {
      kind = evidence.kind.rawValue
      time = evidence.time.seconds
    }
  }

  /// Events that have a JSON line; each piece of a file has none.
  var hasJSON: Bool {
    switch timed.event {
    case .legacyPeer, .proposal, .eventsLost: false
    case .fileTransfer(.data(_, _, isLast: false)): false
    default: true
    }
  }

  /// What went wrong, for stderr beside JSON.
  var warning: String? {
    switch timed.event {
    case .legacyPeer: "the other side answers in iAP1"
    case .violation(let violation): ViolationText.text(violation)
    case .eventsLost(let count): "\(count) events were too many to show"
    default: nil
    }
  }

  func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Key.self)
    try line.encode(timed.time.seconds, forKey: .time)
    try line.encode(role.rawValue, forKey: .role)
    try line.encode(timed.event.name, forKey: .event)
    switch timed.event {
    case .transportOpened(let address): try line.encode(address, forKey: .address)
    case .linkUp(let local, _): try encode(local, &line)
    case .authenticationFailed(let reason): try line.encodeIfPresent(reason, forKey: .reason)
    case .identificationRejected(let parameters): try line.encode(parameters, forKey: .parameters)
    case .message(let direction, let id, _):
      try line.encode(direction.rawValue, forKey: .direction)
      try line.encode(MessageCatalog.text(id), forKey: .id)
      try line.encode(MessageCatalog[id]?.name, forKey: .name)
    case .externalAccessoryOpened(let name, let session):
      try line.encode(name, forKey: .externalAccessoryProtocol)
      try line.encode(session, forKey: .session)
    case .externalAccessoryClosed(let name, let session, let sent, let received):
      try line.encode(name, forKey: .externalAccessoryProtocol)
      try line.encode(session, forKey: .session)
      try line.encode(sent, forKey: .bytesSent)
      try line.encode(received, forKey: .bytesReceived)
    case .externalAccessoryServiceStopped(let name, let session):
      try line.encode(name, forKey: .externalAccessoryProtocol)
      try line.encode(session, forKey: .session)
    case .externalAccessoryUndelivered(let name, let session, let byteCount):
      try line.encode(name, forKey: .externalAccessoryProtocol)
      try line.encode(session, forKey: .session)
      try line.encode(byteCount, forKey: .byteCount)
    case .feature(let event): try encode(event, &line)
    case .fileTransfer(let event): try encode(event, &line)
    case .suspected(let evidence): try line.encode(evidence.map(EvidenceLine.init), forKey: .evidence)
    case .disconnected(let end):
      try line.encode(end.cause.rawValue, forKey: .cause)
      try line.encode(end.evidence.map(EvidenceLine.init), forKey: .evidence)
      try line.encode(end.latencyMilliseconds, forKey: .latencyMilliseconds)
    case .carPlayAvailable(let message): try line.encode(FeatureValues(message), forKey: .values)
    case .carPlayStarted(let message): try line.encode(FeatureValues(message), forKey: .values)
    case .powerChanged(let message): try line.encode(FeatureValues(message), forKey: .values)
    case .powerSourceChanged(let message): try line.encode(FeatureValues(message), forKey: .values)
    case .violation(let violation):
      try line.encode(violation.kind.rawValue, forKey: .kind)
      try line.encodeIfPresent(violation.message.map(MessageCatalog.text), forKey: .id)
      try line.encode(ViolationText.text(violation), forKey: .reason)
    case .detected, .legacyPeer, .proposal, .eventsLost, .authenticated, .identified, .connected, .cleared: break
    }
  }

  private func encode(_ event: FeatureEvent, _ line: inout KeyedEncodingContainer<Key>) throws {
    switch event {
    case .artwork(let bytes): try line.encode(bytes.count, forKey: .byteCount)
    case .playbackQueue(let items): try line.encode(items.map(String.init), forKey: .items)
    case .hidReport(let component, let report, let values):
      try line.encode(component, forKey: .component)
      try line.encode(Hex.text(report), forKey: .report)
      try line.encode(values.keys.sorted().map { [$0.page, $0.number] }, forKey: .usages)
    case .appShown(let app, let protocols), .appHidden(let app, let protocols):
      try line.encode(app, forKey: .app)
      try line.encode(protocols, forKey: .protocols)
    case .appWanted(let name, let byAlert):
      try line.encode(name, forKey: .externalAccessoryProtocol)
      try line.encode(byAlert, forKey: .alert)
    default: if let message = event.message { try line.encode(FeatureValues(message), forKey: .values) }
    }
  }

  private func encode(_ event: FileTransferEvent, _ line: inout KeyedEncodingContainer<Key>) throws {
    let (file, step, byteCount): (UInt8, String, UInt64?) =
      switch event {
      case .offered(let id, let setup): (id, "offered", setup.byteCount)
      case .refused(let id, let count): (id, "refused", count)
      case .data(let id, _, _): (id, "complete", nil)
      case .paused(let id): (id, "paused", nil)
      case .delivered(let id): (id, "delivered", nil)
      case .failed(let id): (id, "failed", nil)
      case .cancelled(let id): (id, "cancelled", nil)
      }
    try line.encode(file, forKey: .file)
    try line.encode(step, forKey: .step)
    try line.encodeIfPresent(byteCount, forKey: .byteCount)
  }

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

  /// A line that fits a wide terminal; everything is in --json.
  private static func shortened(_ text: String) -> String { text.count <= 120 ? text : text.prefix(119) + "…" }

  /// The steps of a transfer, without every piece of it.
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

  private func encode(_ link: LinkSynchronization, _ line: inout KeyedEncodingContainer<Key>) throws {
    try line.encode(link.version, forKey: .version)
    try line.encode(link.maxOutstandingPackets, forKey: .maxOutstandingPackets)
    try line.encode(link.maxPacketLength, forKey: .maxPacketLength)
    try line.encode(link.retransmissionTimeout, forKey: .retransmissionTimeout)
    try line.encode(link.cumulativeAckTimeout, forKey: .cumulativeAckTimeout)
    try line.encode(link.maxRetransmissions, forKey: .maxRetransmissions)
    try line.encode(link.maxCumulativeAcks, forKey: .maxCumulativeAcks)
    var sessions = line.nestedUnkeyedContainer(forKey: .sessions)
    for session in link.sessions {
      var entry = sessions.nestedContainer(keyedBy: Key.self)
      try entry.encode(session.id, forKey: .id)
      try entry.encode(session.type.name ?? String(session.type.rawValue), forKey: .type)
      try entry.encode(session.version, forKey: .version)
    }
  }

  // MARK: Ladder

  /// One rung; nil for what the other role's rung already says when both are shown.
  func rung(showingBoth: Bool) -> String? {
    let time = DecodedText.seconds(timed.time.seconds)
    let who = role == .headUnit ? "head unit" : "phone    "
    // Names come from the peer.
    func note(_ text: String, _ colour: Colour) -> String {
      "\(time)  \(who)  \(colour(DecodedText.printable(text)))"
    }
    switch timed.event {
    case .message(let direction, let id, let bytes):
      if showingBoth, direction == .received { return nil }
      let isFromHeadUnit = (role == .headUnit) == (direction == .sent)
      let arrow = isFromHeadUnit ? "head unit ───► phone" : "head unit ◄─── phone"
      return
        "\(time)  \(arrow)  \(Colour.green(MessageCatalog[id]?.name ?? "unknown message")) \(Colour.dim(MessageCatalog.text(id) + ", \(bytes.count) bytes"))"
    case .proposal(let proposal):
      // Told where it was heard.
      let arrow = role == .headUnit ? "head unit ◄─── phone" : "head unit ───► phone"
      return "\(time)  \(arrow)  \(Colour.blue("SYN")) \(Colour.dim(DecodedText.synchronization(proposal)))"
    case .transportOpened(let address): return note("transport open: \(address)", .dim)
    case .detected: return note("detected", .dim)
    case .linkUp(let local, _): return note("link up: \(DecodedText.synchronization(local))", .blue)
    case .authenticated: return note("authenticated", .cyan)
    case .authenticationFailed(let reason):
      return note("authentication failed" + (reason.map { ": \($0)" } ?? ""), .red)
    case .identified: return note("identified", .cyan)
    case .identificationRejected(let parameters):
      return note("identification rejected: parameters \(parameters.map(String.init).joined(separator: ", "))", .red)
    case .externalAccessoryOpened(let name, let session): return note("\(name) open as session \(session)", .magenta)
    case .externalAccessoryClosed(let name, let session, let sent, let received):
      return note("\(name) session \(session) closed: \(sent) bytes sent, \(received) received", .magenta)
    case .externalAccessoryUndelivered(let name, let session, let byteCount):
      return note("\(name) session \(session): \(byteCount) bytes that were written were not delivered", .red)
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
    // Where it says more than `identified` and `authenticated`, JSON has it.
    case .connected: return nil
    case .suspected(let evidence): return note("still there? \(Self.text(evidence))", .yellow)
    case .cleared: return note("still there: it has answered", .yellow)
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

/// What a transport tells beside its connections.
struct NoticeLine: Encodable, Sendable {
  var event = "transport"
  var time: Double
  var role: String
  var kind: String
  var address: String
  var reason: String?

  init(_ notice: TransportNotice, role: RoleLine.Role, time: MonotonicTime) {
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
  /// Things a peer did that no rule allows.
  var violations: Int
  var time: Double
}
