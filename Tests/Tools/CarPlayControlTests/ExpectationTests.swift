// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Testing

@Suite struct ExpectationTests {
  private var car: CarObservation {
    var car = CarObservation()
    car.state = CarState(
      front: .app, isConnected: true,
      screen: ScreenNode(
        .list, "Library",
        children: [
          ScreenNode(.row, "Albums", isFocused: true), ScreenNode(.row, "A very long…", isCut: true),
          ScreenNode(.button, "Search"),
        ]))
    car.calls = ["a(_:)", "didConnect(_:)", "b(_:)"].map {
      CarEvent(time: .zero, direction: .toApp, object: "scene delegate", name: $0, detail: "")
    }
    car.calls.append(
      CarEvent(time: .zero, direction: .toApp, object: "", name: "optional(_:)", detail: "", isImplemented: false))
    car.reports = [.init(CarDiagnostic(.cut, what: "5 map buttons, 4 shown", carShows: "", remedy: ""))]
    return car
  }

  private func unmet(_ change: (inout CarExpectation) -> Void) -> String? {
    var wanted = CarExpectation()
    change(&wanted)
    return wanted.unmet(by: car)
  }

  private func unmetScreen(_ change: (inout CarExpectation.Screen) -> Void) -> String? {
    var screen = CarExpectation.Screen()
    change(&screen)
    return unmet { $0.screen = screen }
  }

  @Test("Conditions that hold are met")
  func met() {
    #expect(
      unmet {
        $0.front = .app
        $0.connected = true
        $0.staleConnection = false
        $0.called = ["a(_:)", "b("]
        $0.notCalled = ["didDisconnect", "optional"]
        $0.reports = [.init(kind: .cut, what: "map buttons")]
        $0.noReports = [.thread]
      } == nil)
    #expect(
      unmetScreen {
        $0.kind = .list
        $0.shows = ["Library", "Search"]
        $0.hides = ["Home"]
        $0.rows = ["Albums", "A very long…"]
        $0.buttons = ["Search"]
        $0.focus = "Albums"
        $0.spinner = false
        $0.cut = ["A very"]
      } == nil)
  }

  @Test("The first condition that does not hold is named with what is there")
  func named() {
    #expect(unmet { $0.front = .home } == "home is not in front, but app")
    #expect(unmet { $0.connected = false } == "phone and car are still connected")
    #expect(unmet { $0.staleConnection = true } == "the app holds no connection that has ended")
    #expect(unmet { $0.called = ["b(", "a("] }?.hasPrefix("a( was not called; these were: a(_:), ") == true)
    #expect(unmet { $0.notCalled = ["didConnect"] } == "didConnect was called")
    #expect(unmet { $0.noReports = [.cut] } == "there is a report: cut: 5 map buttons, 4 shown")
    #expect(unmet { $0.reports = [.init(kind: .cut, what: "rows")] } == "there is no report cut with rows")
    #expect(unmet { $0.dashboard = .init() } == "there is no dashboard")
    #expect(unmetScreen { $0.kind = .map } == "the screen is no map, but list")
    #expect(unmetScreen { $0.shows = ["Home"] } == "the screen does not show \"Home\"")
    #expect(unmetScreen { $0.hides = ["Albums"] } == "the screen shows \"Albums\"")
    #expect(unmetScreen { $0.rows = [] }?.hasPrefix("the screen has the rows [\"Albums\"") == true)
    #expect(unmetScreen { $0.focus = "Search" }?.contains("not on \"Search\"") == true)
    #expect(unmetScreen { $0.spinner = true } == "the screen has no spinner")
    #expect(unmetScreen { $0.cut = ["Albums"] } == "the screen does not cut \"Albums\"")
  }

  // MARK: The head unit

  private func unmetHeadUnit(_ change: (inout CarExpectation.HeadUnit) -> Void) -> String? {
    var display = HeadUnitDisplay()
    var song = HeadUnitDisplay.Song()
    song.title = "Blue"
    song.artist = "Band"
    song.isPlaying = true
    display.song = song
    var guidance = HeadUnitDisplay.Guidance()
    guidance.maneuver = "Turn left"
    guidance.roadAfter = "Mill Lane"
    display.guidance = guidance
    var call = HeadUnitDisplay.Call()
    (call.name, call.state) = ("Ann", "Ringing")
    display.calls = [call]
    display.song?.repeatMode = .one
    display.vehicle = HeadUnitDisplay.Vehicle()
    display.vehicle?.range = 40
    display.vehicle?.rangeWarning = true
    var observed = car
    observed.state.headUnit = display
    var headUnit = CarExpectation.HeadUnit()
    change(&headUnit)
    var wanted = CarExpectation()
    wanted.headUnit = headUnit
    return wanted.unmet(by: observed)
  }

  @Test("What the head unit shows is met by a part of a text")
  func headUnitMet() {
    #expect(
      unmetHeadUnit {
        ($0.song, $0.playing, $0.artwork) = ("Band", true, false)
        ($0.maneuver, $0.lanes) = ("Mill", 0)
        ($0.call, $0.callState, $0.empty) = ("An", "Ringing", false)
        ($0.shuffle, $0.repeating, $0.muted) = (.off, .one, false)
        ($0.location, $0.range, $0.rangeWarning) = (false, 40, true)
      } == nil)
  }

  @Test("What the head unit does not show is named")
  func headUnitUnmet() {
    #expect(unmetHeadUnit { $0.song = "Green" } == "the head unit shows the song \"Blue\" of \"Band\", not \"Green\"")
    #expect(unmetHeadUnit { $0.playing = false } == "the head unit shows a song that plays")
    #expect(unmetHeadUnit { $0.artwork = true } == "the head unit has no artwork")
    #expect(unmetHeadUnit { $0.maneuver = "right" } == "the head unit shows the maneuver \"Turn left\", not \"right\"")
    #expect(unmetHeadUnit { $0.lanes = 2 } == "the head unit shows 0 lanes, not 2")
    #expect(unmetHeadUnit { $0.call = "Ben" } == "the head unit shows a call of \"Ann\", not of \"Ben\"")
    #expect(
      unmetHeadUnit { $0.callState = "Active" } == "the head unit shows the call of \"Ann\" as Ringing, not as Active")
    #expect(unmetHeadUnit { $0.repeating = .all } == "the head unit shows repeat one, not all")
    #expect(unmetHeadUnit { $0.shuffle = .songs } == "the head unit shows shuffle off, not songs")
    #expect(unmetHeadUnit { $0.muted = true } == "the head unit shows no muted microphone")
    #expect(unmetHeadUnit { $0.location = true } == "the head unit has reported no position")
    #expect(unmetHeadUnit { $0.range = 50 } == "the head unit has reported the range 40, not 50")
    #expect(unmetHeadUnit { $0.outsideTemperature = 3 } == "the head unit has reported no outside temperature")
    #expect(unmetHeadUnit { $0.empty = true } == "the head unit shows something of the phone's apps")
    #expect(unmet { $0.headUnit = CarExpectation.HeadUnit() }?.contains("add the step policy") == true)
  }
}
