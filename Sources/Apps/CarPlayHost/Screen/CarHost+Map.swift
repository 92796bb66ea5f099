// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation
import UIKit

extension CarHost {
  /// The maximum number of drawn views of a window. The map of an app that draws more is a picture, not views.
  private static let maximumWindowParts = 500
  /// The distance by which an arrow of the panning interface moves the plain map, in points. Ours.
  static let panStep = 40.0

  /// The map below the map template in front: the views of the app's window, and the distance of the driver's panning;
  /// nil without such a template.
  package func mapBelow() -> CarMap? {
    guard front == .app, frontMap != nil, let connection = app?.car else { return nil }
    return CarMap(moved: connection.map.moved, parts: parts(of: connection.window))
  }

  /// The window of a car maker's app; nil without one.
  package func makersWindow() -> CarMap? {
    guard front == .app, isMakersApp, let makerScreen, let window = UIWindow.shown(on: makerScreen) else { return nil }
    return CarMap(parts: parts(of: window))
  }

  private func parts(of window: UIWindow) -> [CarMap.Part] {
    window.layoutIfNeeded()
    var parts: [CarMap.Part] = []
    add(window, at: .zero, to: &parts)
    return parts
  }

  private func add(_ view: UIView, at origin: CGPoint, to parts: inout [CarMap.Part]) {
    guard !view.isHidden, view.alpha > 0.01, parts.count < Self.maximumWindowParts else { return }
    let frame = view.frame.offsetBy(dx: origin.x, dy: origin.y)
    guard [frame.minX, frame.minY, frame.width, frame.height].allSatisfy({ abs($0) < CarMap.furthest }) else { return }
    var part = CarMap.Part(frame: frame)
    part.ground = view.backgroundColor.flatMap { color($0, of: view) }
    if let label = view as? UILabel, let text = label.text, !text.isEmpty {
      part.text = FittedText.plain(text)
      part.ink = color(label.textColor, of: label)
      part.size = Double(max(1, min(label.font.pointSize, 200)))
    }
    if let view = view as? UIImageView { part.image = imageID(view.image) }
    if part.ground != nil || part.text != nil || part.image != nil { parts.append(part) }
    for subview in view.subviews { add(subview, at: frame.origin, to: &parts) }
  }

  /// Returns a color as it is shown; nil for a clear one.
  private func color(_ color: UIColor, of view: UIView) -> CarColor? {
    var parts: (red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) = (0, 0, 0, 0)
    unsafe color.resolvedColor(with: view.traitCollection).getRed(
      &parts.red, green: &parts.green, blue: &parts.blue, alpha: &parts.alpha)
    func part(_ value: CGFloat) -> Double { value.isFinite ? Double(max(0, min(value, 1))) : 0 }
    let alpha = part(parts.alpha) * part(view.alpha)
    guard alpha > 0 else { return nil }
    return CarColor(red: part(parts.red), green: part(parts.green), blue: part(parts.blue), alpha: alpha)
  }
}
