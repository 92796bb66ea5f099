// swift-iap2 · Apache-2.0

/// A car and the iOS version of the phone in it: every value that a test or a profile can set.
public struct CarSettings: Sendable, Codable, Hashable {
  /// The name of the car or the profile.
  public var name: String
  /// The screen.
  public var screen: CarScreen
  /// The inputs.
  public var inputs: Set<CarInput>
  /// The limits of the counts that are shown.
  public var limits: CarLimits
  /// The sizes of images that are drawn without scaling.
  public var imageSizes: CarImageSizes
  /// The parts of the user interface that are limited while the car moves.
  public var limitedWhileDriving: Set<CarBehavior.LimitedInterface>
  /// The version of iOS.
  public var iOSVersion: IOSVersion
  /// The connection between phone and car.
  public var link: CarLink
  /// The style of the user interface.
  public var appearance: CarStyle
  /// The style of maps, which is independent of the appearance.
  public var contentStyle: CarStyle
  /// The names of the car's EA protocols, which decide whether an automaker's app is visible.
  public var accessoryProtocols: [String]
  /// The behavior in the points that Apple does not publish.
  public var behavior: CarBehavior

  /// Creates settings. The default arguments give the standard car with the newest emulated iOS version.
  public init(
    name: String = "standard", screen: CarScreen = .init(), inputs: Set<CarInput> = [.touch, .keys],
    limits: CarLimits = .init(), imageSizes: CarImageSizes = .init(),
    limitedWhileDriving: Set<CarBehavior.LimitedInterface> = [.keyboard, .lists],
    iOSVersion: IOSVersion = IOSVersion(26), link: CarLink = .wired, appearance: CarStyle = .light,
    contentStyle: CarStyle = .light, accessoryProtocols: [String] = [], behavior: CarBehavior = .init()
  ) {
    self.name = name
    self.screen = screen
    self.inputs = inputs
    self.limits = limits
    self.imageSizes = imageSizes
    self.limitedWhileDriving = limitedWhileDriving
    self.iOSVersion = iOSVersion
    self.link = link
    self.appearance = appearance
    self.contentStyle = contentStyle
    self.accessoryProtocols = accessoryProtocols
    self.behavior = behavior
  }
}
