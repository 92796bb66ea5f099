// swift-iap2 · Apache-2.0

package import CarPlayPlatform

extension ScreenNode {
  /// Whether the screen has an animation.
  package var turns: Bool { all.contains { $0.hasSpinner || $0.kind == .spinner } }
}
