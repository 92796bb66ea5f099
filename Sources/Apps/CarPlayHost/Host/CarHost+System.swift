// swift-iap2 · Apache-2.0

package import CarPlay
package import CarPlayPlatform
import PortingSupport

extension CarHost: CarPlaySystem {
  package var categories: Set<AppCategory> { rules.categories }

  /// The rules of the running app's categories.
  var rules: TemplateRules { TemplateRules(categories: rights.categories, iOSVersion: settings.iOSVersion) }

  /// The rights of the running app.
  var rights: AppRights {
    AppRights(entitlements: installed?.entitlements ?? [], iOSVersion: settings.iOSVersion)
  }

  package var session: SessionState {
    var limited: CPLimitableUserInterface = []
    if isDriving, settings.limitedWhileDriving.contains(.keyboard) { limited.insert(.keyboard) }
    if isDriving, settings.limitedWhileDriving.contains(.lists) { limited.insert(.lists) }
    return SessionState(
      limitedUserInterfaces: limited, contentStyle: settings.contentStyle == .dark ? .dark : .light,
      supportsVideoPlayback: settings.iOSVersion >= IOSVersion(26, 4) && !isDriving)
  }

  package func state(of controller: CPInterfaceController) -> InterfaceState {
    guard let connection = app?.car, connection.controller === controller else {
      if let other = Self.owner(of: controller), other !== self { return other.state(of: controller) }
      return InterfaceState()
    }
    return InterfaceState(templates: connection.stack.templates, presented: connection.stack.presented)
  }

  /// Returns whether the app calls the framework on the main queue. A call from another thread is reported and repeated
  /// on the main queue. If the host itself called the app on that thread, the call is only noted.
  func isOnMain(_ call: String, again: @escaping @MainActor () -> Void = {}) -> Bool {
    guard !PortingSupport.MainQueue.isCurrent else { return true }
    guard awayFromMain == .no else {
      awayFromMain = .used
      return false
    }
    let place = CodePlace.here()
    Self.onMain {
      self.report(
        CarDiagnostic(
          .thread, what: "\(call) was called away from the main thread", carShows: "undefined: it may work, or crash",
          remedy: "call the framework on the main actor", place: place))
      again()
    }
    return false
  }

  /// Returns the host whose app has a controller.
  static func owner(of controller: CPInterfaceController) -> CarHost? {
    hosts.lazy.compactMap(\.object).first { $0.app?.car?.controller === controller }
  }

  package func created(_ object: AnyObject) {
    guard app != nil, PortingSupport.MainQueue.isCurrent else { return }
    places.note(object, ChangePlaces.creation, .here())
  }

  package func changed(_ object: AnyObject, _ change: StaticString) {
    let change = String(describing: change)
    guard isOnMain(change) else { return }
    activity &+= 1
    places.note(object, change, .here())
    guard app != nil else { return }
    switch object {
    case let item as any CPListTemplateItem: rowChanged(item, change)
    case let list as CPListTemplate where change == "updateSections": sectionsChanged(list)
    case let points as CPPointOfInterestTemplate where change == "setPointsOfInterest": pointsChanged(points)
    case let session as CPNavigationSession: sessionChanged(session, change)
    case let map as CPMapTemplate: mapChanged(map, change)
    case let tabs as CPTabBarTemplate where change == "updateTemplates": tabsChanged(tabs)
    default: break
    }
  }
}
