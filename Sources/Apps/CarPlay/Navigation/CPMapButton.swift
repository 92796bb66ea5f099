// swift-iap2 · Apache-2.0

/// A button on the map.
@preconcurrency @MainActor
open class CPMapButton: NSObject {
  /// The action of the button.
  package let handler: ((CPMapButton) -> Void)?

  /// Creates a button.
  ///
  /// - Parameter handler: Runs when the user presses the button.
  public init(handler: ((CPMapButton) -> Void)?) {
    self.handler = handler
    super.init()
    noteCreation()
  }

  /// The image.
  public var image: UIImage? { didSet { noteChange() } }

  /// The image while the button has the focus of a knob or a touchpad.
  public var focusedImage: UIImage? { didSet { noteChange() } }

  /// Whether the button reacts.
  public var isEnabled = true { didSet { noteChange() } }

  /// Whether the button is invisible.
  public var isHidden = false { didSet { noteChange() } }
}

/// Two variants of an image, for light and for dark backgrounds.
@preconcurrency @MainActor
open class CPImageSet: NSObject {
  /// The image for light content.
  public let lightContentImage: UIImage

  /// The image for dark content.
  public let darkContentImage: UIImage

  /// Creates a set.
  public init(lightContentImage: UIImage, darkContentImage: UIImage) {
    self.lightContentImage = lightContentImage
    self.darkContentImage = darkContentImage
    super.init()
    noteCreation()
  }
}
