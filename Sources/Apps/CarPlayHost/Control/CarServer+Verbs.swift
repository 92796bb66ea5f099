// swift-iap2 · Apache-2.0

import CarPlay
package import CarPlayPlatform
import Foundation
import IAP2Roles
package import MediaPlayer

extension CarServer {
  /// The battery level of a charging phone in percent, for a policy that gives none.
  private static let batteryPercent = 60

  /// Performs a step whose arguments are valid. Returns the reason if it fails.
  func perform(_ action: CarAction, on host: CarHost) -> String? {
    if let obstacle = obstacle(to: action, on: host) { return obstacle }
    switch action.verb {
    case .begin, .wait, .watch, .transport: break
    case .fromHeadUnit: return fromHeadUnit(action, host)
    case .resize:
      let data = Data((action.text("screen") ?? "").utf8)
      do { host.setScreen(try JSONDecoder().decode(CarScreen.self, from: data)) } catch {
        return "the screen cannot be read: \(error)"
      }
    case .launch, .start, .plug, .unplug, .notice, .open, .policy: return connection(action, host)
    case .tap, .tapAt, .touchPart, .tapDashboard, .back, .touchMap, .pan, .panButton, .movePointMap:
      return touch(action, host)
    case .turn: host.turn(action.whole("steps") ?? 1)
    case .press: host.press()
    case .type: host.type(action.text("text") ?? "")
    case .searchKey: host.pressSearchKey()
    case .nowPlaying: host.openNowPlaying()
    case .key: host.send(RemoteCommandRequest(action.choice("name", CarMediaKey.self) ?? .playPause))
    case .voiceKey: host.pressVoiceKey()
    case .home: host.setForeground(false, other: .home)
    case .otherApp: host.setForeground(false, other: .otherApp)
    case .bringBack: host.setForeground(true)
    case .dashboard where action.flag("shown") == true:
      host.connectDashboard()
      if host.app?.dashboard == nil { return "the app has no scene for the dashboard" }
    case .dashboard: host.hideDashboard()
    case .cluster where action.flag("shown") == true:
      host.connectCluster()
      if host.app?.cluster == nil { return "the app has no scene for the instrument cluster" }
    case .cluster: host.hideCluster()
    case .alert: return host.presentAlert(action.text("text") ?? "")
    case .endGuidance: host.cancelNavigation()
    case .lock: host.setLocked(true)
    case .unlock: host.setLocked(false)
    case .ask: host.setQuestion(true)
    case .answer: host.setQuestion(false)
    case .drive: host.setDriving(true)
    case .park: host.setDriving(false)
    case .interrupt: host.interruptSound(action.flag("interrupted") ?? false)
    case .appearance: host.setAppearance(action.choice("style", CarStyle.self) ?? .light)
    case .contentStyle: host.setContentStyle(action.choice("style", CarStyle.self) ?? .light)
    case .drivingSide: host.setDrivingSide(action.choice("side", DrivingSide.self) ?? .left)
    case .viewArea: return host.setViewArea(width: action.whole("width") ?? 0, height: action.whole("height") ?? 0)
    case .headUnit: return headUnit(action, host)
    case .siri: return siri(action, host)
    case .faults:
      do { try host.faults.set(action.arguments) } catch { return "the faults cannot be set: \(error)" }
    }
    return nil
  }

  private func fromHeadUnit(_ action: CarAction, _ host: CarHost) -> String? {
    func value<Value: Decodable>(_ name: String, _ type: Value.Type) throws -> Value? {
      try action.text(name).map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
    }
    do {
      if let request = try value("request", PhoneRequest.self) { host.perform(request) }
      if let location = try value("location", LocationReading.self) { host.give(location) }
      return nil
    } catch { return "a value of the head unit cannot be read: \(error)" }
  }

  private func siri(_ action: CarAction, _ host: CarHost) -> String? {
    guard action.arguments.keys.count(where: { $0 != "to" && $0 != "group" }) == 1 else {
      return "siri needs one of read, send and call"
    }
    if action.flag("read") == true { return host.readMessages() }
    if let text = action.text("send") {
      guard let name = action.text("to") else { return "siri: send needs to: the name of a person" }
      return host.sendMessage(text, to: name, isGroup: action.flag("group") ?? false)
    }
    if let name = action.text("call") { return host.startCall(to: name) }
    return "siri needs read, send or call"
  }

  private func connection(_ action: CarAction, _ host: CarHost) -> String? {
    switch action.verb {
    case .launch:
      host.start(app, phoneScene: action.flag("phoneScene") ?? false)
      host.open()
    case .start: host.start(app, phoneScene: action.flag("phoneScene") ?? true)
    case .plug: host.replug()
    case .unplug: host.unplug(noticed: action.flag("noticed") ?? true, powerNoticed: action.flag("power") ?? true)
    case .notice: host.disconnect()
    case .policy:
      host.follow(
        policy: LifecyclePolicy(action.choice("name", CarLinkPolicy.self) ?? .notification),
        batteryPercent: action.whole("battery") ?? Self.batteryPercent, otherCurrent: action.whole("powerBank") ?? 0,
        seed: seed)
    default: host.open()
    }
    return nil
  }

  private func touch(_ action: CarAction, _ host: CarHost) -> String? {
    switch action.verb {
    case .tap:
      let text = action.text("text") ?? ""
      guard host.tap(text, kind: action.choice("kind", ScreenNode.Kind.self)) else {
        return "nothing that reacts shows \"\(text)\""
      }
    case .tapAt:
      let kind = action.choice("kind", ScreenNode.Kind.self) ?? .row
      let index = action.whole("index") ?? 0
      guard host.tap(kind, at: index) else { return "the screen has no \(kind.rawValue) \(index)" }
    case .touchPart:
      // The part that was touched is the one on the picture. The screen may have changed since.
      guard host.tapPart(action.whole("part") ?? 0, line: action.text("line") ?? "") else {
        return "the screen has changed"
      }
    case .tapDashboard:
      let text = action.text("text") ?? ""
      guard host.tapDashboard(text) else { return "the dashboard has no button \"\(text)\"" }
    case .back: host.back()
    case .touchMap: host.touchMap()
    case .pan: host.dragMap(x: action.number("x") ?? 0, y: action.number("y") ?? 0)
    case .panButton:
      let directions = action.texts("direction").compactMap(CarPanDirection.init(rawValue:))
      host.panButton(
        directions.reduce(into: CPMapTemplate.PanDirection.none) { $0.formUnion($1.value) },
        isHeld: action.flag("held") ?? false)
    default: host.movePointMap()
    }
    return nil
  }
}

extension LifecyclePolicy {
  fileprivate init(_ policy: CarLinkPolicy) {
    switch policy {
    case .notification: self = .notification
    case .charging: self = .charging
    case .evidence: self = .evidence
    }
  }
}

extension RemoteCommandRequest {
  /// Creates the request of a key of the steering wheel.
  package init(_ key: CarMediaKey) {
    switch key {
    case .play: self = .play
    case .pause: self = .pause
    case .playPause: self = .togglePlayPause
    case .next: self = .nextTrack
    case .previous: self = .previousTrack
    case .stop: self = .stop
    }
  }
}

extension CarPanDirection {
  fileprivate var value: CPMapTemplate.PanDirection {
    switch self {
    case .up: .up
    case .down: .down
    case .left: .left
    case .right: .right
    }
  }
}
