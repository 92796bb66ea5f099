// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import CarPlayScreen
package import Foundation
import UIKit

/// The sizes of the system's parts on the screen in points. Ours: no picture of CarPlay was measured.
enum SystemLayout {
  /// The height of a navigation bar and of a tab bar.
  static let bar = Grid.bar
  /// The width of the column of map buttons.
  static let mapButtons = 52.0
  /// The fraction of the width that a guidance card or a trip preview takes (S0: apps assumed 0.45 and 0.48).
  static let card = Grid.card
  /// The width of a row's image with its margins.
  static let rowImage = 60.0
  /// The width of a row's accessory with its margins.
  static let accessory = 40.0
}

extension CarHost {
  /// Updates the app's window: the size, the safe area and the layout guide of the visible map buttons.
  func layout() {
    guard let connection = app?.car else { return }
    let size = settings.screen.appArea.size
    let isLeftHand = settings.screen.drivingSide == .left
    let map = frontMap ?? currentMap
    let state = connection.map
    let hidesButtons = map?.hidesButtonsWithNavigationBar == true && !state.isNavigationBarVisible
    let hasButtons = map?.mapButtons.contains { !$0.isHidden } == true && !hidesButtons
    let hasCard = map?.tripPreviews != nil || state.session != nil
    let card = hasCard ? size.width * SystemLayout.card : 0
    let top = map == nil || state.isNavigationBarVisible ? SystemLayout.bar : 0
    let insets = UIEdgeInsets(
      top: top, left: isLeftHand ? card : 0, bottom: 0, right: isLeftHand ? 0 : card)
    let column = hasButtons ? SystemLayout.mapButtons : 0
    connection.window.frame = CGRect(origin: .zero, size: size)
    connection.window.hostSafeAreaInsets = insets
    connection.window.mapButtonSafeAreaLayoutGuide.layoutFrame = CGRect(
      x: insets.left + (isLeftHand ? 0 : column), y: top, width: max(0, size.width - card - column),
      height: max(0, size.height - top))
  }

  /// The part of the app's window that no part of the system covers, in points.
  package var freeArea: CGRect {
    guard let window = app?.car?.window else { return .zero }
    return window.mapButtonSafeAreaLayoutGuide.layoutFrame
  }
}
