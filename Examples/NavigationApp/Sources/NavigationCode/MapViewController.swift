// swift-iap2 · Apache-2.0

import CarPlay

/// The app's map. There is one, which moves from the phone's window to the car's and back.
final class MapViewController: UIViewController {
  /// The movement of the camera in points, and its zoom.
  struct Camera: Equatable {
    var x = 0.0
    var y = 0.0
    var zoom = 14.0
  }

  private(set) var camera = Camera()
  /// Whether the camera follows the car.
  private(set) var isFollowing = true

  /// The car's own position; nil before the first one.
  private(set) var position: CLLocation?
  /// Whether the map is dark.
  var isDark = false

  /// The length of one step of the panning buttons in points.
  private static let step = 80.0

  /// Moves the camera by one step. A diagonal step has the same length as a straight one.
  func pan(_ direction: CPMapTemplate.PanDirection) {
    var x = 0.0
    var y = 0.0
    if direction.contains(.left) { x -= Self.step }
    if direction.contains(.right) { x += Self.step }
    if direction.contains(.up) { y -= Self.step }
    if direction.contains(.down) { y += Self.step }
    let share = x != 0 && y != 0 ? 0.5.squareRoot() : 1
    move(x: x * share, y: y * share)
  }

  /// Moves the camera against the movement of a finger.
  func drag(_ translation: CGPoint) { move(x: -translation.x, y: -translation.y) }

  func zoom(by levels: Double) { camera.zoom = min(20, max(2, camera.zoom + levels)) }

  /// Shows the car's own position again.
  func follow() {
    camera.x = 0
    camera.y = 0
    isFollowing = true
  }

  /// Moves the car on the map.
  func show(_ location: CLLocation) { position = location }

  private func move(x: Double, y: Double) {
    camera.x += x
    camera.y += y
    isFollowing = false
  }
}
