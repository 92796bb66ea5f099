// swift-iap2 · Apache-2.0

import IAP2

/// An error that prevents the request of an EA session.
public enum ExternalAccessoryOpenProblem: Error, Sendable, Hashable {
  /// Authentication and identification are not complete.
  case notReady
  /// The accessory has not identified the protocol.
  case unknownProtocol
  /// The accessory does not list 0xEA00, which opens sessions.
  case notListed
  /// The largest number of sessions is open or requested; the value of the limit.
  case tooManySessions(limit: Int)
}

extension PhonePolicy {
  /// Requests an EA session for a protocol that the accessory has identified.
  ///
  /// - Returns: The id of the session, and the actions that request it.
  package mutating func openExternalAccessory(
    _ name: String
  ) throws(ExternalAccessoryOpenProblem) -> (session: UInt16, actions: [RoleAction]) {
    guard isReady else { throw .notReady }
    let supported = identification?.supportedExternalAccessoryProtocol.first {
      $0.externalAccessoryProtocolName == name
    }
    guard let supported else { throw .unknownProtocol }
    guard isListed(StartExternalAccessoryProtocolSession.id) else { throw .notListed }
    guard openSessions.count + opening.count < maximumSessions else {
      throw .tooManySessions(limit: maximumSessions)
    }
    repeat {
      lastSession = lastSession == .max ? 1 : lastSession + 1
    } while openSessions[lastSession] != nil || opening[lastSession] != nil
    var start = StartExternalAccessoryProtocolSession()
    start.externalAccessoryProtocolIdentifier = supported.externalAccessoryProtocolIdentifier
    start.externalAccessoryProtocolSessionIdentifier = lastSession
    let actions = RoleMessage.send(start)
    // An accessory that does not list its answer will not send one. Others drop data that arrives before it
    // (FieldBehavior.md#f21).
    if isDeclared(StatusExternalAccessoryProtocolSession.id) {
      opening[lastSession] = name
      return (lastSession, actions)
    }
    openSessions[lastSession] = name
    return (lastSession, actions + [.openExternalAccessory(session: lastSession, protocol: name, answer: nil)])
  }

  mutating func status(_ message: StatusExternalAccessoryProtocolSession) -> [RoleAction] {
    let session = message.externalAccessoryProtocolSessionIdentifier
    if message.externalAccessoryProtocolSessionStatus == .ok, let name = opening.removeValue(forKey: session) {
      openSessions[session] = name
      return [.openExternalAccessory(session: session, protocol: name, answer: nil)]
    }
    guard message.externalAccessoryProtocolSessionStatus == .close else { return [] }
    let wasOpening = opening.removeValue(forKey: session) != nil
    guard openSessions.removeValue(forKey: session) != nil || wasOpening else { return [] }
    return [.closeExternalAccessory(session: session)]
  }

  /// Closes an EA session and returns the actions that end it; none if the session is neither open nor requested.
  package mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction] {
    let wasOpening = opening.removeValue(forKey: session) != nil
    guard openSessions.removeValue(forKey: session) != nil || wasOpening else { return [] }
    var stop = StopExternalAccessoryProtocolSession()
    stop.externalAccessoryProtocolSessionIdentifier = session
    return sendIfListed(stop) + [.closeExternalAccessory(session: session)]
  }

  // MARK: Apps

  /// The names of the accessory's EA protocols.
  var carProtocols: [String] {
    identification?.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName) ?? []
  }

  /// Reports the automaker apps that CarPlay shows or no longer shows, where that has changed.
  mutating func reportApps() -> [RoleAction] {
    var shown: [String: [String]] = [:]
    for app in state.apps where !app.carPlayProtocols.isEmpty { shown[app.name] = app.shownProtocols(in: carProtocols) }
    defer { shownApps = shown }
    return Set(shown.keys).union(shownApps.keys).sorted().compactMap { name in
      let before = shownApps[name]
      // An app that was removed is no longer shown.
      let now = shown[name] ?? []
      guard before != now, shown[name] != nil || before?.isEmpty == false else { return nil }
      return .event(
        .feature(now.isEmpty ? .appHidden(app: name, protocols: []) : .appShown(app: name, protocols: now)))
    }
  }

  /// Reports each EA protocol whose match action asks for an app and for which the phone has none; once per connection.
  func offerApps() -> [RoleAction] {
    (identification?.supportedExternalAccessoryProtocol ?? []).compactMap { entry in
      let name = entry.externalAccessoryProtocolName
      let action = entry.externalAccessoryProtocolMatchAction
      guard action == .optionalAction || action == .noAlert,
        !state.apps.contains(where: { $0.protocols.contains(name) })
      else { return nil }
      return .event(.feature(.appWanted(protocol: name, byAlert: action == .optionalAction)))
    }
  }

  /// Starts the app that an accessory requests. A request for an app that does not exist is only reported.
  mutating func launch(_ request: RequestAppLaunch) -> [RoleAction] {
    if let index = state.apps.firstIndex(where: { $0.bundleIdentifier == request.appBundleID }) {
      state.apps[index].isRunning = true
    }
    return [.event(.feature(.appLaunch(request)))] + openApps()
  }

  /// Opens sessions for the protocols of running apps, once for each time that an app runs. The app may start before or
  /// after the accessory connects. The sessions that an app has opened end with it.
  mutating func openApps() -> [RoleAction] {
    var actions: [RoleAction] = []
    let running = state.apps.filter(\.isRunning)
    for (app, sessions) in startedApps.sorted(by: { $0.key < $1.key })
    where !running.contains(where: { $0.name == app }) {
      startedApps[app] = nil
      for session in sessions.values.sorted() { actions += closeExternalAccessory(session) }
    }
    for app in running {
      for name in app.usableProtocols(of: carProtocols) where startedApps[app.name]?[name] == nil {
        // Only an explicit request reports a session that cannot be opened.
        do {
          let opened = try openExternalAccessory(name)
          startedApps[app.name, default: [:]][name] = opened.session
          actions += opened.actions
        } catch {}
      }
    }
    return actions
  }
}
