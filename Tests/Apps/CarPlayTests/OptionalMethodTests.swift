// swift-iap2 · Apache-2.0

import CarPlay
import PortingSupport
import Testing

@MainActor
struct OptionalMethodTests {
  @Test("A method that a delegate has counts as implemented, and one that it lacks does not")
  func tellsWhichMethodsADelegateHas() {
    let delegate = AudioSceneDelegate()
    let controller = CPInterfaceController.sample
    #expect(delegate.connects(controller))
    #expect(delegate.controller === controller)
    #expect(!delegate.connects(controller, to: CPWindow()))
    #expect(!delegate.disconnects(controller))
  }

  @Test("A misspelled method does not count as an implementation and is not called")
  func misspelledMethodIsNoImplementation() {
    let delegate = AudioSceneDelegate()
    #expect(!delegate.disconnects(CPInterfaceController.sample))
    #expect(!delegate.misspelledMethodRan)
  }

  @Test("No delegate implements nothing")
  func noDelegateImplementsNothing() {
    let none: (any CPInterfaceControllerDelegate)? = nil
    #expect(
      !OptionalMethod.isImplemented("templateWillAppear(_:animated:)", by: none) {
        $0.templateWillAppear(CPAlertTemplate(titleVariants: [], actions: []), animated: true)
      })
  }

  @Test("A default that runs inside another call leaves that call implemented")
  func nestedDefaultsDoNotCount() {
    let inner = AppearanceDelegate()
    let outer = AppearanceDelegate()
    outer.onAppear = { template in
      inner.templateDidDisappear(template, animated: false)
      outer.templateDidDisappear(template, animated: false)
      #expect(
        !OptionalMethod.isImplemented("templateDidDisappear(_:animated:)", by: inner) {
          $0.templateDidDisappear(template, animated: false)
        })
    }
    let template = CPAlertTemplate(titleVariants: [], actions: [])
    #expect(
      OptionalMethod.isImplemented("templateWillAppear(_:animated:)", by: outer) {
        $0.templateWillAppear(template, animated: false)
      })
    #expect(
      !OptionalMethod.isImplemented("templateDidDisappear(_:animated:)", by: outer) {
        $0.templateDidDisappear(template, animated: false)
      })
  }

  @Test("An object can be the delegate of every kind of scene")
  func oneDelegateForAllScenes() {
    let delegate: any CPTemplateApplicationInstrumentClusterSceneDelegate = EverySceneDelegate()
    #expect(
      !OptionalMethod.isImplemented("contentStyleDidChange(_:)", by: delegate) { $0.contentStyleDidChange(.dark) })
  }

  @Test("A method that a subclass adds to a conforming class is not called")
  func methodOfASubclassIsNotCalled() {
    let delegate: any CPInterfaceControllerDelegate = LateDelegate()
    #expect(
      !OptionalMethod.isImplemented("templateDidAppear(_:animated:)", by: delegate) {
        $0.templateDidAppear(CPAlertTemplate(titleVariants: [], actions: []), animated: false)
      })
  }
}

extension CPTemplateApplicationSceneDelegate {
  @MainActor fileprivate func connects(_ controller: CPInterfaceController) -> Bool {
    OptionalMethod.isImplemented("templateApplicationScene(_:didConnect:)", by: self) {
      $0.templateApplicationScene(.sample(controller), didConnect: controller)
    }
  }

  @MainActor fileprivate func connects(_ controller: CPInterfaceController, to window: CPWindow) -> Bool {
    OptionalMethod.isImplemented("templateApplicationScene(_:didConnect:to:)", by: self) {
      $0.templateApplicationScene(.sample(controller), didConnect: controller, to: window)
    }
  }

  @MainActor fileprivate func disconnects(_ controller: CPInterfaceController) -> Bool {
    OptionalMethod.isImplemented("templateApplicationScene(_:didDisconnectInterfaceController:)", by: self) {
      $0.templateApplicationScene(.sample(controller), didDisconnectInterfaceController: controller)
    }
  }
}

extension CPTemplateApplicationScene {
  /// Returns a scene as the host creates it.
  static func sample(_ controller: CPInterfaceController) -> CPTemplateApplicationScene {
    let configuration = UISceneConfiguration(name: nil, sessionRole: .carTemplateApplication)
    return CPTemplateApplicationScene(
      session: UISceneSession(role: .carTemplateApplication, configuration: configuration),
      connectionOptions: UIScene.ConnectionOptions(), interfaceController: controller, carWindow: CPWindow(),
      contentStyle: .light)
  }
}

private final class AudioSceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate {
  var controller: CPInterfaceController?
  var misspelledMethodRan = false

  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) { controller = interfaceController }

  // The framework calls didDisconnectInterfaceController, not this method.
  func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didDisconnect interfaceController: CPInterfaceController
  ) { misspelledMethodRan = true }
}

private final class AppearanceDelegate: NSObject, CPInterfaceControllerDelegate {
  var onAppear: ((CPTemplate) -> Void)?
  func templateWillAppear(_ aTemplate: CPTemplate, animated: Bool) { onAppear?(aTemplate) }
}

private final class EverySceneDelegate: UIResponder, CPTemplateApplicationSceneDelegate,
  CPTemplateApplicationDashboardSceneDelegate, CPTemplateApplicationInstrumentClusterSceneDelegate
{}

private class EarlyDelegate: NSObject, CPInterfaceControllerDelegate {}

private final class LateDelegate: EarlyDelegate {
  func templateDidAppear(_ aTemplate: CPTemplate, animated: Bool) {}
}
