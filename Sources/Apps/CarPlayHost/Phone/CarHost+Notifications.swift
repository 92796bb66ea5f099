// swift-iap2 · Apache-2.0

import CarPlayPlatform
import UserNotifications

/// The app's notifications in the car: a banner with the sender, never with the text
/// (CarPlay/Behavior.md#background-banner).
extension CarHost {
  /// Observes the notifications of this process.
  func watchNotifications() {
    UNUserNotificationCenter.current().setAllowedInCar(phone.hasNotificationsInCar)
    UNUserNotificationCenter.current().setObserver { [weak self] posted in
      Self.onMain { self?.notified(posted) }
    }
  }

  /// Switches the banners of the app in the car on or off, as the user does on the phone.
  package func setNotificationsInCar(_ isOn: Bool) {
    note(.car, "notifications in the car", isOn ? "on" : "off")
    phone.hasNotificationsInCar = isOn
    UNUserNotificationCenter.current().setAllowedInCar(isOn)
  }

  private func notified(_ posted: UNUserNotificationCenter.Posted) {
    guard app != nil else { return }
    note(.fromApp, "notification", posted.title, object: "notification center")
    if !posted.body.isEmpty, posted.title.contains(posted.body) {
      report(
        CarDiagnostic(
          .text, what: "the title of a notification has the text of the message", carShows: "the text, while driving",
          remedy: "put the sender or the group into the title, and the text into the body"))
    }
    guard isConnected, front != .off else { return }
    if let reason = reasonWithoutBanner(posted) { return note(.note, "no banner in the car", reason) }
    note(.car, "banner", posted.title)
    // Over the app itself the banner is only logged, because it would disappear before the next step.
    if front != .app { banner = Banner(content: .message(posted.title)) }
  }

  private func reasonWithoutBanner(_ posted: UNUserNotificationCenter.Posted) -> String? {
    switch UNUserNotificationCenter.current().settings.carPlaySetting {
    case .notSupported: return "the app has not asked for the option carPlay"
    case .disabled: return "the user has switched it off"
    case .enabled: break
    }
    guard let allowsCar = posted.allowsCar else { return "the notification has no category" }
    guard allowsCar else { return "the category has no option allowInCarPlay" }
    return posted.intents.isEmpty ? "the category names no intent" : nil
  }
}
