// swift-iap2 · Apache-2.0

import CarPlayTesting

extension Car {
  /// The calls of the app's delegates, including methods that the app does not implement.
  var calls: [String] { log.filter { $0.direction == .toApp }.map(\.text) }
}

/// The scene delegate of a navigation app, with closures for the behavior that a test needs.
@MainActor
final class MapScene: NSObject, CPTemplateApplicationSceneDelegate {
  var controller: CPInterfaceController?
  var window: CPWindow?
  let map = CPMapTemplate()
  var onConnect: @MainActor (MapScene) -> Void
  var onDisconnect: @MainActor (MapScene, CPInterfaceController) -> Void = { scene, _ in scene.controller = nil }

  init(_ onConnect: @escaping @MainActor (MapScene) -> Void = { _ in }) { self.onConnect = onConnect }

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController, to window: CPWindow
  ) {
    controller = interfaceController
    self.window = window
    window.rootViewController = UIViewController()
    interfaceController.setRootTemplate(map, animated: false, completion: nil)
    onConnect(self)
  }

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didDisconnect interfaceController: CPInterfaceController,
    from window: CPWindow
  ) { onDisconnect(self, interfaceController) }
}

/// The scene delegate of an app without a window.
@MainActor
final class PlainScene: NSObject, CPTemplateApplicationSceneDelegate {
  var controller: CPInterfaceController?
  var onConnect: @MainActor (CPInterfaceController) -> Void

  init(_ onConnect: @escaping @MainActor (CPInterfaceController) -> Void) { self.onConnect = onConnect }

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) {
    controller = interfaceController
    onConnect(interfaceController)
  }

  func templateApplicationScene(
    _ scene: CPTemplateApplicationScene, didDisconnectInterfaceController interfaceController: CPInterfaceController
  ) { controller = nil }
}

/// An app delegate of iOS 12.
@MainActor
final class OldAppDelegate: NSObject, CPApplicationDelegate {
  var controller: CPInterfaceController?
  var root: () -> CPTemplate = { CPMapTemplate() }

  func application(
    _ application: UIApplication, didConnectCarInterfaceController interfaceController: CPInterfaceController,
    to window: CPWindow
  ) {
    controller = interfaceController
    window.rootViewController = UIViewController()
    interfaceController.setRootTemplate(root(), animated: false, completion: nil)
  }

  func application(
    _ application: UIApplication, didDisconnectCarInterfaceController interfaceController: CPInterfaceController,
    from window: CPWindow
  ) { controller = nil }

  /// Pushes by the method without a completion handler.
  func push(_ template: CPTemplate) { controller?.pushTemplate(template, animated: true) }
}

/// A controller's delegate that records which templates appear and disappear.
@MainActor
final class AppearanceNotes: NSObject, CPInterfaceControllerDelegate {
  var notes: [String] = []

  private func name(_ template: CPTemplate) -> String {
    (template as? CPListTemplate)?.title ?? "\(type(of: template))"
  }
  func templateWillAppear(_ template: CPTemplate, animated: Bool) { notes.append("will appear \(name(template))") }
  func templateDidAppear(_ template: CPTemplate, animated: Bool) { notes.append("did appear \(name(template))") }
  func templateWillDisappear(_ template: CPTemplate, animated: Bool) {
    notes.append("will disappear \(name(template))")
  }
  func templateDidDisappear(_ template: CPTemplate, animated: Bool) { notes.append("did disappear \(name(template))") }
}

@MainActor
func list(_ title: String, _ rows: [String] = [], handler: ((CPListItem) -> Void)? = nil) -> CPListTemplate {
  let items = rows.map { text in
    let item = CPListItem(text: text, detailText: nil)
    if let handler {
      item.handler = { row, completion in
        if let row = row as? CPListItem { handler(row) }
        completion()
      }
    }
    return item
  }
  let list = CPListTemplate(title: title, sections: [CPListSection(items: items)])
  list.tabTitle = title
  return list
}

@MainActor
func alert(_ title: String, _ actions: String..., handler: @escaping (CPAlertAction) -> Void = { _ in })
  -> CPAlertTemplate
{
  CPAlertTemplate(
    titleVariants: [title], actions: actions.map { CPAlertAction(title: $0, style: .default, handler: handler) })
}

@MainActor
func mapButtons(_ names: [String], handler: @escaping (String) -> Void = { _ in }) -> [CPMapButton] {
  names.map { name in
    let button = CPMapButton { _ in handler(name) }
    button.image = UIImage(systemName: name)
    return button
  }
}
