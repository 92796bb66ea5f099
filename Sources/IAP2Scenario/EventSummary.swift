// swift-iap2 · Apache-2.0

public import IAP2

/// An event as a scenario sees it: its name, and what it says by the names of the catalogue.
public struct EventSummary: Sendable, Equatable {
  public var name: String
  /// Values of nested groups stand under their own names, and of repeated parameters joined by a comma.
  public var values: [String: String]

  public init(_ event: RoleEvent) {
    values = [:]
    switch event {
    case .transportOpened: name = "transportOpened"
    case .detected: name = "detected"
    case .legacyPeer: name = "legacyPeer"
    case .proposal: name = "proposal"
    case .linkUp: name = "linkUp"
    case .authenticated: name = "authenticated"
    case .authenticationFailed: name = "authenticationFailed"
    case .identified: name = "identified"
    case .identificationRejected(let parameters):
      name = "identificationRejected"
      values["parameters"] = parameters.map(String.init).joined(separator: ",")
    case .message(let direction, let id, _):
      name = "message"
      values = ["direction": direction.rawValue, "id": MessageCatalog.text(id)]
      values["name"] = MessageCatalog[id]?.name
    case .externalAccessoryOpened(let text, _):
      name = "externalAccessoryOpened"
      values["protocol"] = text
    case .externalAccessoryClosed(let text, _, let sent, let received):
      name = "externalAccessoryClosed"
      values = ["protocol": text, "bytesSent": "\(sent)", "bytesReceived": "\(received)"]
    case .carPlayAvailable(let message):
      name = "carPlayAvailable"
      add(message)
    case .carPlayStarted(let message):
      name = "carPlayStarted"
      add(message)
    case .powerChanged(let message):
      name = "powerChanged"
      add(message)
    case .powerSourceChanged(let message):
      name = "powerChanged"
      add(message)
    case .feature(let event):
      name = event.name
      add(event)
    case .fileTransfer: name = "fileTransfer"
    case .violation: name = "violation"
    case .eventsLost: name = "eventsLost"
    case .disconnected(let cause):
      name = "disconnected"
      values["cause"] = cause.rawValue
    }
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
    default: break
    }
  }

  private mutating func add(_ message: some ControlMessage) {
    let bytes: [UInt8]
    // What was received as a message is one.
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

  /// Every event that has a name, for the check of scenarios.
  static let names: Set<String> = [
    "transportOpened", "detected", "legacyPeer", "proposal", "linkUp", "authenticated", "authenticationFailed",
    "identified", "identificationRejected", "message", "externalAccessoryOpened", "externalAccessoryClosed",
    "carPlayAvailable", "carPlayStarted", "powerChanged", "nowPlaying", "artwork", "playbackQueue", "communications",
    "callState", "callLists", "mediaLibraries", "mediaLibrary", "routeGuidance", "maneuver", "laneGuidance",
    "deviceInformation", "deviceLanguage", "deviceTime", "deviceUUID", "deviceTransports", "wirelessCarPlay", "wiFi",
    "assistiveTouch", "bluetoothConnection", "usbAudio", "hidComponent", "location", "vehicleStatus", "accessoryWiFi",
    "appLaunch", "hidStarted", "hidStopped", "hidReport", "appShown", "appHidden", "fileTransfer", "violation",
    "eventsLost", "disconnected",
  ]
}
