// swift-iap2 · Apache-2.0

import CarPlay

extension CarHost {
  /// Presents an alert over the app through the app's controller, so the phone treats it as the app's own alert.
  /// Returns the reason if the app cannot present one.
  func presentAlert(_ title: String) -> String? {
    guard rules.allows(.alert, at: .presented) else { return "an app of this category cannot present an alert" }
    let controller = app?.car?.controller
    let close = CPAlertAction(title: "OK", style: .cancel) { [weak controller] _ in
      controller?.dismissTemplate(animated: true) { _, _ in }
    }
    controller?.presentTemplate(CPAlertTemplate(titleVariants: [title], actions: [close]), animated: true) { _, _ in }
    return nil
  }
}
