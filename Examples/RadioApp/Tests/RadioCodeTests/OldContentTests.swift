// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

@testable import RadioCode

extension RadioTests {
  /// The same app on a phone with iOS 13, which asks for content by index paths.
  @MainActor @Suite struct OldContent {
    private func drive(_ radio: Radio, on car: Car? = nil, iOS: Int = 13) async -> Car {
      var settings = CarSettings.standard
      settings.iOSVersion = IOSVersion(iOS)
      let car = car ?? Car(settings)
      var manifest = AppManifest()
      manifest.hasSectionedBrowsing = true
      await car.launch(
        CarApp(
          entitlements: [AppCategory.audio.entitlement, AppCategory.playableContentEntitlement], manifest: manifest,
          appDelegate: { AppDelegate(radio) }, carScene: { CarSceneDelegate(radio) }))
      return car
    }

    @Test("iOS 13 shows the tree of the content API, and iOS 14 the templates", arguments: [13, 14])
    func oneAppTwoWays(iOS: Int) async {
      let car = await drive(Radio(.city), iOS: iOS)
      #expect(car.screen.kind == (iOS == 13 ? .content : .tabs) && car.end == nil)
    }

    @Test("Genres are tabs, and a station opens Now Playing with what the app said before")
    func playback() async {
      let radio = Radio(.city)
      let car = await drive(radio)
      #expect(car.screen.all(.tab).map(\.title) == ["News", "Jazz", "Classics"])
      await car.tap("Jazz", .tab)
      await car.tap("Blue Pier")
      #expect(radio.player.station?.name == "Blue Pier")
      #expect(car.screen.kind == .nowPlaying && car.screen.shows("Blue Pier"))
      #expect(car.diagnostics(.order).isEmpty)
    }

    @Test("A button above the rows leads back to what plays")
    func nowPlayingButton() async {
      let radio = Radio(.city)
      let car = await drive(radio)
      #expect(!car.screen.shows("Now Playing"))
      await car.tap("Jazz", .tab)
      await car.tap("Blue Pier")
      await car.back()
      #expect(car.screen.first(.button)?.title == "Now Playing")
      await car.tap("Now Playing")
      #expect(car.screen.kind == .nowPlaying && car.screen.shows("Blue Pier"))
    }

    @Test("A moving car tells its limit, and the app gives no more rows")
    func limitOfAMovingCar() async {
      let radio = Radio(
        Catalog(genres: ["All"]) { _ in (1...30).map { Station(name: "Station \($0)", program: "") } })
      let car = await drive(radio)
      #expect(car.screen.rows.count == 30)
      await car.drive()
      #expect(car.screen.rows.count == 12 && car.diagnostics(.cut).isEmpty)
      await car.park()
      #expect(car.screen.rows.count == 30)
    }

    @Test("Without a login the only row tells the user what to do")
    func withoutLogin() async {
      let radio = Radio(.city)
      radio.isLoggedIn = false
      let car = await drive(radio)
      #expect(car.screen.shows("Log in on the phone") && car.screen.first(.error) == nil)
    }

    @Test("A server that never answers ends in a text that loading failed")
    func timeout() async {
      let car = Car(
        {
          var settings = CarSettings.standard
          settings.iOSVersion = IOSVersion(13)
          return settings
        }())
      let clock = car.clock
      let radio = Radio(
        Catalog(genres: ["News"]) { _ in
          try await clock.sleep(for: .seconds(3600))
          return []
        })
      _ = await drive(radio, on: car)
      #expect(car.screen.first(.spinner) != nil)
      await car.wait(.seconds(11))
      #expect(car.screen.first(.error) != nil && car.diagnostics(.completion).count == 1)
    }
  }
}
