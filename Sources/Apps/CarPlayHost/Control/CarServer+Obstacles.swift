// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform

extension CarServer {
  /// Returns the reason why a step would have no effect in the current state; nil if it has one. A step without an
  /// effect is a fault of its scenario.
  func obstacle(to action: CarAction, on host: CarHost) -> String? {
    if host.isOnTransport, let reason = Self.transport(action.verb, host) { return reason }
    switch action.verb {
    case .launch where host.isOnTransport, .plug where host.isOnTransport: return nil
    case .headUnit where !action.asksApp: return nil
    case .dashboard, .cluster: return Self.otherScene(action.verb, isShown: action.flag("shown") == true, host)
    default: return Self.obstacle(to: action.verb, on: host)
    }
  }

  /// Returns the reason if a step would change the connection of a phone on a transport. There, only the head unit
  /// changes it.
  private static func transport(_ verb: CarVerb, _ host: CarHost) -> String? {
    switch verb {
    case .launch, .plug: host.isConnected ? nil : "the head unit on the transport has not connected"
    case .unplug: "the head unit is on a transport: end the connection there"
    case .policy: "the head unit is on a transport: all evidence ends its connection"
    default: nil
    }
  }

  /// Returns the reason why a verb has no effect, as far as it does not depend on arguments; nil if it has one.
  package static func obstacle(to verb: CarVerb, on host: CarHost) -> String? {
    switch verb {
    case .plug: return host.isConnected ? "phone and car are already connected" : nil
    case .unplug: return host.isConnected ? nil : "phone and car are not connected"
    case .notice: return host.hasGhostConnection ? nil : "no disconnection waits for its notice"
    case .policy: return host.isConnected ? "the policy comes before the car connects" : nil
    case .open where host.installed == nil: return "the phone has no app: the first steps are launch, or start and plug"
    case .open, .home, .otherApp, .nowPlaying, .voiceKey: return off(host)
    case .headUnit, .interrupt: return host.hasApp ? nil : "the app does not run"
    case .siri, .key: return off(host) ?? (host.hasApp ? nil : "the app does not run")
    case .answer: return host.phone.hasOpenQuestion ? nil : "the phone asks no question"
    case .bringBack, .back, .touchMap, .pan, .panButton, .movePointMap, .turn, .press, .type, .searchKey, .endGuidance,
      .alert:
      return off(host) ?? missing(verb, host)
    default: return nil
    }
  }

  private static func off(_ host: CarHost) -> String? {
    guard host.isConnected else { return "phone and car are not connected" }
    return host.front == .off ? "the car shows nothing of the phone" : nil
  }

  /// Returns the reason if a part of the screen or of the car that the step needs is missing.
  private static func missing(_ verb: CarVerb, _ host: CarHost) -> String? {
    let shown = host.front == .app ? host.app?.car?.stack.front : nil
    switch verb {
    case .bringBack:
      guard host.hasAppConnection else { return "the app is not on the car: open comes first" }
      let isCovered = host.showsNowPlaying || host.showsSiri
      return host.front == .app && !isCovered ? "the app is already in front" : nil
    case .back: return host.canGoBack ? nil : "there is nothing to go back to"
    case .touchMap, .pan: return shown is CPMapTemplate ? nil : "no map is in front"
    case .panButton:
      return (shown as? CPMapTemplate)?.isPanningInterfaceVisible == true ? nil : "no panning interface is in front"
    case .movePointMap: return shown is CPPointOfInterestTemplate ? nil : "no map of points of interest is in front"
    case .type: return host.obstacleToTyping
    case .searchKey: return shown is CPSearchTemplate ? nil : "no search is in front"
    case .endGuidance: return host.guidingMap == nil ? "no guidance runs" : nil
    case .alert:
      guard host.content == nil else { return "the old content API has no alerts" }
      guard shown != nil else { return "the app is not in front" }
      return host.app?.car?.stack.presented == nil ? nil : "a template is already presented"
    default:
      guard host.settings.inputs.contains(where: \.movesFocus) else {
        return "the car \(host.settings.name) has neither a knob nor a touchpad"
      }
      return verb == .press && host.focusedPart == nil ? "no part of the screen has the focus" : nil
    }
  }

  /// Returns the reason why the dashboard or the instrument cluster cannot be shown or hidden.
  package static func otherScene(_ verb: CarVerb, isShown: Bool, _ host: CarHost) -> String? {
    let isDashboard = verb == .dashboard
    let name = isDashboard ? "dashboard" : "instrument cluster"
    let isThere = isDashboard ? host.app?.dashboard != nil : host.app?.cluster != nil
    guard isShown else { return isThere ? nil : "the car shows no \(name)" }
    guard host.isConnected else { return "phone and car are not connected" }
    guard host.hasApp else { return "the app does not run" }
    return isThere ? "the car already shows the \(name)" : nil
  }
}

extension CarAction {
  /// Whether the step `headUnit` sends the app a request. Other steps change the car, with or without an app.
  fileprivate var asksApp: Bool {
    choice("request", HeadUnitRequest.self).map { !$0.isOfCar } ?? (number("position") != nil)
  }
}
