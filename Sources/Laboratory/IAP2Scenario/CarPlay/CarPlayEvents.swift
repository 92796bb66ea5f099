// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Capture

/// The events of a CarPlay session as expectations see them. Source of the names: Commands/README.md.
enum CarPlayEvents {
  static let names: Set<String> = [
    "carPlayPaired", "carPlaySession", "carPlayStream", "carPlayModes", "carPlayModesAnswered", "carPlayCommand",
    "carPlayInput", "carPlayPicture", "carPlaySound", "carPlaySoundLost", "carPlayIAP", "carPlayRefused",
    "carPlayEnded",
  ]

  static let valueNames: Set<String> = [
    "state", "type", "format", "screen", "mainAudio", "speech", "phoneCall", "turnByTurn", "isGranted", "name",
    "direction", "device", "kind", "isDown", "x", "y", "steps", "button", "page", "usage", "count", "bytes", "cause",
    "status", "value", "isKeyFrame",
  ]
}

extension EventSummary {
  /// Creates the summary of an event of a side; nil for `/info`.
  ///
  /// - Parameter linkCause: The cause for which the iAP2 link ended.
  init?(_ event: SessionEvent, of side: SessionSide, linkCause: String?) {
    func named(_ name: String, _ values: [String: String?] = [:]) -> Self {
      Self(name: name, values: values.compactMapValues { $0 })
    }
    func word(_ side: SessionSide?) -> String { side.map { $0 == .phone ? "phone" : "headUnit" } ?? "none" }
    func direction(_ sender: SessionSide) -> String { sender == side ? "sent" : "received" }
    switch event {
    case .paired: self = named("carPlayPaired")
    case .state(let state): self = named("carPlaySession", ["state": state.rawValue])
    case .stream(let type, let state, let format):
      self = named("carPlayStream", ["type": type.name, "state": state.rawValue, "format": format.map { "\($0)" }])
    case .modes(let modes):
      self = named(
        "carPlayModes",
        [
          "screen": word(modes.screen.user), "mainAudio": word(modes.mainAudio.user), "speech": word(modes.speech),
          "phoneCall": word(modes.phoneCall), "turnByTurn": word(modes.turnByTurn),
        ])
    case .modesAnswered(let isGranted): self = named("carPlayModesAnswered", ["isGranted": "\(isGranted)"])
    case .command(let command, _, let sender):
      self = named(
        "carPlayCommand", ["name": command.name, "direction": direction(sender), "value": command.shortValue])
    case .input(let device, let input): self = named("carPlayInput", input.values.merging(["device": device]) { $1 })
    case .picture(let type, let message):
      self = named("carPlayPicture", ["type": type.name, "isKeyFrame": "\(message.isKeyFrame)"])
    case .sound(let type, _, let payload):
      self = named("carPlaySound", ["type": type.name, "count": "\(payload.count)"])
    case .soundLost(let type, let count): self = named("carPlaySoundLost", ["type": type.name, "count": "\(count)"])
    case .iAP(let bytes, let sender):
      self = named("carPlayIAP", ["direction": direction(sender), "bytes": Hex.text(bytes)])
    case .refused(let end, let status):
      self = named("carPlayRefused", ["cause": end.rawValue, "status": status.map { "\($0)" }])
    case .ended(let end):
      self = named("carPlayEnded", ["cause": end == .linkLost ? linkCause ?? end.rawValue : end.rawValue])
    case .info: return nil
    }
  }
}

extension SessionCommand {
  /// The one value of a command that tests look at; nil for others.
  fileprivate var shortValue: String? {
    switch self {
    case .setNightMode(let isOn), .setLimitedUI(let isOn): "\(isOn)"
    case .requestUI(let url), .showUI(_, let url): url
    case .requestSiri(let action): "\(action)"
    case .duckAudio(let decibels, _): "\(decibels)"
    case .requestViewArea(_, let index, _): "\(index)"
    case .disableBluetooth(let deviceID): deviceID
    default: nil
    }
  }
}

extension InputEvent {
  fileprivate var values: [String: String?] {
    switch self {
    case .touch(_, let isTouching, let x, let y):
      ["kind": "touch", "isDown": "\(isTouching)", "x": "\(x)", "y": "\(y)"]
    case .knobButton(let button, let isDown):
      ["kind": "knobButton", "button": button.rawValue, "isDown": "\(isDown)"]
    case .knobNudge(let x, let y): ["kind": "knobNudge", "x": "\(x)", "y": "\(y)"]
    case .knobWheel(let steps): ["kind": "knobWheel", "steps": "\(steps)"]
    case .key(let page, let usage, let isDown):
      ["kind": "key", "page": "\(page)", "usage": "\(usage)", "isDown": "\(isDown)"]
    }
  }
}
