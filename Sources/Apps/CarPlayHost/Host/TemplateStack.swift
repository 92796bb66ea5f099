// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform

/// The templates of a connection: a root, a stack above it for each tab, and a modal template.
@MainActor
final class TemplateStack {
  /// A change that is requested and not finished.
  struct Change {
    var request: InterfaceRequest
    var isAnimated: Bool
    var completion: ((Bool, (any Error)?) -> Void)?
    var place: CodePlace
    /// Whether the user caused the change.
    var isByUser = false
    /// The root of the tab that was selected at the call. The change applies to the stack of this tab.
    var tab: CPTemplate?
  }

  private(set) var root: CPTemplate?
  private(set) var presented: CPTemplate?
  /// The templates above the root. In an app with tabs, those of each tab by the identity of its root.
  private var pushed: [ObjectIdentifier: [CPTemplate]] = [:]
  /// The waiting changes.
  var changes: [Change] = []
  /// The change that is being applied.
  var current: Change?
  var isChanging: Bool { current != nil }

  /// The root as a tab bar.
  var tabBar: CPTabBarTemplate? { root as? CPTabBarTemplate }

  /// Returns the lowest template of a stack: without tabs the root, otherwise the root of the tab. A removed tab is
  /// replaced by the selected one.
  private func lowest(_ tab: CPTemplate?) -> CPTemplate? {
    guard let tabBar else { return root }
    let isThere = tab.map { tab in tabBar.templates.contains { $0 === tab } } ?? false
    return isThere ? tab : tabBar.selectedTemplate ?? root
  }

  /// Returns the templates above the root, or above the root of a tab.
  func above(in tab: CPTemplate?) -> [CPTemplate] {
    lowest(tab).flatMap { pushed[ObjectIdentifier($0)] } ?? []
  }

  private func setAbove(_ templates: [CPTemplate], in tab: CPTemplate?) {
    if let lowest = lowest(tab) { pushed[ObjectIdentifier(lowest)] = templates }
  }

  /// The templates above the root, or above the selected tab.
  var above: [CPTemplate] { above(in: nil) }

  /// The stack as an app reads it, with the root first.
  var templates: [CPTemplate] { (root.map { [$0] } ?? []) + above }

  /// The highest template below the modal one.
  var top: CPTemplate? { top(in: nil) }

  /// Returns the highest template of a tab.
  func top(in tab: CPTemplate?) -> CPTemplate? { above(in: tab).last ?? lowest(tab) }

  /// The template that gets the user's input.
  var front: CPTemplate? { presented ?? top }

  /// Returns the number of levels of a tab.
  func depth(in tab: CPTemplate?, tabBarCounts: Bool) -> Int {
    above(in: tab).count + (root == nil || (tabBar != nil && !tabBarCounts) ? 0 : 1)
  }

  /// Returns whether a template is on the stack, in any tab.
  func contains(_ template: CPTemplate) -> Bool {
    root === template || presented === template || pushed.values.contains { $0.contains { $0 === template } }
      || (tabBar?.templates.contains { $0 === template } ?? false)
  }

  /// Returns the visible templates that are reported to the app, the outermost first.
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

  func push(_ template: CPTemplate, in tab: CPTemplate?) { setAbove(above(in: tab) + [template], in: tab) }

  func pop(in tab: CPTemplate?) { setAbove(above(in: tab).dropLast(), in: tab) }

  func popToRoot(in tab: CPTemplate?) { setAbove([], in: tab) }

  /// Returns whether the stack of a tab has a template. A template in another tab's stack does not count.
  func has(_ template: CPTemplate, in tab: CPTemplate?) -> Bool {
    template === root || template === lowest(tab) || above(in: tab).contains { $0 === template }
  }

  /// Pops to a template on the stack of a tab.
  func pop(to template: CPTemplate, in tab: CPTemplate?) {
    let above = above(in: tab)
    setAbove(above.firstIndex { $0 === template }.map { Array(above[...$0]) } ?? [], in: tab)
  }

  /// Removes the stacks of tabs that the tab bar no longer has.
  func dropOldTabs() {
    guard let tabBar else { return }
    let tabs = Set(tabBar.templates.map(ObjectIdentifier.init))
    pushed = pushed.filter { tabs.contains($0.key) }
  }

  func present(_ template: CPTemplate) { presented = template }

  func dismiss() { presented = nil }
}
