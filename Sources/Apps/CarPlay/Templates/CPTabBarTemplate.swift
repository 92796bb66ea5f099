// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation

/// A bar of tabs, each with a stack of templates. It can only be a root template.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPTabBarTemplate: CPTemplate {
  /// The object that learns which tab is selected.
  public weak var delegate: (any CPTabBarTemplateDelegate)?

  /// The templates of the tabs.
  public private(set) var templates: [CPTemplate]

  /// The template of the selected tab. The host sets it.
  public package(set) var selectedTemplate: CPTemplate?

  /// The number of tabs that the car shows. More tabs raise an exception.
  public class var maximumTabCount: Int {
    let categories = CarPlayModule.system.categories
    return CarPlayModule.limits.maximumTabCount ?? categories.map(\.maximumTabCount).max()
      // Unverified: the number in an app without an entitlement. The car shows no such app.
      ?? AppCategory.navigation.maximumTabCount
  }

  /// Creates a tab bar whose first tab is selected. Raises an exception for more tabs than ``maximumTabCount``.
  public init(templates: [CPTemplate]) {
    self.templates = templates
    selectedTemplate = templates.first
    super.init()
    Self.checkCount(templates)
  }

  /// Replaces the tabs. Raises an exception for more tabs than ``maximumTabCount``.
  public func updateTemplates(_ newTemplates: [CPTemplate]) {
    Self.checkCount(newTemplates)
    templates = newTemplates
    if !newTemplates.contains(where: { $0 === selectedTemplate }) { selectedTemplate = newTemplates.first }
    noteChange("updateTemplates")
  }

  /// Selects the tab of a template. Has no effect for a template that has no tab.
  @available(iOS 17.0, *)
  public func select(_ newTemplate: CPTemplate) {
    guard let index = templates.firstIndex(where: { $0 === newTemplate }) else {
      return CarPlayModule.system.report(.noSuchTab("select(_:) got a template that is not in the tab bar"))
    }
    CarPlayModule.system.perform(.selectTab(self, index: index))
  }

  /// Selects the tab at a position. Has no effect for a position without a tab.
  @available(iOS 17.0, *)
  public func selectTemplate(at index: Int) {
    guard templates.indices.contains(index) else {
      return CarPlayModule.system.report(
        .noSuchTab("selectTemplate(at: \(index)) was called on a tab bar with \(templates.count) tabs"))
    }
    CarPlayModule.system.perform(.selectTab(self, index: index))
  }

  private static func checkCount(_ templates: [CPTemplate]) {
    let maximum = maximumTabCount
    if templates.count > maximum { CarPlayModule.system.raise(.tooManyTabs(templates.count, maximum: maximum)) }
  }
}

/// An object that learns which tab of a tab bar is selected.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public protocol CPTabBarTemplateDelegate: NSObjectProtocol {
  /// Reports that the user selected a tab.
  func tabBarTemplate(_ tabBarTemplate: CPTabBarTemplate, didSelect selectedTemplate: CPTemplate)
}

extension CarDiagnostic {
  // Unverified: the effect of a tab that does not exist.
  fileprivate static func noSuchTab(_ what: String) -> Self {
    CarDiagnostic(
      .ignored, what: what, carShows: "the selected tab does not change",
      remedy: "select one of the templates that the tab bar has now")
  }
}
