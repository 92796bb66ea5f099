// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing
import UserNotifications

extension CarTests {
  /// Tests of the notifications of an app for messages and calls.
  @Suite @MainActor
  struct NotificationTests {
    private func launch() async -> Car {
      let car = Car(.standard)
      var app = CarApp([.communication], name: "Talk") { PlainScene { _ in } }
      app.entitlements.insert("com.apple.developer.siri")
      await car.launch(app)
      await car.goHome()
      return car
    }

    private let center = UNUserNotificationCenter.current()

    private func allow(
      _ options: UNAuthorizationOptions = [.alert, .carPlay],
      _ category: UNNotificationCategoryOptions = .allowInCarPlay,
      _ intents: [String] = ["INSendMessageIntent"]
    ) {
      center.requestAuthorization(options: options) { _, _ in }
      center.setNotificationCategories([
        UNNotificationCategory(identifier: "message", actions: [], intentIdentifiers: intents, options: category)
      ])
    }

    private func post(_ title: String, _ body: String, _ category: String = "message") {
      let content = UNMutableNotificationContent()
      content.title = title
      content.body = body
      content.categoryIdentifier = category
      center.add(UNNotificationRequest(identifier: "1", content: content, trigger: nil))
    }

    @Test func aBannerNeedsTheOptionTheCategoryAndAnIntent() async {
      for (options, category, intents, name, reason) in [
        ([.alert, .carPlay], .allowInCarPlay, ["INSendMessageIntent"], "message", nil),
        ([.alert], .allowInCarPlay, ["INSendMessageIntent"], "message", "the app has not asked for the option carPlay"),
        ([.alert, .carPlay], [], ["INSendMessageIntent"], "message", "the category has no option allowInCarPlay"),
        ([.alert, .carPlay], .allowInCarPlay, [], "message", "the category names no intent"),
        ([.alert, .carPlay], .allowInCarPlay, ["INSendMessageIntent"], "news", "the notification has no category"),
      ] as [(UNAuthorizationOptions, UNNotificationCategoryOptions, [String], String, String?)] {
        let car = await launch()
        allow(options, category, intents)
        post("Ann", "On my way", name)
        await car.settle()
        #expect(car.screen.first(.banner)?.title == (reason == nil ? "Ann" : nil))
        #expect(car.log.first { $0.name == "no banner in the car" }?.detail == reason)
      }
    }

    @Test func aBannerShowsTheSenderAndNeverTheText() async {
      let car = await launch()
      allow()
      post("Ann", "On my way")
      await car.settle()
      #expect(car.screen.shows("Ann") && !car.screen.description.contains("On my way"))
      #expect(car.diagnostics.isEmpty)
      post("On my way", "On my way")
      await car.settle()
      #expect(car.diagnostics(.text).map(\.what) == ["the title of a notification has the text of the message"])
    }

    @Test func theUserMaySwitchBannersOff() async {
      let car = await launch()
      allow()
      await car.setNotificationsInCar(false)
      let settings = center.settings
      #expect(settings.carPlaySetting == .disabled && settings.authorizationStatus == .authorized)
      post("Ann", "On my way")
      await car.settle()
      #expect(car.screen.first(.banner) == nil)
      await car.setNotificationsInCar(true)
      post("Ben", "Here")
      await car.settle()
      #expect(car.screen.first(.banner)?.title == "Ben")
    }

    @Test func aMissedCallIsAnnounced() async {
      let car = await launch()
      allow([.alert, .carPlay], .allowInCarPlay, ["INStartCallIntent"])
      post("Missed call of Ann", "")
      await car.settle()
      #expect(car.screen.first(.banner)?.title == "Missed call of Ann")
    }
  }
}
