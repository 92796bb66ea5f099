// swift-iap2 · Apache-2.0

import Testing
import UIKit

/// A controller that records what it is told.
private final class MapController: UIViewController {
  var calls: [String] = []
  let sign = UIView(frame: CGRect(x: 0, y: 0, width: 20, height: 20))

  override func viewDidLoad() {
    super.viewDidLoad()
    view.addSubview(sign)
    calls.append("didLoad")
  }

  override func viewWillAppear(_ animated: Bool) { calls.append("willAppear \(view.window == nil)") }
  override func viewDidAppear(_ animated: Bool) { calls.append("didAppear \(view.window == nil)") }
  override func viewWillDisappear(_ animated: Bool) { calls.append("willDisappear") }
  override func viewDidDisappear(_ animated: Bool) { calls.append("didDisappear") }
  override func viewDidLayoutSubviews() { calls.append("layout \(Int(view.bounds.width))") }
  override func viewSafeAreaInsetsDidChange() { calls.append("safeArea \(Int(view.safeAreaInsets.left))") }
  override func traitCollectionDidChange(_ previous: UITraitCollection?) {
    calls.append("traits \(traitCollection.userInterfaceStyle == .dark)")
  }
}

@MainActor @Suite struct ViewTests {
  private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 400, height: 240))

  @Test func `a view is loaded when it is first asked for`() {
    let controller = MapController()
    #expect(!controller.isViewLoaded)
    #expect(controller.viewIfLoaded == nil)
    #expect(controller.calls.isEmpty)
    _ = controller.view
    _ = controller.view
    #expect(controller.calls == ["didLoad"])
  }

  @Test func `a root controller is loaded, shown in the window's size and told in order`() {
    let controller = MapController()
    window.rootViewController = controller
    #expect(controller.calls.isEmpty, "the window is hidden")
    window.makeKeyAndVisible()
    #expect(controller.calls == ["didLoad", "willAppear true", "layout 400", "didAppear false"])
    #expect(controller.view.frame == window.bounds)
    #expect(controller.view.window === window)
  }

  @Test func `a replaced root controller is told, and its view leaves the window`() {
    let (first, second) = (MapController(), MapController())
    window.makeKeyAndVisible()
    window.rootViewController = first
    window.rootViewController = second
    #expect(first.calls.suffix(2) == ["willDisappear", "didDisappear"])
    #expect(first.view.window == nil)
    #expect(window.subviews.count == 1)
    #expect(second.view.superview === window)
    window.rootViewController = nil
    #expect(window.subviews.isEmpty)
  }

  @Test func `the safe area reaches views by their places, and controllers are told once for each change`() {
    let controller = MapController()
    window.makeKeyAndVisible()
    window.rootViewController = controller
    controller.calls = []
    window.hostSafeAreaInsets = UIEdgeInsets(top: 44, left: 180, bottom: 0, right: 60)
    window.hostSafeAreaInsets = UIEdgeInsets(top: 44, left: 180, bottom: 0, right: 60)
    #expect(controller.calls == ["safeArea 180"])
    #expect(controller.view.safeAreaInsets == UIEdgeInsets(top: 44, left: 180, bottom: 0, right: 60))
    #expect(controller.view.safeAreaLayoutGuide.layoutFrame == CGRect(x: 180, y: 44, width: 160, height: 196))
    // A view within the safe area is not covered.
    controller.sign.frame.origin = CGPoint(x: 170, y: 50)
    #expect(controller.sign.safeAreaInsets == UIEdgeInsets(top: 0, left: 10, bottom: 0, right: 0))
    controller.additionalSafeAreaInsets.left = 5
    #expect(controller.calls == ["safeArea 180", "safeArea 185"])
    controller.view.removeFromSuperview()
    #expect(controller.calls.last == "safeArea 5")
  }

  @Test func `a view follows the size of the window`() {
    let controller = MapController()
    window.makeKeyAndVisible()
    window.rootViewController = controller
    window.frame.size = CGSize(width: 640, height: 360)
    #expect(controller.view.frame == CGRect(x: 0, y: 0, width: 640, height: 360))
    window.layoutIfNeeded()
    #expect(controller.calls.last == "layout 640")
  }

  @Test func `one map moves from the phone's window to the car's and back`() {
    let (phone, car, map) = (UIWindow(frame: .zero), window, UIView())
    phone.addSubview(map)
    car.addSubview(map)
    #expect(map.window === car)
    #expect(phone.subviews.isEmpty)
    phone.addSubview(map)
    #expect(map.window === phone)
    #expect(car.subviews.isEmpty)
  }

  @Test func `a view is not added to itself or to a view below it`() {
    let (outer, inner) = (UIView(), UIView())
    outer.addSubview(inner)
    inner.addSubview(outer)
    outer.addSubview(outer)
    #expect(outer.superview == nil)
    #expect(inner.subviews.isEmpty)
  }

  @Test func `traits come from the host, and controllers are told when they change`() {
    let controller = MapController()
    window.makeKeyAndVisible()
    window.rootViewController = controller
    controller.calls = []
    window.hostTraits = UITraitCollection(style: .dark, displayScale: 2, idiom: .carPlay)
    #expect(controller.calls == ["traits true"])
    #expect(controller.traitCollection.userInterfaceIdiom == .carPlay)
    controller.overrideUserInterfaceStyle = .light
    #expect(controller.sign.traitCollection == UITraitCollection(style: .light, displayScale: 2, idiom: .carPlay))
  }

  @Test func `a controller presents one controller at a time`() async {
    let (controller, first, second) = (MapController(), MapController(), MapController())
    window.makeKeyAndVisible()
    window.rootViewController = controller
    await withCheckedContinuation { done in controller.present(first, animated: false) { done.resume() } }
    controller.present(second, animated: false)
    #expect(controller.presentedViewController === first)
    #expect(!second.isViewLoaded)
    await withCheckedContinuation { done in first.dismiss(animated: false) { done.resume() } }
    #expect(controller.presentedViewController == nil)
    #expect(first.calls.last == "didDisappear")
    #expect(first.view.window == nil)
  }

  @Test func `constraints are kept and change no frame`() {
    let (view, guide) = (UIView(frame: CGRect(x: 1, y: 2, width: 3, height: 4)), UILayoutGuide())
    window.addSubview(view)
    window.addLayoutGuide(guide)
    let constraints = [
      view.leadingAnchor.constraint(equalTo: guide.leadingAnchor, constant: 8),
      view.widthAnchor.constraint(equalToConstant: 100),
    ]
    NSLayoutConstraint.activate(constraints)
    #expect(constraints.map(\.isActive) == [true, true])
    #expect(constraints[0].secondItem === guide)
    #expect(view.frame == CGRect(x: 1, y: 2, width: 3, height: 4))
  }

  @Test func `a button calls its targets, and forgets a released one`() {
    @MainActor final class Target {
      var taps = 0
      func tap(_ sender: UIButton) { taps += 1 }
    }
    let button = UIButton()
    let target = Target()
    button.addTarget(target, action: Selector(Target.tap(_:)), for: .touchUpInside)
    button.addTarget(Target(), action: Selector(Target.tap(_:)), for: .touchUpInside)
    button.sendActions(for: .touchUpInside)
    button.sendActions(for: .valueChanged)
    #expect(target.taps == 1)
    button.removeTarget(nil, action: nil, for: .touchUpInside)
    button.sendActions(for: .touchUpInside)
    #expect(target.taps == 1)
  }
}
