// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
package import IAP2Roles

/// The name and the values of an event, which the expectations of a scenario match.
package struct EventSummary: Sendable, Equatable {
  package var name: String
  /// The values by their parameter names in ``MessageCatalog``. Values in nested groups are under their own names, and
  /// repeated values are joined by commas.
  package var values: [String: String]

  init(name: String, values: [String: String]) {
    self.name = name
    self.values = values
  }

  package init(_ event: RoleEvent) {
    name = event.name
    values = [:]
    switch event {
    case .identificationRejected(let parameters):
      values["parameters"] = parameters.map(String.init).joined(separator: ",")
    case .message(let direction, let id, _):
      values = ["direction": direction.rawValue, "id": MessageCatalog.text(id)]
      values["name"] = MessageCatalog[id]?.name
    case .externalAccessoryOpened(let text, _): values["protocol"] = text
    case .externalAccessoryClosed(let text, _, let sent, let received):
      values = ["protocol": text, "bytesSent": "\(sent)", "bytesReceived": "\(received)"]
    case .externalAccessoryUndelivered(let text, _, let byteCount):
      values = ["protocol": text, "byteCount": "\(byteCount)"]
    case .externalAccessoryServiceStopped(let text, _): values["protocol"] = text
    case .carPlayAvailable(let message): add(message)
    case .carPlayStarted(let message): add(message)
    case .powerChanged(let message): add(message)
    case .powerSourceChanged(let message): add(message)
    case .feature(let event): add(event)
    case .suspected(let evidence): values["evidence"] = Self.names(evidence)
    case .disconnected(let end):
      values["cause"] = end.cause.rawValue
      values["evidence"] = Self.names(end.evidence)
    case .transportOpened, .detected, .legacyPeer, .proposal, .linkUp, .authenticated, .authenticationFailed,
      .identified, .fileTransfer, .eventsLost, .connected, .cleared:
      break
    case .violation(let violation):
      values["kind"] = violation.name
      values["id"] = violation.message.map(MessageCatalog.text)
    }
  }

  /// All names that the values of events can have.
  static let valueNames: Set<String> = {
    func names(_ rows: [ParameterRow]) -> [String] {
      rows.flatMap { row -> [String] in
        if case .group(let inner) = row.shape { [row.name] + names(inner) } else { [row.name] }
      }
    }
    return Set(MessageCatalog.all.flatMap { names($0.rows) }).union([
      "parameters", "direction", "id", "name", "protocol", "bytesSent", "bytesReceived", "cause", "kind", "byteCount",
      "items", "component", "usages", "app", "protocols", "alert", "evidence",
    ])
  }()

  private static func names(_ evidence: [Evidence]) -> String {
    evidence.map(\.kind.rawValue).joined(separator: ",")
  }

  private mutating func add(_ event: FeatureEvent) {
    if let message = event.message { return add(message) }
    switch event {
    case .artwork(let bytes): values["byteCount"] = "\(bytes.count)"
    case .playbackQueue(let items): values["items"] = items.map(String.init).joined(separator: ",")
    case .hidReport(let component, _, let usages):
      values["component"] = "\(component)"
      values["usages"] = usages.keys.sorted().map { "\($0.page):\($0.number)" }.joined(separator: ",")
    case .appShown(let app, let protocols), .appHidden(let app, let protocols):
      values = ["app": app, "protocols": protocols.joined(separator: ",")]
    case .appWanted(let name, let byAlert): values = ["protocol": name, "alert": "\(byAlert)"]
    default: break
    }
  }

  /// Creates the summary of the event that a message causes at its receiver.
  init(name: String, message: [UInt8], rows: [ParameterRow]) {
    self.name = name
    values = [:]
    add(ParameterNode.nodes(of: unsafe message.span.bytes, rows: rows).nodes)
  }

  private mutating func add(_ message: some ControlMessage) {
    let bytes: [UInt8]
    // The message was decoded from bytes, so its encoding does not fail.
    do { bytes = try message.encoded() } catch { return }
    add(ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: type(of: message).rows).nodes)
  }

  private mutating func add(_ nodes: [ParameterNode]) {
    for node in nodes {
      guard let name = node.name else { continue }
      if case .group(let inner) = node.value {
        add(inner)
      } else {
        let text = Self.text(node.value)
        values[name] = values[name].map { "\($0),\(text)" } ?? text
      }
    }
  }

  private static func text(_ value: ParameterNode.Value) -> String {
    switch value {
    case .text(let text): text
    case .unsigned(let number): "\(number)"
    case .signed(let number): "\(number)"
    case .bool(let flag): "\(flag)"
    case .enumeration(let raw, let name): name ?? "\(raw)"
    case .void: "true"
    case .bytes(let bytes): bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    case .list(let numbers): numbers.map(String.init).joined(separator: ",")
    case .signedList(let numbers): numbers.map(String.init).joined(separator: ",")
    case .group: ""
    }
  }
}
