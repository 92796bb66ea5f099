// swift-iap2 · Apache-2.0

import Basics
import CarPlay
import CarPlayPlatform
import UIKit

extension CarHost {
  /// Counts a change of a row and reports rows that change too often (one app caps at 4 a second).
  func rowChanged(_ item: any CPListTemplateItem, _ change: String) {
    guard change != "handler", change != "userInfo" else { return }
    if change == "setImage", let image = (item as? CPListItem)?.image, case .data = image.content.origin,
      generator.chance(faults.imageFailure)
    {
      failedImages.insert(ObjectIdentifier(image))
    }
    let count = rates.note(item, at: clock.now, within: .seconds(1))
    guard count > settings.behavior.rowUpdatesPerSecond else { return }
    report(
      CarDiagnostic(
        .rate, what: "a row was changed more than \(settings.behavior.rowUpdatesPerSecond) times in a second",
        carShows: "images that degrade, and a slow list, after a while",
        remedy: "collect changes and set each row a few times a second"))
  }

  /// Counts an update of an object that is updated with a cost, and reports updates that are too frequent.
  func noteRate(_ object: AnyObject, _ name: String) {
    let count = rates.note(object, at: clock.now, within: .seconds(1))
    guard count > Self.estimatesPerSecond else { return }
    report(
      CarDiagnostic(
        .rate, what: "\(name) were set more than \(Self.estimatesPerSecond) times in a second",
        carShows: "some of them", remedy: "set them when the shown number changes"))
  }

  /// The maximum number of updates of estimates in a second. Ours: a driver cannot read a number that changes more
  /// often.
  private static let estimatesPerSecond = 10

  /// Handles new sections. The list scrolls to its top, and the knob's focus is lost (HA 4705).
  func sectionsChanged(_ list: CPListTemplate) {
    let isVisible = app?.car?.stack.front === list
    let lost = focusIndex
    if isVisible, settings.inputs.contains(where: \.movesFocus), lost > 0 {
      report(
        CarDiagnostic(
          .focus, what: "updateSections while the focus is on row \(lost)",
          carShows: "the list at its top, and the focus on the first part",
          remedy: "change the rows' own text and image, and update sections only when rows come or go"))
      focusIndex = 0
    }
    if isVisible { app?.car?.page = 0 }
    guard rights.categories == [.drivingTask] else { return }
    checkRefresh(list, settings.behavior.drivingTaskRefresh, "a driving task app's list")
  }

  func pointsChanged(_ template: CPPointOfInterestTemplate) {
    checkRefresh(template, settings.behavior.pointOfInterestRefresh, "points of interest")
  }

  private func checkRefresh(_ object: AnyObject, _ period: Double, _ name: String) {
    guard refreshes.note(object, at: clock.now, within: .seconds(period)) > 1 else { return }
    report(
      CarDiagnostic(
        .rate, what: "\(name) were refreshed again within \(Int(period)) s", carShows: "a rejected app, in review (G)",
        remedy: "refresh at most once in \(Int(period)) s"))
  }

  // MARK: Tabs

  /// Handles new tabs. Their classes are checked, and the stacks of removed tabs are dropped.
  func tabsChanged(_ tabBar: CPTabBarTemplate) {
    guard let connection = app?.car, connection.stack.tabBar === tabBar else { return }
    if let exception = tabProblem(tabBar) { return raise(exception) }
    connection.stack.dropOldTabs()
    carSelectedTab(of: tabBar, connection)
    guard app?.car === connection else { return }
    transition(of: connection, animated: false)
  }

  /// Selects a tab, by touch or by the app.
  func selectTab(_ tabBar: CPTabBarTemplate, _ index: Int, byUser: Bool) {
    guard let connection = app?.car, tabBar.templates.indices.contains(index) else { return }
    let template = tabBar.templates[index]
    let isSame = tabBar.selectedTemplate === template
    let isVisible = connection.stack.tabBar === tabBar
    tabBar.selectedTemplate = template
    if isVisible { connection.shownTab = template }
    if isVisible, !isSame { connection.hasChangedTab = true }
    focusIndex = 0
    connection.page = 0
    if byUser, !isSame || settings.behavior.reselectingTabCalls {
      callDidSelect(tabBar, template)
    }
    guard isVisible, !isSame, app?.car === connection else { return }
    transition(of: connection, animated: false)
  }

  /// Calls the delegate for a tab that the car selected itself, if it is another tab than the one shown before.
  func carSelectedTab(of tabBar: CPTabBarTemplate, _ connection: CarConnection) {
    let (template, last) = (tabBar.selectedTemplate, connection.shownTab)
    // The delegate may change the tabs, or select one.
    connection.shownTab = template
    guard settings.behavior.firstTabCalls, let template, template !== last else { return }
    callDidSelect(tabBar, template)
  }

  private func callDidSelect(_ tabBar: CPTabBarTemplate, _ template: CPTemplate) {
    callDelegate(tabBar.delegate, "tab bar's delegate", "tabBarTemplate(_:didSelect:)", template.logName) {
      $0.tabBarTemplate(tabBar, didSelect: template)
    }
  }
}
