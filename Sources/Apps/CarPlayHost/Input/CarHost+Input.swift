// swift-iap2 · Apache-2.0

import CallKit
import CarPlay
package import CarPlayPlatform
import Foundation

extension CarHost {
  // MARK: The screen

  /// The screen's parts with their effects, and with the reports about them.
  func elements() -> Element { reporting { parts() } }

  /// The reports about the parts of the screen, by the parts' indices.
  package func partReports() -> [CarState.PartReport] { Self.partReports(of: elements().all) }

  static func partReports(of parts: [Element]) -> [CarState.PartReport] {
    parts.enumerated().flatMap { index, part in
      part.reports.map { CarState.PartReport(part: index, report: $0) }
    }
  }

  private func parts() -> Element {
    guard isConnected else { return Element(ScreenNode(.off, "no phone")) }
    guard front != .off else { return Element(ScreenNode(.locked, "unlock the phone to use CarPlay")) }
    if let ringing = calls.first(where: { $0.phase == .ringing }) { return callScreen(ringing) }
    if showsSiri { return siriSheet() }
    if showsNowPlaying {
      return Element(
        ScreenNode(.nowPlaying), children: NowPlayingScreen(host: self, width: settings.screen.appArea.width).parts())
    }
    switch front {
    case .off, .home: return home()
    case .otherApp: return Element(ScreenNode(.home, "another app"), children: bannerPart())
    case .app:
      if let content { return content.element() }
      if isMakersApp { return makerElement() }
      guard let connection = app?.car else { return home() }
      return ScreenBuilder(host: self, connection: connection).app()
    }
  }

  private func home() -> Element {
    let icons: [Element] =
      listsApp
      ? [Element(ScreenNode(.icon, installed?.name ?? "")) { [weak self] in self?.open() }] : []
    return Element(ScreenNode(.home), children: icons + bannerPart())
  }

  private func bannerPart() -> [Element] {
    guard let banner else { return [] }
    let title =
      switch banner.content {
      case .maneuver(let maneuver):
        maneuver.notificationInstructionVariants.first ?? maneuverName(maneuver)
      case .alert(let alert): alert.titleVariants.first ?? ""
      case .message(let sender): sender
      }
    let fitted = FittedText(title, in: TextRoom(points: settings.screen.appArea.width))
    return [Element(ScreenNode(.banner, fitted.text, isCut: fitted.isCut), fitted) { [weak self] in self?.tapBanner() }]
  }

  /// The screen that the driver sees now.
  package func screen() -> ScreenNode {
    let hasFocus = settings.inputs.contains(where: \.movesFocus)
    return elements().screen(focus: hasFocus ? focusIndex : nil)
  }

  /// The dashboard's scene: two buttons, or the maneuver of the active session.
  package func dashboard() -> ScreenNode? { dashboardElement()?.screen(focus: nil) }

  /// The app's part of the instrument cluster: its maneuver, or its text without guidance. Nil until it has a window.
  package func cluster() -> ScreenNode? {
    guard isConnected, let app, let controller = app.cluster?.instrumentClusterController,
      controller.instrumentClusterWindow != nil
    else { return nil }
    let room = TextRoom(points: settings.screen.pointSize.width / 3, lines: 2)
    if let first = app.car?.map.session?.upcomingManeuvers.first {
      let title = variant([maneuverName(first)], of: first, "instructionVariants", in: room)
      return Element(
        ScreenNode(.cluster), children: [Element(ScreenNode(.maneuver, title?.text ?? ""), title)]
      ).screen(focus: nil)
    }
    let own = controller.attributedInactiveDescriptionVariants.map(\.string)
    let title = variant(
      controller.inactiveDescriptionVariants.isEmpty ? own : controller.inactiveDescriptionVariants, of: controller,
      "inactiveDescriptionVariants", in: room)
    return Element(ScreenNode(.cluster, title?.text ?? "", isCut: title?.isCut ?? false), title).screen(focus: nil)
  }

  private func dashboardElement() -> Element? {
    guard isConnected, let app, let scene = app.dashboard else { return nil }
    let room = TextRoom(points: settings.screen.pointSize.width / 3, lines: 2)
    if let connection = app.car, let session = connection.map.session {
      let first = session.upcomingManeuvers.first
      let own = first?.dashboardInstructionVariants ?? []
      let variants = own.isEmpty ? first.map { [maneuverName($0)] } ?? [] : own
      let title = variant(variants, of: first ?? session, "dashboardInstructionVariants", in: room)
      return Element(ScreenNode(.dashboard), children: [Element(ScreenNode(.maneuver, title?.text ?? ""))])
    }
    let given = scene.dashboardController.shortcutButtons
    let kept = settings.limits.maximumDashboardButtons
    reportCut(
      "dashboard buttons", given: given.count, kept: kept, of: scene.dashboardController, "shortcutButtons",
      remedy: "show at most \(kept)")
    let buttons = given.prefix(kept).map { button in
      let title = variant(button.titleVariants, of: button, "titleVariants", in: room)
      let detail = variant(button.subtitleVariants, of: button, "subtitleVariants", in: room)
      let name = title?.text ?? ""
      return Element(ScreenNode(.button, name, detail: detail?.text ?? ""), title, detail) { [weak self] in
        self?.run("dashboard button", name) { button.handler?(button) }
      }
    }
    return Element(ScreenNode(.dashboard), children: Array(buttons))
  }

  /// Taps a button of the dashboard.
  package func tapDashboard(_ title: String) -> Bool {
    guard let button = dashboardElement()?.reacting.first(where: { $0.isCalled(title) }) else { return false }
    button.action?()
    return true
  }

  /// Builds the screen, so that all cut texts and oversized images are reported.
  package func draw() { _ = elements() }

  // MARK: Taps

  /// Runs a handler of the app.
  func run(_ object: String, _ name: String, _ body: () -> Void) {
    guard app != nil else { return }
    note(.toApp, "handler", name, object: object)
    measure("the handler of \(name)", body)
  }

  /// Taps the first part that shows a text and reacts to taps. A shortened text can be given in full. Returns whether
  /// there is such a part.
  package func tap(_ text: String, kind: ScreenNode.Kind? = nil) -> Bool {
    let parts = elements().all.filter { $0.isCalled(text) && (kind == nil || $0.node.kind == kind) }
    guard let part = parts.first(where: { $0.action != nil && $0.node.isEnabled }) else {
      return parts.contains { !$0.node.isEnabled }
        ? {
          note(.car, "tap", "disabled \(text)")
          return true
        }() : false
    }
    activate(part)
    return true
  }

  /// Taps the part with an index among those of a kind.
  package func tap(_ kind: ScreenNode.Kind, at index: Int) -> Bool {
    let parts = elements().all.filter { $0.node.kind == kind }
    guard parts.indices.contains(index) else { return false }
    activate(parts[index])
    return true
  }

  /// Taps the part with an index among all parts of the screen, if its line is still the same.
  package func tapPart(_ index: Int, line: String) -> Bool {
    let parts = elements().all
    guard parts.indices.contains(index), parts[index].node.line == line else { return false }
    activate(parts[index])
    return true
  }

  private func activate(_ part: Element) {
    guard part.node.isEnabled, let action = part.action else { return }
    note(.car, "tap", part.node.line)
    showBar()
    action()
  }

  /// Shows the map's bar again after a touch.
  private func showBar() {
    guard let connection = app?.car, frontMap != nil else { return }
    connection.map.isNavigationBarVisible = true
    scheduleBarHiding()
  }

  /// Each part of the screen that reacts to a tap, as a node without children.
  package var reacting: [ScreenNode] { elements().reacting.map(\.node) }

  /// Taps the reacting part with an index, for random operation.
  package func tapReacting(_ index: Int) {
    let parts = elements().reacting
    guard !parts.isEmpty else { return }
    activate(parts[index % parts.count])
  }

  // MARK: Back

  /// Whether the back key has an effect.
  var canGoBack: Bool {
    if showsNowPlaying || showsSiri { return true }
    guard front == .app else { return false }
    if let content { return content.canGoBack }
    guard let stack = app?.car?.stack, stack.presented == nil else { return false }
    return !stack.above.isEmpty || (stack.top as? any CPBarButtonProviding)?.backButton != nil
  }

  /// Presses the back button or key. The system pops the template, or the app's own back button runs.
  package func back() {
    note(.car, "back")
    if showsSiri {
      showsSiri = false
      return
    }
    guard !showsNowPlaying, front == .app else {
      showsNowPlaying = false
      return
    }
    if let content { return content.back() }
    guard let connection = app?.car else { return }
    if let custom = (connection.stack.top as? any CPBarButtonProviding)?.backButton, connection.stack.presented == nil {
      return run("back button", custom.title ?? "") { custom.handler?(custom) }
    }
    guard connection.stack.presented == nil, !connection.stack.above.isEmpty else { return }
    enqueue(
      TemplateStack.Change(request: .pop, isAnimated: true, completion: nil, place: .unknown, isByUser: true),
      of: connection)
  }

  // MARK: Rows, results, actions

  /// Taps a row, which calls its handler or the list's delegate. The list accepts no other tap while a handler runs.
  func tap(_ item: any CPSelectableListItem, of list: CPListTemplate) {
    guard let connection = app?.car else { return }
    guard connection.run == nil else { return note(.car, "list is busy", connection.run?.name ?? "") }
    let name = "row \"\(FittedText(item.text ?? "", in: TextRoom(points: 400)).text)\""
    if let handler = item.handler {
      note(.toApp, "handler", name, object: "row")
      return begin(name, item: item, of: connection) { handler(item, $0) }
    }
    guard let delegate = list.delegate, let row = item as? CPListItem else {
      return note(.car, "no reaction", "\(name) has no handler")
    }
    note(.toApp, "listTemplate(_:didSelect:completionHandler:)", name, object: "list delegate")
    begin(name, item: item, of: connection) { delegate.listTemplate(list, didSelect: row, completionHandler: $0) }
  }

  /// Taps a picture of an image row.
  func tap(_ item: CPListImageRowItem, picture index: Int, _ title: String) {
    guard let connection = app?.car, connection.run == nil else { return }
    guard let handler = item.listImageRowHandler else {
      return note(.car, "no reaction", "the pictures of \(item.text ?? "a row") have no handler")
    }
    let name = "picture \(index) \"\(title)\""
    note(.toApp, "listImageRowHandler", name, object: "row")
    begin(name, item: item, of: connection) { handler(item, index, $0) }
  }

  /// Taps an action of an alert or a sheet. The app must dismiss the template itself.
  func choose(_ action: CPAlertAction, of template: CPTemplate) {
    guard let connection = app?.car else { return }
    run("action", action.title) { action.handler(action) }
    guard app?.car === connection, connection.stack.presented === template else { return }
    if settings.behavior.alertAutoDismiss {
      return enqueue(
        TemplateStack.Change(request: .dismiss, isAnimated: true, completion: nil, place: .unknown, isByUser: true),
        of: connection)
    }
    checks.append { [weak self] in
      guard let self, self.app?.car === connection, connection.stack.presented === template,
        !connection.stack.isChanging
      else { return }
      self.report(
        CarDiagnostic(
          .modal, what: "\(template.logName) is still presented after its action \(action.title) ran",
          carShows: "the alert over everything", remedy: "call dismissTemplate in the action's handler"))
    }
  }

  /// Presses the voice key, which opens Siri over the screen. Apps notice it only by intents and audio interruptions.
  package func pressVoiceKey() {
    note(.car, "siri", "voice key")
    showsSiri = rights.categories.contains(.communication) || opensSiri
  }

  // MARK: Knob

  /// Turns the knob, or swipes on the touchpad. The focus moves and stops at the ends.
  package func turn(_ steps: Int) {
    guard settings.inputs.contains(where: \.movesFocus) else { return note(.car, "no knob") }
    note(.car, "turn", "\(steps)")
    let count = elements().focusable.count
    focusIndex = max(0, min(count - 1, focusIndex + max(-1000, min(1000, steps))))
  }

  /// Presses the knob, which taps the part with the focus.
  package func press() {
    guard settings.inputs.contains(where: \.movesFocus) else { return note(.car, "no knob") }
    if let part = focusedPart { activate(part) }
  }

  /// The part of the screen with the focus; nil without one.
  var focusedPart: Element? {
    let parts = elements().focusable
    return parts.indices.contains(focusIndex) ? parts[focusIndex] : nil
  }
}
