// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform

/// The templates of a connection: a root, a stack above it for each tab, and a modal template.
@MainActor
final class TemplateStack {
  /// A change that is asked for and not finished.
  struct Change {
    var request: InterfaceRequest
    var isAnimated: Bool
    var completion: ((Bool, (any Error)?) -> Void)?
    var place: CodePlace
    /// Whether the user caused the change.
    var isByUser = false
  }

  private(set) var root: CPTemplate?
  private(set) var presented: CPTemplate?
  /// The templates above the root; in an app with tabs, those of each tab by the identity of its root.
  private var pushed: [ObjectIdentifier: [CPTemplate]] = [:]
  /// The changes that wait.
  var changes: [Change] = []
  /// The change that is under way.
  var current: Change?
  var isChanging: Bool { current != nil }

  /// The root as a tab bar.
  var tabBar: CPTabBarTemplate? { root as? CPTabBarTemplate }

  private var level: ObjectIdentifier? { (tabBar?.selectedTemplate ?? root).map(ObjectIdentifier.init) }

  /// The templates above the root, or above the selected tab.
  private(set) var above: [CPTemplate] {
    get { level.flatMap { pushed[$0] } ?? [] }
    set { if let level { pushed[level] = newValue } }
  }

  /// The stack as an app reads it: the root first.
  var templates: [CPTemplate] { (root.map { [$0] } ?? []) + above }

  /// The template under modal ones.
  var top: CPTemplate? { above.last ?? tabBar?.selectedTemplate ?? root }

  /// The template that gets the user's input.
  var front: CPTemplate? { presented ?? top }

  /// The number of levels.
  func depth(tabBarCounts: Bool) -> Int { templates.count - (tabBar != nil && !tabBarCounts ? 1 : 0) }

  /// Returns whether a template is on the stack, in any tab.
  func contains(_ template: CPTemplate) -> Bool {
    root === template || presented === template || pushed.values.contains { $0.contains { $0 === template } }
      || (tabBar?.templates.contains { $0 === template } ?? false)
  }

  /// Returns the templates that the app is told about: what is visible, the outermost first.
  func visible(innerToo: Bool, modalCovers: Bool) -> [CPTemplate] {
    var all: [CPTemplate] = []
    if presented == nil || !modalCovers {
      if let top = above.last {
        all.append(top)
      } else if let tabBar {
        all.append(tabBar)
        if innerToo, let selected = tabBar.selectedTemplate { all.append(selected) }
      } else if let root {
        all.append(root)
      }
    }
    if let presented { all.append(presented) }
    return all
  }

  func setRoot(_ template: CPTemplate) {
    root = template
    pushed = [:]
    presented = nil
  }

  func push(_ template: CPTemplate) { above.append(template) }

  func pop() { if !above.isEmpty { above.removeLast() } }

  func popToRoot() { above = [] }

  /// Returns whether the shown stack has a template: that of another tab is not shown.
  func shows(_ template: CPTemplate) -> Bool {
    template === tabBar?.selectedTemplate || templates.contains { $0 === template }
  }

  /// Pops to a template that the stack shows.
  func pop(to template: CPTemplate) {
    above = above.firstIndex { $0 === template }.map { Array(above[...$0]) } ?? []
  }

  /// Drops the stacks of tabs that the tab bar no longer has.
  func dropOldTabs() {
    guard let tabBar else { return }
    let tabs = Set(tabBar.templates.map(ObjectIdentifier.init))
    pushed = pushed.filter { tabs.contains($0.key) }
  }

  func present(_ template: CPTemplate) { presented = template }

  func dismiss() { presented = nil }
}
