// swift-iap2 · Apache-2.0

/// A kind of input that a car has. A car can have several (CarPlay/Behavior.md#inputs).
public enum CarInput: String, Sendable, Codable, Hashable, CaseIterable {
  /// A screen that reports taps and drags.
  case touch
  /// A screen that reports taps only. Lists page by arrows, and maps have no pan gesture.
  case lowFidelityTouch
  /// A knob that turns and selects when it is pressed.
  case knob
  /// A touchpad that moves the focus and selects when it is pressed.
  case touchpad
  /// Keys of the steering wheel and the dashboard.
  case keys

  /// Whether the input moves a visible focus over the screen.
  public var movesFocus: Bool { self == .knob || self == .touchpad }
  /// Whether the input points at a place of the screen.
  public var points: Bool { self == .touch || self == .lowFidelityTouch }
}

/// The connection between the phone and the car.
public enum CarLink: String, Sendable, Codable, Hashable, CaseIterable {
  /// A cable, which also charges the phone.
  case wired
  /// Bluetooth and Wi-Fi.
  case wireless
}

/// The light or dark form of the user interface or of the map.
public enum CarStyle: String, Sendable, Codable, Hashable, CaseIterable {
  /// The form for the day.
  case light
  /// The form for the night.
  case dark
}

/// The side of the car the driver sits on. The dock, the guidance card and the map buttons follow it.
public enum DrivingSide: String, Sendable, Codable, Hashable, CaseIterable {
  /// Dock and cards on the left, map buttons on the right.
  case left
  /// Dock and cards on the right, map buttons on the left.
  case right
}

/// The place of the bar with the clock and the icons of recent apps.
public enum DockPlace: String, Sendable, Codable, Hashable, CaseIterable {
  /// At the driver's side.
  case leading
  /// At the bottom, as on portrait screens.
  case bottom
}
