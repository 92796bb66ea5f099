// swift-iap2 · Apache-2.0

import Basics
package import CarPlay
import CarPlayPlatform
import Foundation

/// A reason why a change of the stack fails.
enum ChangeProblem {
  /// An exception, with or without a completion handler.
  case exception(CarPlayException)
  /// An error for the completion handler, or an exception without a handler.
  case error(TemplateError)
  /// The change has no effect.
  case ignored
}

extension CarHost {
  package func perform(
    _ request: InterfaceRequest, of controller: CPInterfaceController, animated: Bool,
    completion: ((Bool, (any Error)?) -> Void)?
  ) {
    let isOnMain = isOnMain(request.name) {
      self.perform(request, of: controller, animated: animated, completion: completion)
    }
    guard isOnMain else { return }
    guard let connection = app?.car, connection.controller === controller else {
      if let other = Self.owner(of: controller), other !== self {
        return other.perform(request, of: controller, animated: animated, completion: completion)
      }
      return refuseStale(request, completion)
    }
    note(.fromApp, request.name, request.template?.logName ?? "", object: "interface controller")
    if let exception = classProblem(request, hasCompletion: completion != nil) { return raise(exception) }
    let change = TemplateStack.Change(
      request: request, isAnimated: animated, completion: completion, place: .here(),
      tab: connection.stack.tabBar?.selectedTemplate)
    if connection.stack.isChanging {
      report(
        CarDiagnostic(
          .order, what: "\(request.name) was called before the change before it was complete",
          carShows: "some systems run both, others drop or refuse the second",
          remedy: "call it in the completion handler of the call before, or await that call", place: change.place))
      if faults.strictOrder {
        // The completion must not run inside the call: an app that retries immediately would recurse without end.
        events.after(settings.behavior.ipcDelay, .effect) { [weak self] in
          guard let self, self.app?.car === connection else { return }
          self.finish(change, .error(.changeInProgress))
        }
        return
      }
    }
    enqueue(change, of: connection)
  }

  /// Answers a call on the controller of an earlier connection, or of an ended app.
  private func refuseStale(_ request: InterfaceRequest, _ completion: ((Bool, (any Error)?) -> Void)?) {
    guard app != nil else { return }
    note(.fromApp, request.name, "(stale controller)", object: "interface controller")
    report(
      CarDiagnostic(
        .lifecycle, what: "\(request.name) was called on the controller of a connection that has ended",
        carShows: "an exception", remedy: "keep no controller, template or window after didDisconnect"))
    raise(.staleController)
  }

  /// Returns the exception for a class that is not allowed at the place.
  private func classProblem(_ request: InterfaceRequest, hasCompletion: Bool) -> CarPlayException? {
    guard let template = request.template, let place = request.place else { return nil }
    if let exception = classProblem(template, place, request.selector(hasCompletion: hasCompletion)) {
      return exception
    }
    guard let tabBar = template as? CPTabBarTemplate else { return nil }
    return tabProblem(tabBar)
  }

  private func classProblem(_ template: CPTemplate, _ place: TemplatePlace, _ method: String) -> CarPlayException? {
    let rules = rules
    func unsupported() -> CarPlayException {
      var allowed = rules.allowedClassNames(at: place)
      if place == .root, settings.iOSVersion < IOSVersion(14) { allowed = rules.allowedClassNames(at: .pushed) }
      return .unsupported(template.description, method: method, allowed: allowed)
    }
    guard let kind = template.kind else {
      report(
        CarDiagnostic(
          .setup, what: "\(Swift.type(of: template)) is a subclass of a template", carShows: "an exception",
          remedy: "use the template's own class; keep your data in userInfo"))
      return unsupported()
    }
    if place != .presented, kind.isModal, rules.allowed.contains(kind), !rules.allows(kind, at: place) {
      return .mustBePresented(kind.className)
    }
    if place == .presented, !kind.isModal, rules.allowed.contains(kind) { return .cannotBePresented(kind.className) }
    guard rules.allows(kind, at: place, searchAsRoot: settings.behavior.searchAsRoot) else {
      if rules.categories.isEmpty { reportNoEntitlement() }
      return unsupported()
    }
    return nil
  }

  private func reportNoEntitlement() {
    let keys = AppCategory.allCases.filter { $0 != .automaker }.map(\.entitlement)
    report(
      CarDiagnostic(
        .setup, what: "the app has no CarPlay entitlement that iOS \(settings.iOSVersion) knows",
        carShows: "no icon on the home screen; the set of allowed classes is (null)",
        remedy: "add one of \(keys.joined(separator: ", ")) with the value true"))
  }

  /// Returns the exception for invalid tabs of a tab bar.
  func tabProblem(_ tabBar: CPTabBarTemplate) -> CarPlayException? {
    let maximum = Swift.type(of: tabBar).maximumTabCount
    if tabBar.templates.count > maximum { return .tooManyTabs(tabBar.templates.count, maximum: maximum) }
    if Set(tabBar.templates.map(ObjectIdentifier.init)).count < tabBar.templates.count {
      report(
        CarDiagnostic(
          .setup, what: "a template is given for two tabs", carShows: "unpublished; here the first of them is selected",
          remedy: "give each tab a template of its own", place: places.place(of: tabBar) ?? .unknown))
    }
    for tab in tabBar.templates {
      if let exception = classProblem(tab, .tab, "initWithTemplates:") { return exception }
      if let bars = tab as? any CPBarButtonProviding,
        !bars.leadingNavigationBarButtons.isEmpty || !bars.trailingNavigationBarButtons.isEmpty
      {
        report(
          CarDiagnostic(
            .cut, what: "\(tab.logName) is a tab and has bar buttons", carShows: "no bar buttons on a tab's root",
            remedy: "offer the actions as rows, or push a template that has them",
            place: places.place(of: tab) ?? .unknown))
      }
    }
    return nil
  }

  // MARK: Changes, one after another

  func enqueue(_ change: TemplateStack.Change, of connection: CarConnection) {
    connection.stack.changes.append(change)
    guard !connection.stack.isChanging else { return }
    startNext(of: connection)
  }

  private func startNext(of connection: CarConnection) {
    guard !connection.stack.changes.isEmpty else { return }
    let change = connection.stack.changes.removeFirst()
    connection.stack.current = change
    // The templates' screen is drawn by another process, so a change takes time (mapbox 4827).
    events.after(settings.behavior.ipcDelay, .effect) { [weak self] in self?.apply(change, of: connection) }
  }

  private func end(_ change: TemplateStack.Change, of connection: CarConnection, _ problem: ChangeProblem? = nil) {
    connection.stack.current = nil
    finish(change, problem)
    guard app?.car === connection else { return }
    startNext(of: connection)
  }

  /// Calls the completion handler, or raises the exception.
  private func finish(_ change: TemplateStack.Change, _ problem: ChangeProblem?) {
    switch problem {
    case nil:
      guard let completion = change.completion else { return }
      note(.toApp, "completion", "of \(change.request.name): true", object: "closure")
      measure("completion of \(change.request.name)") { completion(true, nil) }
    case .error(let error):
      guard let completion = change.completion else {
        if change.isByUser { return }
        return raise(.noCompletion(error: error.printed), place: change.place)
      }
      note(.toApp, "completion", "of \(change.request.name): false, \(error.text)", object: "closure")
      measure("completion of \(change.request.name)") { completion(false, error.nsError) }
    case .exception(let exception): raise(exception, place: change.place)
    case .ignored: change.completion?(false, nil)
    }
  }

  /// Completes the pending changes of a disconnected car's controller with an error, so that no task of the app waits
  /// forever. Ours: the behavior of phones is not published.
  func abandonChanges(of connection: CarConnection) {
    for _ in 0..<Self.maximumAnswers where connection.stack.isChanging {
      let changes = (connection.stack.current.map { [$0] } ?? []) + connection.stack.changes
      (connection.stack.current, connection.stack.changes) = (nil, [])
      for change in changes where change.completion != nil { finish(change, .error(.disconnected)) }
    }
  }

  /// The maximum number of rounds of new changes that completions may request. Further changes are dropped.
  private static let maximumAnswers = 100

  private func apply(_ change: TemplateStack.Change, of connection: CarConnection) {
    guard app?.car === connection else { return }
    if generator.chance(faults.stuckChange) {
      return report(
        CarDiagnostic(
          .completion, what: "\(change.request.name) is stuck, so its completion does not come before the disconnect",
          carShows: "the screen before it", remedy: "do not block the app on a completion", place: change.place))
    }
    let stack = connection.stack
    if let problem = problem(of: change, stack) { return end(change, of: connection, problem) }
    carry(out: change, on: stack)
    layout()
    focusIndex = 0
    connection.page = 0
    if let template = change.request.template { begin(template, by: change, of: connection) }
    if case .setRoot(let template) = change.request {
      connection.shownTab = nil
      if let tabBar = template as? CPTabBarTemplate { carSelectedTab(of: tabBar, connection) }
      guard app?.car === connection else { return }
    }
    transition(of: connection, animated: change.isAnimated) { [weak self] in self?.end(change, of: connection) }
  }

  /// Notifies the delegate of the templates that disappeared and appeared since the last transition, in the order of
  /// the settings.
  func transition(of connection: CarConnection, animated: Bool, then: @escaping @MainActor () -> Void = {}) {
    let behavior = settings.behavior
    let order = behavior.delegateOrder
    let before = connection.visible
    let after = connection.stack.visible(
      innerToo: behavior.tabCallsInnerTemplate, modalCovers: behavior.modalCoversTemplate)
    connection.visible = after
    let gone = before.filter { old in !after.contains { $0 === old } }
    let new = after.filter { template in !before.contains { $0 === template } }
    tellWill(of: connection, gone, new, animated, order)
    events.after(animated ? settings.behavior.animationDelay : 0, .effect) { [weak self] in
      guard let self, self.app?.car === connection else { return }
      self.tellDid(of: connection, gone, new, animated, order)
      guard self.app?.car === connection else { return }
      then()
    }
  }

  private func tellWill(
    of connection: CarConnection, _ gone: [CPTemplate], _ new: [CPTemplate], _ animated: Bool,
    _ order: CarBehavior.DelegateOrder
  ) {
    let disappear = {
      for template in gone {
        self.callDelegate(
          connection.controller.delegate, Self.interfaceDelegate, "templateWillDisappear(_:animated:)", template.logName
        ) { $0.templateWillDisappear(template, animated: animated) }
      }
    }
    let appear = {
      for template in new {
        self.callDelegate(
          connection.controller.delegate, Self.interfaceDelegate, "templateWillAppear(_:animated:)", template.logName
        ) { $0.templateWillAppear(template, animated: animated) }
      }
    }
    if order == .disappearFirst { disappear() }
    appear()
    if order != .disappearFirst { disappear() }
  }

  private func tellDid(
    of connection: CarConnection, _ gone: [CPTemplate], _ new: [CPTemplate], _ animated: Bool,
    _ order: CarBehavior.DelegateOrder
  ) {
    let disappear = {
      for template in gone {
        self.callDelegate(
          connection.controller.delegate, Self.interfaceDelegate, "templateDidDisappear(_:animated:)", template.logName
        ) { $0.templateDidDisappear(template, animated: animated) }
      }
    }
    let appear = {
      for template in new {
        self.callDelegate(
          connection.controller.delegate, Self.interfaceDelegate, "templateDidAppear(_:animated:)", template.logName
        ) { $0.templateDidAppear(template, animated: animated) }
      }
    }
    if order == .disappearFirst { disappear() }
    appear()
    if order != .disappearFirst { disappear() }
  }

  private static let interfaceDelegate = "interface controller's delegate"

  // MARK: Rules that need the stack

  private func problem(of change: TemplateStack.Change, _ stack: TemplateStack) -> ChangeProblem? {
    switch change.request {
    case .setRoot: return nil
    case .push(let template):
      if stack.presented != nil { return .error(.coveredByModal) }
      if stack.root == nil { return .error(.nothingToPop) }
      if stack.contains(template) { return .exception(.sameTemplate) }
      if stack.top(in: change.tab) is CPNowPlayingTemplate, template.kind != .list {
        report(
          CarDiagnostic(
            .order, what: "\(template.logName) was pushed on Now Playing", carShows: "only lists above Now Playing (G)",
            remedy: "push a list template, or pop Now Playing first", place: change.place))
      }
      reportSecondLevel(change, stack)
      return depthProblem(change, stack)
    case .pop, .popToRoot:
      if stack.presented != nil, !change.isByUser { return .error(.coveredByModal) }
      return stack.above(in: change.tab).isEmpty ? .error(.nothingToPop) : nil
    case .popTo(let template):
      if stack.presented != nil { return .error(.coveredByModal) }
      return stack.has(template, in: change.tab) ? nil : .error(.notOnStack)
    case .present: return stack.presented == nil ? nil : .error(.alreadyPresenting)
    case .dismiss:
      guard stack.presented == nil else { return nil }
      report(
        CarDiagnostic(
          .ignored, what: "dismissTemplate was called and no template is presented", carShows: "no change",
          remedy: "dismiss only what is presented", place: change.place))
      return nil
    }
  }

  /// Reports fault 33. No reproducible cause is published, so the host does not emulate the crash.
  private func reportSecondLevel(_ change: TemplateStack.Change, _ stack: TemplateStack) {
    guard let connection = app?.car else { return }
    defer { connection.lastPush = turn }
    guard connection.hasChangedTab, connection.lastPush == turn, stack.tabBar != nil,
      stack.above(in: change.tab).count == 1
    else { return }
    report(
      CarDiagnostic(
        .note, what: "two templates are pushed at once in a tab after the tab was changed",
        carShows: "on some systems a crash (Apple forum 813008)",
        remedy: "try it on a device; push the second when the driver asks for it", place: change.place))
  }

  private func depthProblem(_ change: TemplateStack.Change, _ stack: TemplateStack) -> ChangeProblem? {
    let depth = stack.depth(in: change.tab, tabBarCounts: settings.behavior.tabBarCountsAsLevel) + 1
    guard depth > rules.depth else { return nil }
    let isRaised = settings.behavior.depthExceeded == .raise
    report(
      CarDiagnostic(
        .depth, what: "a stack of \(depth) templates, \(rules.depth) allowed for the app's category",
        carShows: isRaised ? "an exception, also with a completion handler" : "nothing: the tap is dead",
        remedy: "look at templates.count before a push, and pop or reuse a template", place: change.place))
    return isRaised ? .exception(.tooDeep) : .ignored
  }

  private func carry(out change: TemplateStack.Change, on stack: TemplateStack) {
    let tab = change.tab
    switch change.request {
    case .setRoot(let template): stack.setRoot(template)
    case .push(let template): stack.push(template, in: tab)
    case .pop: stack.pop(in: tab)
    case .popToRoot: stack.popToRoot(in: tab)
    case .popTo(let template): stack.pop(to: template, in: tab)
    case .present(let template): stack.present(template)
    case .dismiss: stack.dismiss()
    }
  }

  /// Sets the initial state of a template, before the app is notified that it appears.
  private func begin(_ template: CPTemplate, by change: TemplateStack.Change, of connection: CarConnection) {
    if places.place(of: template) == nil { places.note(template, change.request.name, change.place) }
    switch template {
    case let voice as CPVoiceControlTemplate:
      voice.activeStateIdentifier = voice.voiceControlStates.first?.identifier
    case is CPSearchTemplate:
      // The question numbers continue, so that an answer to an earlier template has an old number.
      let question = connection.search.question + 1
      connection.search = SearchState()
      connection.search.question = question
    case let points as CPPointOfInterestTemplate: reportRegion(points)
    case let map as CPMapTemplate:
      // The map is from an earlier connection, and its guidance continues. Ours: the behavior of phones is not
      // published.
      if connection.map.session == nil { connection.map.session = map.navigationSession }
    default: break
    }
  }
}
