// swift-iap2 · Apache-2.0

import CarPlay

// The phone's side of an app in Swift 5 mode: classes without isolation use the phone's objects, as most apps do.

/// Finds a pulled cable by the battery, for the case that the disconnect of the car is lost.
open class PowerWatch: NSObject {
  public private(set) var pulls = 0
  private var wasCharging = false
  private let device: UIDevice

  public init(device: UIDevice = UIDevice.current) {
    self.device = device
    super.init()
    device.isBatteryMonitoringEnabled = true
    wasCharging = device.batteryState != .unplugged
    NotificationCenter.default.addObserver(
      self, selector: Selector(PowerWatch.batteryChanged), name: UIDevice.batteryStateDidChangeNotification,
      object: device)
  }

  func batteryChanged() {
    let isCharging = device.batteryState != .unplugged
    if wasCharging, !isCharging { pulls += 1 }
    wasCharging = isCharging
  }

  /// Whether the app is in front anywhere.
  public func isInFront() -> Bool {
    UIApplication.shared.connectedScenes.contains { $0.activationState == .foregroundActive }
      || UIApplication.shared.applicationState == .active
  }
}

open class PhoneAppDelegate: UIResponder, UIApplicationDelegate {
  public var window: UIWindow?

  public func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool {
    window = UIWindow(frame: UIScreen.main.bounds)
    window?.rootViewController = MapPageController()
    window?.makeKeyAndVisible()
    return true
  }
}

open class MapPageController: UIViewController {
  public let label = UILabel()
  private lazy var button: UIButton = {
    let button = UIButton()
    button.setTitle("Go", for: .normal)
    return button
  }()

  public override func viewDidLoad() {
    super.viewDidLoad()
    view.addSubview(label)
    view.addSubview(button)
    view.backgroundColor = UIColor { $0.userInterfaceStyle == .dark ? .black : .white }
    NSLayoutConstraint.activate([
      label.leadingAnchor.constraint(equalTo: view.safeAreaLayoutGuide.leadingAnchor, constant: 8),
      label.topAnchor.constraint(greaterThanOrEqualTo: view.topAnchor),
    ])
    button.addTarget(self, action: Selector(MapPageController.tap(_:)), for: .touchUpInside)
  }

  func tap(_ sender: UIButton) { label.text = sender.currentTitle }

  public func press() { button.sendActions(for: .touchUpInside) }
}
