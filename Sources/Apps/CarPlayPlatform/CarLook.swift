// swift-iap2 · Apache-2.0

/// The values that determine the appearance of a car's screen: its size and shape, the input, and the current styles.
public struct CarLook: Sendable, Codable, Hashable {
  /// The screen.
  public var screen: CarScreen
  /// Whether the driver moves a focus over the screen, with a knob or a touchpad.
  public var movesFocus: Bool
  /// The style of the user interface.
  public var appearance: CarStyle
  /// The style of maps.
  public var contentStyle: CarStyle

  /// Creates a look. The default arguments give the standard car's look.
  public init(
    screen: CarScreen = CarScreen(), movesFocus: Bool = false, appearance: CarStyle = .light,
    contentStyle: CarStyle = .light
  ) {
    self.screen = screen
    self.movesFocus = movesFocus
    self.appearance = appearance
    self.contentStyle = contentStyle
  }
}

extension CarLook {
  /// The look of the app's part of the car's dashboard: a third of the screen's width, without a dock
  /// (CarPlay/Behavior.md#look-dashboard).
  public var dashboard: CarLook {
    var look = self
    look.screen.pixelWidth /= 3
    look.screen.dockThickness = 0
    look.screen.safeArea = CarInsets()
    return look
  }
}

extension CarSettings {
  /// The look of the car with its current styles.
  public var look: CarLook {
    CarLook(
      screen: screen, movesFocus: inputs.contains(where: \.movesFocus), appearance: appearance,
      contentStyle: contentStyle)
  }
}
