// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport
public import UIKit

/// A screen of an app in the car. The app gives the content of a template, and the car draws it.
///
/// Apps use the subclasses of the module. An object of a subclass of these is refused: the car accepts exact classes
/// only (CarPlay/Frameworks.md#exact-class).
@preconcurrency @MainActor
open class CPTemplate: NSObject {
  /// An object of the app that goes with the template.
  public var userInfo: Any? { didSet { noteChange() } }

  /// The title of the template's tab. A tab without a title, an image and a system item shows "More"
  /// (CarPlay/Frameworks.md#tab-bar-titles).
  @available(iOS 14.0, *)
  public var tabTitle: String? { didSet { noteChange() } }

  /// The image of the template's tab. It is shown instead of the system item's image.
  @available(iOS 14.0, *)
  public var tabImage: UIImage? { didSet { noteChange() } }

  /// The system item of the template's tab.
  @available(iOS 14.0, *)
  public var tabSystemItem: UITabBarItem.SystemItem {
    // Unverified: the value before an app sets one.
    get { givenTabSystemItem ?? .more }
    set {
      givenTabSystemItem = newValue
      noteChange("tabSystemItem")
    }
  }

  /// Whether the template's tab has a badge.
  @available(iOS 14.0, *)
  public var showsTabBadge = false { didSet { noteChange() } }

  /// The identifier that descriptions and texts of exceptions print.
  package nonisolated let identifier = UUID()

  /// The system item that the app set.
  package private(set) var givenTabSystemItem: UITabBarItem.SystemItem?

  /// Creates the part of a template that all classes share. Apps cannot make plain templates.
  package override init() {
    super.init()
    noteCreation()
  }

  /// The class, the address, the identifier and the properties of the tab, as crash reports show them.
  open override nonisolated var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    let start = "<\(Self.self): 0x\(address)> <identifier: \(identifier.uuidString)"
    guard MainQueue.isCurrent else { return start + ">" }
    return MainActor.assumeIsolated { start + ", " + tabDescription + ">" }
  }

  private var tabDescription: String {
    let values: [(String, Any?)] = [("userInfo", userInfo), ("tabTitle", tabTitle), ("tabImage", tabImage)]
    let texts = values.map { name, value in "\(name): \(value.map { String(describing: $0) } ?? "(null)")" }
    return (texts + ["showsTabBadge: \(showsTabBadge ? 1 : 0)"]).joined(separator: ", ")
  }
}
