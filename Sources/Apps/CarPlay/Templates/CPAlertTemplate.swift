// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// An action of an alert, an action sheet or a navigation alert.
@preconcurrency @MainActor
open class CPAlertAction: NSObject {
  /// The meaning of an action.
  public enum Style: UInt, Sendable {
    /// An action without a special meaning.
    case `default` = 0
    /// An action that changes nothing.
    case cancel = 1
    /// An action that deletes something.
    case destructive = 2
  }

  /// The title.
  public let title: String

  /// The meaning.
  public let style: CPAlertAction.Style

  /// The color. The car ignores the alpha value and replaces a color with little contrast.
  @available(iOS 16.0, *)
  public let color: UIColor?

  /// Runs when the action is selected.
  ///
  /// The car does not remove the alert afterwards: the app calls
  /// ``CPInterfaceController/dismissTemplate(animated:completion:)``.
  public let handler: (CPAlertAction) -> Void

  /// Creates an action.
  public init(title: String, style: CPAlertAction.Style, handler: @escaping (CPAlertAction) -> Void) {
    self.title = title
    self.style = style
    color = nil
    self.handler = handler
    super.init()
    noteCreation()
  }

  /// Creates an action with a color.
  @available(iOS 16.0, *)
  public init(title: String, color: UIColor, handler: @escaping (CPAlertAction) -> Void) {
    self.title = title
    style = .default
    self.color = color
    self.handler = handler
    super.init()
    noteCreation()
  }
}

/// A modal screen with a text and actions.
///
/// The car shows the last ``maximumActionCount`` actions. ``actions`` keeps what the app gave.
@preconcurrency @MainActor
open class CPAlertTemplate: CPTemplate {
  /// The texts, the longest first.
  public let titleVariants: [String]

  /// The actions that the app gave.
  public let actions: [CPAlertAction]

  /// The number of actions that the car shows.
  @available(iOS 14.0, *)
  public class var maximumActionCount: Int { CarPlayModule.limits.maximumAlertActions }

  /// Creates an alert.
  public init(titleVariants: [String], actions: [CPAlertAction]) {
    self.titleVariants = titleVariants
    self.actions = actions
    super.init()
  }
}

/// A modal panel with a title, a message and actions.
@preconcurrency @MainActor
open class CPActionSheetTemplate: CPTemplate {
  /// The title.
  public let title: String?
  /// The text below the title.
  public let message: String?
  /// The actions that the app gave.
  public let actions: [CPAlertAction]

  /// Creates an action sheet.
  public init(title: String?, message: String?, actions: [CPAlertAction]) {
    self.title = title
    self.message = message
    self.actions = actions
    super.init()
  }
}
