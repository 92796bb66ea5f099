// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlaySession
import HIDReports
import IAP2
import IAP2Roles
import Testing

/// The meaning of a driver's input for the screen of the phone's app.
struct PhoneInputTests {
  private static func box(_ x: Int, _ y: Int) -> ScreenPixels.Box {
    ScreenPixels.Box(x: x, y: y, width: 100, height: 88)
  }

  private static func shown(
    _ screen: ScreenNode, _ targets: [ScreenTarget] = [], lastFirstRow: Int = 0
  ) -> ShownScreen {
    let film = ScreenFilm(
      isKeyFrame: true, targets: targets, lastFirstRow: lastFirstRow, drawingTime: 1, encodingTime: 1)
    return ShownScreen(screen, film, scale: 2, typedText: screen.first(.field)?.title ?? "")
  }

  private static let list = ScreenNode(
    .list, "Library",
    children: [ScreenNode(.back, "Back"), ScreenNode(.row, "One", detail: "1"), ScreenNode(.row, "Two")])
  private static let listShown = shown(
    list, [ScreenTarget(name: "Back", part: 1, box: box(0, 0)), ScreenTarget(name: "Two", part: 3, box: box(0, 200))],
    lastFirstRow: 7)

  private static func touch(_ x: Int, _ y: Int, slot: Int = 0) -> InputEvent {
    .touch(slot: slot, isTouching: true, x: x, y: y)
  }

  private static func lift(slot: Int = 0) -> InputEvent { .touch(slot: slot, isTouching: false, x: 0, y: 0) }

  private static func actions(_ events: [InputEvent], on shown: ShownScreen) -> [CarAction] {
    var input = PhoneInput()
    return events.flatMap { input.take($0, on: shown) }
  }

  @Test func `a tap touches the part that was drawn there`() {
    let expected = [CarAction(.touchPart, ["part": .number(3), "line": .text("row \"Two\"")])]
    #expect(Self.actions([Self.touch(50, 210), Self.lift()], on: Self.listShown) == expected)
    // A finger that moves a little still taps the part where it began.
    #expect(Self.actions([Self.touch(50, 210), Self.touch(60, 195), Self.lift()], on: Self.listShown) == expected)
    // Ten points are twenty pixels.
    #expect(Self.actions([Self.touch(50, 210), Self.touch(71, 210), Self.lift()], on: Self.listShown) == [])
    #expect(Self.actions([Self.touch(500, 210), Self.lift()], on: Self.listShown) == [])
    #expect(expected.allSatisfy { $0.problem == nil })
  }

  @Test func `in a call the telephone keys end and mute it, and send tones`() throws {
    #expect(PhoneRequest(.hook, isMuted: false) == .end(nil, .endOrDecline))
    #expect(PhoneRequest(.drop, isMuted: true) == .end(nil, .endOrDecline))
    #expect([false, true].map { PhoneRequest(.mute, isMuted: $0) } == [.mute(true), .mute(false)])
    // The digits, the star and the number sign have the codes of iAP2.
    let tones = TelephonyKey.allCases.compactMap { key in
      if case .tone(let tone)? = PhoneRequest(key, isMuted: false) { tone.rawValue } else { nil }
    }
    #expect(tones == Array(0...11) && PhoneRequest(.delete, isMuted: false) == nil)
  }

  @Test func `a second finger has no meaning`() {
    let events = [Self.touch(50, 210), Self.touch(50, 10, slot: 1), Self.lift(slot: 1), Self.lift()]
    #expect(Self.actions(events, on: Self.listShown).map(\.verb) == [.touchPart])
    #expect(Self.actions([Self.lift()], on: Self.listShown) == [])
  }

  @Test func `a drag scrolls a list by rows, and no further than its ends`() {
    var input = PhoneInput()
    for (y, rows) in [(600, 0), (600 - 87, 0), (600 - 88, 1), (600 - 300, 3), (-4000, 7), (600, 0), (900, 0), (400, 2)]
    {
      #expect(input.take(Self.touch(50, y), on: Self.listShown) == [])
      #expect(input.scroll == rows, "\(y)")
    }
    #expect(input.take(Self.lift(), on: Self.listShown) == [])
    // The next drag begins where the last one ended.
    _ = input.take(Self.touch(50, 400), on: Self.listShown)
    _ = input.take(Self.touch(50, 400 - 88), on: Self.listShown)
    #expect(input.scroll == 3)
    input.showOther()
    #expect(input.scroll == 0)
    #expect(input.take(Self.lift(), on: Self.listShown) == [])
  }

  @Test func `a finger that is forgotten begins anew`() {
    var input = PhoneInput()
    _ = input.take(Self.touch(50, 210), on: Self.listShown)
    input.release()
    #expect(input.take(Self.lift(), on: Self.listShown) == [])
    _ = input.take(Self.touch(50, 210), on: Self.listShown)
    #expect(input.take(Self.lift(), on: Self.listShown).map(\.verb) == [.touchPart])
  }

  @Test func `a map is touched and moved in points`() {
    let map = Self.shown(ScreenNode(.map), [ScreenTarget(name: "location", part: 0, box: Self.box(0, 0))])
    #expect(Self.actions([Self.touch(500, 300), Self.lift()], on: map) == [CarAction(.touchMap)])
    let pan = Self.actions([Self.touch(500, 300), Self.touch(600, 300), Self.touch(700, 240), Self.lift()], on: map)
    #expect(pan == [CarAction(.pan, ["x": .number(100), "y": .number(-30)])])
    // A drag from a button does not move the map.
    #expect(Self.actions([Self.touch(10, 10), Self.touch(300, 300), Self.lift()], on: map) == [])
  }

  @Test func `the keyboard types behind the present text`() {
    let keys = ["a", "left", "more", "search", "home"].enumerated().map {
      ScreenTarget(name: $1, part: nil, box: Self.box(200 * $0, 500))
    }
    let search = Self.shown(ScreenNode(.search, children: [ScreenNode(.field, "caf")]), keys)
    func press(_ index: Int) -> [CarAction] {
      Self.actions([Self.touch(200 * index + 9, 510), Self.lift()], on: search)
    }
    #expect(press(0) == [CarAction(.type, ["text": .text("cafa")])])
    #expect(press(1) == [CarAction(.type, ["text": .text("ca")])])
    #expect(press(2) == [])
    #expect(press(3) == [CarAction(.searchKey)])
    #expect(press(4) == [CarAction(.home)])
  }

  @Test func `knob and keys are those of the car`() {
    func verbs(_ events: InputEvent...) -> [String] { Self.actions(events, on: Self.listShown).map(\.description) }
    #expect(verbs(.knobWheel(steps: -3), .knobWheel(steps: 0)) == ["turn -3"])
    #expect(verbs(.knobNudge(x: 0, y: -100), .knobNudge(x: 0, y: 0), .knobNudge(x: 90, y: 0)) == ["turn -1", "turn 1"])
    #expect(verbs(.knobButton(.select, isDown: true), .knobButton(.select, isDown: false)) == ["press"])
    #expect(verbs(.knobButton(.back, isDown: true), .knobButton(.home, isDown: true)) == ["back", "home"])
    func key(_ usage: HIDUsage) -> InputEvent { .key(page: usage.page, usage: usage.number, isDown: true) }
    #expect(verbs(key(MediaKey.next.usage), key(MediaKey.navigationGuidance.usage)) == ["key \"next\""])
    #expect(verbs(.key(page: 0x0C, usage: 0xB5, isDown: false), .key(page: 9, usage: 9, isDown: true)) == [])
    // A telephone key answers the call that rings, and nothing else.
    #expect(verbs(key(TelephonyKey.hook.usage)) == [])
    let call = Self.shown(
      ScreenNode(.alert, "Ada", children: [ScreenNode(.action, "Accept"), ScreenNode(.action, "Decline")]))
    let answers = Self.actions([key(TelephonyKey.hook.usage), key(TelephonyKey.drop.usage)], on: call)
    #expect(answers.map { $0.text("text") } == ["Accept", "Decline"])
  }

  @Test func `commands of the head unit are steps of the car`() {
    #expect(SessionCommand.setNightMode(true).carAction?.text("request") == "night")
    #expect(SessionCommand.setLimitedUI(false).carAction?.text("request") == "unlimited")
    #expect(SessionCommand.requestSiri(.buttonDown).carAction?.verb == .voiceKey)
    #expect(SessionCommand.requestSiri(.buttonUp).carAction == nil)
    #expect(SessionCommand.forceKeyFrame(uuid: nil).carAction == nil)
  }
}
