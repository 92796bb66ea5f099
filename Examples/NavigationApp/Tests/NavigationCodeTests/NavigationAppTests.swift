// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

@testable import NavigationCode

/// There is one phone in a process, so its tests run one after another.
@Suite(.serialized) enum NavigationTests {}

extension NavigationTests {
  @MainActor @Suite struct App {
    private let navigator = Navigator()
    private let buttons = ["dpad.fill", "minus.magnifyingglass", "plus.magnifyingglass", "location"]

    /// Launches the app on a car.
    private func drive(_ settings: CarSettings = .standard) async -> Car {
      let car = Car(settings)
      await car.launch(.navigation) { [navigator] in CarSceneDelegate(navigator) }
      return car
    }

    @Test("A car cuts the fourth map button, and the app survives a pulled cable whose notice is lost during an alert")
    func storyOfAPulledCable() async {
      var settings = CarSettings.standard
      settings.limits.maximumMapButtons = 3
      let car = await drive(settings)
      #expect(car.screen.all(.mapButton).map(\.title) == Array(buttons.dropLast()))
      #expect(car.diagnostics(.cut).map(\.what) == ["4 map buttons, 3 shown"])

      await car.tap("Favourites")
      await car.tap("Harbour")
      await car.tap("Go")
      navigator.suggest(Route.routes(to: .harbour)[1])
      await car.settle()
      #expect(car.screen.title == "Motorway takes 28 minutes. Take it?")

      await car.unplug(noticed: false)
      #expect(car.hasGhostConnection && navigator.car == nil, "the phone believes in the car, and the app does not")
      #expect(navigator.map.view.window === navigator.phoneWindow)

      await car.replug()
      #expect(car.screen.first(.maneuver)?.title == "Turn left into Quay Street", "the guidance goes on")
      #expect(car.end == nil)
    }

    @Test("The head unit shows the next turn and its lanes over iAP2")
    func headUnit() async {
      let car = Car(.standard)
      await car.attachHeadUnit()
      await car.launch(.navigation) { [navigator] in CarSceneDelegate(navigator) }
      await car.tap("Favourites")
      await car.tap("Harbour")
      await car.tap("Go")
      let shown = car.headUnit.guidance
      #expect(shown?.maneuver == "Turn left into Quay Street" && shown?.kind == "LeftTurn")
      #expect(shown?.distanceToManeuver == 500 && shown?.distance == 18_000 && shown?.time == 1500)
      #expect(shown?.lanes.map(\.isPreferred) == [true, false, false])
      await car.cancelNavigation()
      #expect(car.headUnit.guidance == nil)
    }

    @Test("The head unit's position moves the car on the map, and its night mode makes the map dark")
    func positionAndNight() async {
      let car = Car(.standard)
      await car.attachHeadUnit()
      await car.launch(.navigation) { [navigator] in CarSceneDelegate(navigator) }
      await car.reportLocation(latitude: 55.9, longitude: 37.6, course: 180, speed: 20)
      await car.wait(.seconds(10))
      let position = navigator.map.position
      #expect(position?.course == 180 && abs((position?.coordinate.latitude ?? 0) - 55.8982) < 0.0001)
      await car.ask(.night)
      #expect(navigator.map.isDark)
      await car.unplug()
      #expect(car.log.last { $0.object == "location manager" }?.name == "wants no locations")
    }

    // MARK: The map

    @Test("The standard car shows the four map buttons, and they work")
    func fourMapButtons() async {
      let car = await drive()
      #expect(car.screen.all(.mapButton).map(\.title) == buttons)
      #expect(car.diagnostics(.cut).isEmpty)
      await car.tap("plus.magnifyingglass")
      #expect(navigator.map.camera.zoom == 15)
      await car.pan(x: 200, y: 0)
      #expect(!navigator.map.isFollowing)
      await car.tap("location")
      #expect(navigator.map.isFollowing)
    }

    @Test("The panning interface has two map buttons, four arrows and a way out")
    func panningInterface() async {
      let car = await drive()
      await car.tap("dpad.fill")
      #expect(car.screen.all(.mapButton).count == 2 && car.screen.all(.pan).count == 4)
      await car.pan(.left)
      #expect(navigator.map.camera.x == -80)
      await car.pan([.right, .down])
      #expect(abs(navigator.map.camera.x + 80 - 80 * 0.5.squareRoot()) < 1e-9)
      await car.tap("Done")
      #expect(car.screen.all(.mapButton).count == 4 && car.screen.all(.pan).isEmpty)
      #expect(car.diagnostics.isEmpty)
    }

    @Test("A finger has to move over a quarter of the screen before the map moves")
    func panGesture() async {
      let car = await drive()
      await car.pan(x: 40, y: 0)
      #expect(navigator.map.camera.x == 0)
      await car.pan(x: 100, y: 0)
      #expect(navigator.map.camera.x == -40)
    }

    @Test("A car without pan gestures reports nothing, and the panning interface still moves the map")
    func carWithoutPanGestures() async {
      var settings = CarSettings.standard
      settings.behavior.panGestures = false
      let car = await drive(settings)
      await car.pan(x: 200, y: 0)
      #expect(navigator.map.camera.x == 0 && car.diagnostics(.note).count == 1)
      await car.tap("dpad.fill")
      await car.pan(.right)
      #expect(navigator.map.camera.x == 80)
    }

    @Test("The app runs on every car of the program", arguments: CarProfiles.names)
    func everyCar(_ profile: String) async throws {
      let settings = try CarSettings.profile(profile)
      // The app has scenes, which iOS 12 has not.
      guard settings.iOSVersion >= IOSVersion(13) else { return }
      let car = await drive(settings)
      await car.tap("Places")
      await car.tap("Old Mill")
      await car.tap("Go")
      #expect(car.screen.first(.guidance) != nil && car.end == nil)
      await car.unplug()
      #expect(navigator.car == nil)
    }

    // MARK: Trips

    @Test("The driver chooses the second of three routes")
    func choiceOfARoute() async {
      let car = await drive()
      await car.tap("Favourites")
      await car.tap("Harbour")
      #expect(car.screen.first(.trip)?.title == "Harbour")
      #expect(car.screen.all(.route).map(\.title) == ["Coast road"])
      await car.tap("Other routes")
      await car.tap("Motorway, 28 min")
      await car.tap("Go")
      #expect(navigator.route?.name == "Motorway" && navigator.destination == .harbour)
    }

    @Test("The search finds a place, and its keyboard is disabled while the car drives")
    func search() async {
      let car = await drive()
      await car.tap("Search")
      await car.type("light")
      #expect(car.screen.rows == ["Lighthouse"])
      await car.drive()
      #expect(car.screen.first(.keyboard)?.isEnabled == false)
      #expect(car.screen.rows == ["Lighthouse"])
      await car.tap("Lighthouse")
      await car.tap("Go")
      #expect(navigator.destination == .lighthouse)
    }

    @Test("Guidance shows the turn with its lanes, counts down, and ends at the destination")
    func guidance() async {
      navigator.start(Route.routes(to: .harbour)[0], to: .harbour)
      let car = await drive()
      let maneuvers = car.screen.all(.maneuver)
      #expect(maneuvers.map(\.title) == ["Turn left into Quay Street", ""])
      #expect(maneuvers[1].marks.contains("symbol only"))
      navigator.advance(
        Progress(turn: 0, metersToTurn: 120, secondsToTurn: 20, metersToEnd: 18_200, secondsToEnd: 1400))
      #expect(car.screen.first(.maneuver)?.detail == "120 m")
      #expect(car.screen.first(.estimates)?.title == "23 min" && car.screen.first(.estimates)?.detail == "18 km")
      navigator.advance(Progress(turn: 1, metersToTurn: 800, secondsToTurn: 90, metersToEnd: 9000, secondsToEnd: 700))
      #expect(car.screen.all(.maneuver).map(\.title) == ["Turn right into Mill Lane"])
      navigator.advance(Progress(turn: 3, metersToTurn: 0, secondsToTurn: 0, metersToEnd: 0, secondsToEnd: 0))
      #expect(car.screen.first(.guidance) == nil && navigator.destination == nil)
    }

    @Test("A navigation alert goes away by itself, and its action looks for a way around")
    func navigationAlert() async {
      navigator.start(Route.routes(to: .harbour)[0], to: .harbour)
      let car = await drive()
      navigator.warn("Accident ahead")
      await car.wait(.seconds(9))
      #expect(car.screen.shows("Accident ahead"))
      await car.wait(.seconds(2))
      #expect(!car.screen.shows("Accident ahead"))
      navigator.warn("Accident ahead")
      await car.tap("Go around")
      #expect(car.screen.first(.guidance)?.title == "Looking for a way around")
    }

    @Test("Without a downloaded city the car shows an alert without a button")
    func noMapData() async {
      navigator.hasMapData = false
      let car = await drive()
      #expect(car.screen.title == "Download a city on the phone when it is safe")
      #expect(car.diagnostics(.note).map(\.what) == ["an alert has no action"])
    }
  }
}
