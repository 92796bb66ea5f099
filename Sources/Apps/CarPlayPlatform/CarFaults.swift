// swift-iap2 · Apache-2.0

/// Switches for failures that occur in the field (CarPlay/Behavior.md#failures). All are off by default. Chances are
/// drawn from the car's seed, so a run can be repeated.
///
/// Some rows of the list have no switch: 5, 9 and 11 are rules of the host. 8, 13, 15, 18, 19, 20, 33, 34 and 35 are
/// reports or screens that appear without a switch. 2, 12, 22, 26, 28, 29, 32 and 36 are settings. 7, 24, 30 and 31 are
/// verbs of a test. Documentation/Tasks/CarPlayFailures.md lists the rows with the tests that show them.
public struct CarFaults: Sendable, Hashable, Codable {
  /// The chance that `didDisconnect` is lost (row 1: about one in five in S0, S1).
  public var loseDisconnect = 0.0
  /// Whether the app is killed when the car disconnects while a template is presented (row 3).
  public var killOnModalDisconnect = false
  /// Whether drawing with the GPU in the background ends the app (row 4).
  public var denyGPUInBackground = false
  /// Whether a reconnect delivers the new connection before the old disconnection (row 6).
  public var overlapReconnect = false
  /// Whether a call during another change fails instead of waiting (rows 9 and 10).
  public var strictOrder = false
  /// The chance that a remote image of a row stays a placeholder (row 14).
  public var imageFailure = 0.0
  /// Whether `carTraitCollection.displayScale` is zero until the scene is active (row 17).
  public var lateTraits = false
  /// Whether artwork is requested away from the main thread (row 21).
  public var artworkOffMain = false
  /// The chance that connecting sends a shuffle or repeat command without a user's action (row 23).
  public var spontaneousCommands = 0.0
  /// Whether the keyboard closes because the phone asks for its code (row 25).
  public var dismissKeyboard = false
  /// Whether the region callback of points of interest comes away from the main thread (row 27). The main thread waits
  /// meanwhile. An app that uses the framework in this callback is ended. An app that asserts the main actor itself
  /// traps, as on a phone.
  public var offMainCallbacks = false
  /// Whether the content style is wrong at connect and is corrected later (OsmAnd 5561; row 16).
  public var lateContentStyle = false
  /// Whether phone and car have different styles (row 16).
  public var splitStyles = false
  /// The chance that a change of the stack never reaches the screen, so its completion does not come before the end of
  /// the connection (row 10).
  public var stuckChange = 0.0
  /// Whether search results are shown in the order of arrival, so old results can replace new ones.
  public var lateSearchAnswers = false

  /// Creates faults that are all off.
  public init() {}
}
