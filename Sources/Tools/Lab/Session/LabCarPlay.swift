// swift-iap2 · Apache-2.0

package import IAP2Roles
package import IAP2Runtime
package import IAP2Scenario

/// The CarPlay session beside the link of a live lab.
package protocol LabCarPlay: Sendable {
  /// The size of the main screen in pixels; nil while it is unknown.
  var screenSize: (width: Int, height: Int)? { get }
  /// Whether the page's finger reaches the screen.
  var takesTouch: Bool { get }
  /// Handles an event of this side's role.
  ///
  /// - Parameter phone: The phone, if it is this side.
  func take(_ event: RoleEvent, from phone: Phone?) async
  /// Runs a step of a scenario. Returns nil on success, otherwise the reason.
  func perform(_ step: CarPlayStep) async -> String?
  /// A finger is at a place of the main screen, or leaves it there.
  func touch(x: Int, y: Int, isDown: Bool) async
  /// Makes the next picture one that stands alone.
  func requestKeyFrame() async
  /// Ends the session.
  func close() async
}
