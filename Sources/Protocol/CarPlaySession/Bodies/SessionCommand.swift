// swift-iap2 · Apache-2.0

/// A command of one side to the other. Source: CarPlaySession.md#commands.
///
/// A command whose form is not public is ``other(name:)``. ``CommandBody`` keeps its values.
public enum SessionCommand: Sendable, Hashable {
  /// The phone reports which side has the screen and the speakers.
  case modesChanged(ModeSnapshot)
  /// The phone requests a lower volume of the music, in decibels of 0 or less, within a time.
  case duckAudio(decibels: Double, milliseconds: Int)
  /// The phone requests the former volume of the music within a time.
  case unduckAudio(milliseconds: Int)
  /// The head unit drops its Bluetooth connection to an address.
  case disableBluetooth(deviceID: String)
  /// The phone requests the car's own screen. The head unit requests the screen of CarPlay, at an address or as it was.
  case requestUI(url: String?)
  /// The phone offers content for the cluster.
  case suggestUI(urls: [String])
  /// The phone sets the mode in which characters may be entered.
  case setInputMode(uuid: String, mode: Int)
  /// Bytes of iAP2.
  case iAP([UInt8])
  /// The head unit requests the screen, the speakers or an app state.
  case changeModes(ModeRequest)
  /// The head unit reports an input of a user.
  case inputReport(device: String, report: [UInt8])
  /// The head unit reports its voice button.
  case requestSiri(SiriAction)
  /// The head unit requests a key frame.
  case forceKeyFrame(uuid: String?)
  /// The head unit turns its night colors on or off.
  case setNightMode(Bool)
  /// The head unit turns the limits of the user interface on or off.
  case setLimitedUI(Bool)
  /// The head unit shows content on a screen.
  case showUI(uuid: String, url: String?)
  /// The head unit shows no content on a screen.
  case stopUI(uuid: String)
  /// The head unit requests another view area of a screen.
  case requestViewArea(uuid: String, index: Int, milliseconds: Int)
  /// The head unit zooms the map.
  case changeMapZoomLevel(uuid: String, direction: Int)
  /// A command without a known form.
  case other(name: String)

  /// A step of the voice button.
  public enum SiriAction: Int, Sendable, Hashable, CaseIterable {
    /// A press may follow.
    case prewarm = 1
    /// The button is down.
    case buttonDown
    /// The button is up.
    case buttonUp
  }

  /// The name on the wire.
  public var name: String {
    switch self {
    case .modesChanged: "modesChanged"
    case .duckAudio: "duckAudio"
    case .unduckAudio: "unduckAudio"
    case .disableBluetooth: "disableBluetooth"
    case .requestUI: "requestUI"
    case .suggestUI: "suggestUI"
    case .setInputMode: "hidSetInputMode"
    case .iAP: "iAPSendMessage"
    case .changeModes: "changeModes"
    case .inputReport: "hidSendReport"
    case .requestSiri: "requestSiri"
    case .forceKeyFrame: "forceKeyFrame"
    case .setNightMode: "setNightMode"
    case .setLimitedUI: "setLimitedUI"
    case .showUI: "showUI"
    case .stopUI: "stopUI"
    case .requestViewArea: "requestViewArea"
    case .changeMapZoomLevel: "changeMapZoomLevel"
    case .other(let name): name
    }
  }

  /// The dictionary of the command.
  public var body: PropertyValue {
    var values: [String: PropertyValue] = ["type": .text(name)]
    if case .inputReport(let device, let report) = self {
      values["uuid"] = .text(device)
      values["hidReport"] = .data(report)
    } else if let parameters {
      values["params"] = parameters
    }
    return .dictionary(values)
  }

  private var parameters: PropertyValue? {
    switch self {
    case .modesChanged(let modes): modes.propertyValue
    case .changeModes(let request): request.propertyValue
    case .duckAudio(let decibels, let milliseconds):
      ["volume": .real(decibels), "durationMs": milliseconds.propertyValue]
    case .unduckAudio(let milliseconds): ["durationMs": milliseconds.propertyValue]
    case .disableBluetooth(let deviceID): ["deviceID": .text(deviceID)]
    case .requestUI(let url): url.map { ["url": .text($0)] }
    case .suggestUI(let urls): ["urls": urls.propertyValue]
    case .setInputMode(let uuid, let mode): ["uuid": .text(uuid), "hidInputMode": mode.propertyValue]
    case .iAP(let bytes): ["data": .data(bytes)]
    case .requestSiri(let action): ["siriAction": action.rawValue.propertyValue]
    case .forceKeyFrame(let uuid): uuid.map { ["uuid": .text($0)] }
    case .setNightMode(let isOn): ["nightMode": .bool(isOn)]
    case .setLimitedUI(let isOn): ["limitedUI": .bool(isOn)]
    case .showUI(let uuid, let url):
      url.map { ["uuid": .text(uuid), "url": .text($0)] } ?? ["uuid": .text(uuid)]
    case .stopUI(let uuid): ["uuid": .text(uuid)]
    case .requestViewArea(let uuid, let index, let milliseconds):
      [
        "uuid": .text(uuid), "viewAreaIndex": index.propertyValue,
        "animationDurationMillis": milliseconds.propertyValue,
      ]
    case .changeMapZoomLevel(let uuid, let direction):
      ["uuid": .text(uuid), "zoomDirection": direction.propertyValue]
    case .inputReport, .other: nil
    }
  }
}

/// A received command with its whole body.
public struct CommandBody: PropertyBody {
  public var values: [String: PropertyValue]

  public init(values: [String: PropertyValue]) { self.values = values }

  /// The name of the command; nil without one, which gets status 400.
  public var name: String? { self["type"] }

  /// The command; nil without a name. A known name with another form is ``SessionCommand/other(name:)``.
  public var command: SessionCommand? { name.map { known($0) ?? .other(name: $0) } }

  private func known(_ name: String) -> SessionCommand? {
    let parameters = Parameters(values: values["params"].flatMap(Self.init(propertyValue:))?.values ?? [:])
    let uuid: String? = parameters["uuid"]
    switch name {
    case "modesChanged": return values["params"].flatMap(ModeSnapshot.init).map { .modesChanged($0) }
    case "changeModes": return values["params"].flatMap(ModeRequest.init).map { .changeModes($0) }
    case "duckAudio":
      return (parameters["volume"] as Double?).map {
        .duckAudio(decibels: $0, milliseconds: parameters["durationMs"] ?? 0)
      }
    case "unduckAudio": return .unduckAudio(milliseconds: parameters["durationMs"] ?? 0)
    case "disableBluetooth": return parameters["deviceID"].map { .disableBluetooth(deviceID: $0) }
    case "requestUI": return .requestUI(url: parameters["url"])
    case "suggestUI": return parameters["urls"].map { .suggestUI(urls: $0) }
    case "hidSetInputMode":
      return uuid.flatMap { uuid in parameters["hidInputMode"].map { .setInputMode(uuid: uuid, mode: $0) } }
    case "iAPSendMessage": return parameters[data: "data"].map { .iAP($0) }
    case "hidSendReport":
      guard let device: String = self["uuid"], let report = self[data: "hidReport"] else { return nil }
      return .inputReport(device: device, report: report)
    case "requestSiri":
      return (parameters["siriAction"] as Int?).flatMap(SessionCommand.SiriAction.init).map { .requestSiri($0) }
    case "forceKeyFrame": return .forceKeyFrame(uuid: uuid)
    case "setNightMode": return parameters["nightMode"].map { .setNightMode($0) }
    case "setLimitedUI": return parameters["limitedUI"].map { .setLimitedUI($0) }
    case "showUI": return uuid.map { .showUI(uuid: $0, url: parameters["url"]) }
    case "stopUI": return uuid.map { .stopUI(uuid: $0) }
    case "requestViewArea":
      return uuid.flatMap { uuid in
        parameters["viewAreaIndex"].map {
          .requestViewArea(uuid: uuid, index: $0, milliseconds: parameters["animationDurationMillis"] ?? 0)
        }
      }
    case "changeMapZoomLevel":
      return uuid.flatMap { uuid in
        parameters["zoomDirection"].map { .changeMapZoomLevel(uuid: uuid, direction: $0) }
      }
    default: return nil
    }
  }

  private struct Parameters: PropertyBody {
    var values: [String: PropertyValue]
  }
}
