// swift-iap2 · Apache-2.0

extension PhonePolicy {
  /// Sessions open or on their way: an accessory must not make us look for a free id for ever.
  public static let maximumSessions = Limits().externalAccessorySessions

  /// Opens a session of a protocol the accessory has identified; nil if it has not, or with ``maximumSessions`` open.
  public mutating func openExternalAccessory(_ name: String) -> (session: UInt16, actions: [RoleAction])? {
    let supported = identification?.supportedExternalAccessoryProtocol.first {
      $0.externalAccessoryProtocolName == name
    }
    guard isReady, let supported, openSessions.count + opening.count < Self.maximumSessions else { return nil }
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
    return RoleMessage.send(stop) + [.closeExternalAccessory(session: session)]
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
    return shown.keys.sorted().compactMap { name in
      guard let now = shown[name], shownApps[name] != now else { return nil }
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
  /// accessory, or come after it.
  mutating func openApps() -> [RoleAction] {
    var actions: [RoleAction] = []
    for app in state.apps {
      guard app.isRunning else {
        startedApps[app.name] = nil
        continue
      }
      for name in app.usableProtocols(of: carProtocols) where startedApps[app.name]?.contains(name) != true {
        startedApps[app.name, default: []].insert(name)
        if let opened = openExternalAccessory(name) { actions += opened.actions }
      }
    }
    return actions
  }
}
