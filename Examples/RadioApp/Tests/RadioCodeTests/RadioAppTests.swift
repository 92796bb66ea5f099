// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

@testable import RadioCode

/// There is one phone in a process, so its tests run one after another.
@Suite(.serialized) enum RadioTests {}

/// A server that does not answer.
struct ServerProblem: Error {}

extension RadioTests {
  /// The app on the API of iOS 14 and later.
  @MainActor @Suite struct Scenes {
    private func drive(
      _ radio: Radio = Radio(.city), _ settings: CarSettings = .standard, isNaive: Bool = false
    ) async -> Car {
      let car = Car(settings)
      await car.launch(.audio) { () -> any UISceneDelegate in
        if isNaive { NaiveCarSceneDelegate(radio) } else { CarSceneDelegate(radio) }
      }
      return car
    }

    @Test("A station of the second tab plays after it was chosen in the first")
    func wayThroughTheTabs() async {
      let radio = Radio(.city)
      let car = await drive(radio)
      #expect(car.screen.all(.tab).map(\.title) == ["Stations", "Recent"] && !radio.player.isPlaying)
      await car.tap("Recent")
      #expect(car.screen.first(.empty)?.title == "Nothing was played yet")
      await car.tap("Stations", .tab)
      await car.tap("Jazz")
      #expect(car.screen.rows == ["Blue Pier", "Night Quay"])
      await car.tap("Night Quay")
      #expect(car.screen.kind == .nowPlaying && car.screen.shows("Night Quay") && car.screen.shows("LIVE"))
      await car.back()
      await car.back()
      await car.tap("Recent")
      #expect(car.screen.rows == ["Night Quay"])
      #expect(car.diagnostics.isEmpty)
    }

    @Test("The head unit shows the station over iAP2, and its keys reach the app")
    func headUnit() async {
      let radio = Radio(.city)
      let car = Car(.standard)
      await car.attachHeadUnit()
      await car.launch(.audio) { CarSceneDelegate(radio) }
      #expect(car.headUnit.isConnected && car.headUnit.song == nil)
      await car.tap("Jazz")
      await car.tap("Blue Pier")
      #expect(car.headUnit.song?.title == "Blue Pier" && car.headUnit.song?.artist == "Trios")
      await car.ask(.next)
      #expect(radio.player.station?.name == "Night Quay" && car.headUnit.song?.title == "Night Quay")
      await car.ask(.pause)
      #expect(!radio.player.isPlaying && car.headUnit.song?.isPlaying == false)
    }

    @Test("Keys of the wheel, the buttons of Now Playing and the list of what comes next work")
    func nowPlaying() async {
      let radio = Radio(.city)
      let car = await drive(radio)
      await car.tap("News")
      await car.tap("Harbour News")
      await car.key(.next)
      #expect(car.screen.shows("Town Talk"))
      await car.key(.pause)
      #expect(!radio.player.isPlaying)
      await car.tap("star")
      #expect(radio.player.favourites.map(\.name) == ["Town Talk"])
      await car.tap("Up next")
      #expect(car.screen.rows == ["Harbour News", "Town Talk"])
      await car.tap("Harbour News")
      #expect(car.screen.kind == .nowPlaying && car.end == nil)
    }

    @Test("The naive app pushes Now Playing a second time, and the system ends it; the careful app goes back to it")
    func nowPlayingTwice() async {
      for isNaive in [true, false] {
        let car = await drive(isNaive: isNaive)
        await car.tap("News")
        await car.tap("Town Talk")
        await car.tap("Up next")
        await car.tap("Harbour News")
        #expect(car.exception == (isNaive ? .sameTemplate : nil))
        #expect((car.screen.kind == .nowPlaying) == !isNaive)
      }
    }

    @Test("A row turns its spinner while its stations load, and the list takes no other tap")
    func spinner() async {
      let settings = CarSettings.standard
      let car = Car(settings)
      let clock = car.clock
      let radio = Radio(
        Catalog(genres: ["News", "Jazz"]) { genre in
          try await clock.sleep(for: .seconds(3))
          return [Station(name: genre + " FM", program: "")]
        })
      await car.launch(.audio) { CarSceneDelegate(radio) }
      await car.tap("News")
      await car.wait(.seconds(1))
      #expect(car.screen.part("News")?.hasSpinner == true)
      await car.tap("Jazz")
      await car.wait(.seconds(3))
      #expect(car.screen.rows == ["News FM"])
    }

    @Test("The naive app's spinner turns for ever when the server fails, and the careful app tells the driver")
    func serverProblem() async {
      let radio = Radio(Catalog(genres: ["News", "Jazz"]) { _ in throw ServerProblem() })
      let naive = await drive(radio, isNaive: true)
      await naive.tap("News")
      await naive.wait(.seconds(6))
      #expect(naive.screen.part("News")?.hasSpinner == true && naive.diagnostics(.completion).count == 1)

      let careful = await drive(radio)
      await careful.tap("News")
      #expect(careful.screen.title == "The stations cannot be loaded")
      await careful.tap("Close")
      await careful.wait(.seconds(6))
      #expect(careful.screen.part("News")?.hasSpinner == false && careful.diagnostics(.completion).isEmpty)
    }

    @Test("A cable that is pulled under the alert does not end the app, also when the notice comes late")
    func cableUnderAnAlert() async {
      for noticed in [true, false] {
        let car = await drive(Radio(Catalog(genres: ["News"]) { _ in throw ServerProblem() }))
        car.faults.killOnModalDisconnect = true
        await car.tap("News")
        #expect(car.screen.kind == .alert)
        await car.unplug(noticed: noticed)
        if !noticed { await car.noticeUnplug() }
        #expect(car.end == nil && car.appCalls.filter { $0.contains("didDisconnect") }.count == 1)
        await car.replug()
        #expect(car.screen.rows == ["News"])
      }
    }

    @Test("A moving car shows twelve rows; the careful app gives no more, and the naive one learns of the cut")
    func rowsOfAMovingCar() async {
      let stations = (1...30).map { Station(name: "Station \($0)", program: "") }
      let radio = Radio(Catalog(genres: ["All"]) { _ in stations })
      for isNaive in [true, false] {
        let car = await drive(radio, isNaive: isNaive)
        await car.drive()
        await car.tap("All")
        #expect(car.screen.rows.count == 12)
        #expect(car.diagnostics(.cut).map(\.what) == (isNaive ? ["30 rows, 12 shown"] : []))
      }
    }
  }
}
