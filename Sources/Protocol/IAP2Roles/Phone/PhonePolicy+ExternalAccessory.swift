// swift-iap2 · Apache-2.0

import IAP2

extension PhonePolicy {
  /// Sessions open or on their way: an accessory must not make us look for a free id for ever.
  public static let maximumSessions = Limits().externalAccessorySessions

  /// Why no session can be asked for.
  public enum OpenProblem: Error, Sendable, Hashable {
    case notReady
    /// The accessory has not identified the protocol.
    case unknownProtocol
    /// It does not list EA00, which opens sessions.
    case notListed
    case tooManySessions(limit: Int)
  }

  /// Opens a session of a protocol the accessory has identified.
  public mutating func openExternalAccessory(
    _ name: String
  ) throws(OpenProblem) -> (session: UInt16, actions: [RoleAction]) {
    guard isReady else { throw .notReady }
    let supported = identification?.supportedExternalAccessoryProtocol.first {
      $0.externalAccessoryProtocolName == name
    }
    guard let supported else { throw .unknownProtocol }
    guard isListed(StartExternalAccessoryProtocolSession.info.id) else { throw .notListed }
    guard openSessions.count + opening.count < Self.maximumSessions else {
      throw .tooManySessions(limit: Self.maximumSessions)
    }
    repeat {
      lastSession = lastSession == .max ? 1 : lastSession + 1
    } while openSessions[lastSession] != nil || opening[lastSession] != nil
    var start = StartExternalAccessoryProtocolSession()
    start.externalAccessoryProtocolIdentifier = supported.externalAccessoryProtocolIdentifier
    start.externalAccessoryProtocolSessionIdentifier = lastSession
    let actions = RoleMessage.send(start)
    // An accessory that does not list its answer will not give one; others drop data that comes before it (wiomoc).
    if isDeclared(StatusExternalAccessoryProtocolSession.info.id) {
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

  public mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction] {
    let wasOpening = opening.removeValue(forKey: session) != nil
    guard openSessions.removeValue(forKey: session) != nil || wasOpening else { return [] }
    var stop = StopExternalAccessoryProtocolSession()
    stop.externalAccessoryProtocolSessionIdentifier = session
    return tell(stop) + [.closeExternalAccessory(session: session)]
  }

  // MARK: Apps

  /// The names of the accessory's EA protocols.
  var carProtocols: [String] {
    identification?.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName) ?? []
  }

  /// Tells which automaker apps CarPlay shows now, where that has changed.
  mutating func tellApps() -> [RoleAction] {
    var shown: [String: [String]] = [:]
    for app in state.apps where !app.carPlayProtocols.isEmpty { shown[app.name] = app.shownProtocols(in: carProtocols) }
    defer { shownApps = shown }
    return Set(shown.keys).union(shownApps.keys).sorted().compactMap { name in
      let before = shownApps[name]
      // An app that is gone is shown no more.
      let now = shown[name] ?? []
      guard before != now, shown[name] != nil || before?.isEmpty == false else { return nil }
      return .event(
        .feature(now.isEmpty ? .appHidden(app: name, protocols: []) : .appShown(app: name, protocols: now)))
    }
  }

  /// Offers to find an app for each protocol that wants one and has none; once a connection.
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

  /// Starts the app that an accessory asks for; one that is not there is only told.
  mutating func launch(_ request: RequestAppLaunch) -> [RoleAction] {
    if let index = state.apps.firstIndex(where: { $0.bundleIdentifier == request.appBundleID }) {
      state.apps[index].isRunning = true
    }
    return [.event(.feature(.appLaunch(request)))] + openApps()
  }

  /// Sessions for the protocols of running apps, once for each time an app runs: it may have been there before the
  /// accessory, or come after it. What an app has opened ends with it.
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
        // One that cannot be opened is told where it is asked for by hand.
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
