// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Formats
package import IAP2Roles

/// A line of a role event in JSON.
package struct RoleLine: Encodable {
  /// The role that reports the event.
  package var role: Role
  /// The event and its time.
  package var timed: TimedEvent

  /// Creates the line of an event.
  package init(role: Role, timed: TimedEvent) { (self.role, self.timed) = (role, timed) }

  private enum Key: String, CodingKey {
    case time, role, event, kind, address, parameters, direction, id, name, session, bytesSent, bytesReceived, cause,
      reason
    case file, step, values, app, protocols, component, report, usages, byteCount, items
    case alert, evidence, latencyMilliseconds
    case externalAccessoryProtocol = "protocol"
  }

  /// Evidence against a connection, with its time.
  private struct EvidenceLine: Encodable {
    var kind: String
    var time: Double

    init(_ evidence: Evidence) {
      kind = evidence.kind.rawValue
      time = evidence.time.seconds
    }
  }

  /// Whether the event has a line. The pieces of a file have none.
  package var hasJSON: Bool {
    switch timed.event {
    case .legacyPeer, .proposal, .eventsLost: false
    case .fileTransfer(.data(_, _, isLast: false)): false
    default: true
    }
  }

  /// The text of an error, which commands print on standard error beside JSON; nil for other events.
  package var warning: String? {
    switch timed.event {
    case .legacyPeer: "the other side answers in iAP1"
    case .violation(let violation): ViolationText.text(violation)
    case .eventsLost(let count): "\(count) events were not shown, because they came too fast"
    default: nil
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Key.self)
    try line.encode(timed.time.seconds, forKey: .time)
    try line.encode(role.rawValue, forKey: .role)
    try line.encode(timed.event.name, forKey: .event)
    switch timed.event {
    case .transportOpened(let address): try line.encode(address, forKey: .address)
    case .linkUp(let local, _): try SynchronizationFields(local).encode(to: encoder)
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
      try line.encode(violation.name, forKey: .kind)
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
}
