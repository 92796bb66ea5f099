// swift-iap2 · Apache-2.0

import CarPlay

/// A navigation app as of iOS 12: an app delegate without scenes, and a session configuration.
public class NavigationAppDelegate: UIResponder, CPApplicationDelegate, CPSessionConfigurationDelegate,
  CPInterfaceControllerDelegate
{
  public var window: UIWindow?
  public private(set) var carWindow: CPWindow?
  public private(set) var controller: CPInterfaceController?
  public private(set) var keyboardIsLimited = false
  private var configuration: CPSessionConfiguration?

  public override init() { super.init() }

  public func application(
    _ application: UIApplication, didConnectCarInterfaceController interfaceController: CPInterfaceController,
    to window: CPWindow
  ) {
    controller = interfaceController
    carWindow = window
    configuration = CPSessionConfiguration(delegate: self)
    keyboardIsLimited = configuration?.limitedUserInterfaces.contains(.keyboard) ?? false
    window.rootViewController = UIViewController()
    let favourites = CPBarButton(type: .image) { [weak self] _ in self?.showFavourites() }
    favourites.image = UIImage()
    let map = CPMapTemplate()
    map.leadingNavigationBarButtons = [favourites]
    interfaceController.delegate = self
    interfaceController.setRootTemplate(map, animated: false)
  }

  public func application(
    _ application: UIApplication, didDisconnectCarInterfaceController interfaceController: CPInterfaceController,
    from window: CPWindow
  ) {
    controller = nil
    carWindow = nil
    configuration = nil
  }

  public func sessionConfiguration(
    _ sessionConfiguration: CPSessionConfiguration,
    limitedUserInterfacesChanged limitedUserInterfaces: CPLimitableUserInterface
  ) {
    keyboardIsLimited = limitedUserInterfaces.contains(.keyboard)
  }

  private func showFavourites() {
    let list = CPListTemplate(title: "Favourites", sections: [])
    list.backButton = CPBarButton(title: "Map") { [weak self] _ in
      guard let root = self?.controller?.rootTemplate else { return }
      self?.controller?.pop(to: root, animated: true, completion: nil)
    }
    controller?.pushTemplate(list, animated: true)
  }
}
