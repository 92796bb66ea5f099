// swift-iap2 · Apache-2.0

public import Foundation
import PortingSupport

/// A screen: the phone's own, the car's, or another display.
@preconcurrency @MainActor open class UIScreen: NSObject {
  /// The rectangle of the screen, in points.
  public package(set) final var bounds: CGRect
  /// The pixels of a point.
  public package(set) final var scale: CGFloat
  /// The traits of the screen. The idiom of a car's screen is `carPlay`.
  public package(set) final var traitCollection: UITraitCollection

  /// Creates a screen.
  package init(bounds: CGRect, scale: CGFloat, style: UIUserInterfaceStyle, idiom: UIUserInterfaceIdiom) {
    self.bounds = bounds
    self.scale = scale
    traitCollection = UITraitCollection(style: style, displayScale: scale, idiom: idiom)
    super.init()
  }

  /// The rectangle of the screen, in pixels.
  public final var nativeBounds: CGRect {
    CGRect(
      x: bounds.minX * scale, y: bounds.minY * scale, width: bounds.width * scale, height: bounds.height * scale)
  }

  /// The phone's own screen.
  public static let main = UIScreen(
    bounds: CGRect(x: 0, y: 0, width: 393, height: 852), scale: 3, style: .light, idiom: .phone)

  /// The connected screens, with the phone's own one first.
  public package(set) static var screens = [main]

  /// The name of the notification of a new screen, with the screen as its object.
  public nonisolated static let didConnectNotification = Notification.Name("UIScreenDidConnectNotification")
  /// The name of the notification of a removed screen, with the screen as its object.
  public nonisolated static let didDisconnectNotification = Notification.Name("UIScreenDidDisconnectNotification")

  /// Connects a screen and posts the notification, unless the app only begins and finds the screen among the others.
  package static func connect(_ screen: UIScreen, isAnnounced: Bool = true) {
    guard !screens.contains(where: { $0 === screen }) else { return }
    screens.append(screen)
    guard isAnnounced else { return }
    SystemNotification.post(didConnectNotification, object: screen)
  }

  /// Disconnects a screen and posts the notification. The phone's own screen stays.
  package static func disconnect(_ screen: UIScreen) {
    guard screen !== main, let index = screens.firstIndex(where: { $0 === screen }) else { return }
    screens.remove(at: index)
    SystemNotification.post(didDisconnectNotification, object: screen)
  }
}
