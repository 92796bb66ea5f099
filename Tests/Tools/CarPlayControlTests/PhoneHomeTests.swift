// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlaySession
import Testing

/// The phone's own home screen, and what its apps mean for the modes of a session.
struct PhoneHomeTests {
  @Test func `icons and a banner are the parts of the screen, in this order`() {
    let home = PhoneHome(
      names: ["Maps", "Radio"], carLabel: "Van", banners: [nil, ScreenNode(.banner, "Turn left")], focus: 1)
    let parts = home.screen.all
    #expect(parts.map(\.kind) == [.home, .icon, .icon, .icon, .icon, .icon, .banner])
    #expect(parts.map(\.title) == ["", "Maps", "Radio", "Now Playing", "Settings", "Van", "Turn left"])
    #expect(parts.map(\.isFocused) == [false, false, true, false, false, false, false])
    #expect(
      parts.indices.map { home.choice(of: $0) } == [
        nil, .open(0), .open(1), .page(.nowPlaying), .page(.settings), .car, .banner(1),
      ])
    #expect(home.choice(of: -1) == nil && home.choice(of: 7) == nil && home.focusedChoice == .open(1))
    #expect(
      PhoneHome(names: []).screen.all.map(\.title) == ["", "Now Playing", "Settings"]
        && PhoneHome(names: ["A"]).focusedChoice == nil)
  }

  @Test func `the focus stops at the ends`() {
    var home = PhoneHome(names: ["Maps", "Radio"], focus: 0)
    for (steps, focus) in [(1, 1), (5, 3), (-5, 0), (127, 3), (-127, 0)] {
      home.turn(steps)
      #expect(home.focus == focus)
    }
  }

  @Test func `the phone's settings show the car as it is used`() throws {
    var info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    (info.name, info.nightMode, info.rightHandDrive) = ("Van", true, true)
    let car = try HeadUnitScreen(info)
    let settings = PhonePage.settings.screen(car, isLimited: true).all(.row).map { "\($0.title): \($0.detail)" }
    #expect(
      settings == [
        "Car: Van", "Screen: 1280 × 720 pixels, 60 pictures a second", "Driver: on the right", "Input: touch, keys",
        "Night mode: on", "Limits: on",
      ])
    #expect(PhonePage.nowPlaying.screen(car, isLimited: false).shows("Not Playing"))
    // Another view area has another size, and one that the car did not offer is refused.
    let part = try HeadUnitScreen(info, area: 1).settings.screen
    #expect(part.pixelWidth == 852 && part.pixelHeight == 720)
    #expect(throws: ValueProblem.self) { try HeadUnitScreen(info, area: 2) }
    #expect(throws: ValueProblem.self) { try HeadUnitScreen(info, area: -1) }
  }

  /// Returns the modes after activities, one after the other, in a session whose head unit has the speakers.
  private func modes(_ activities: [PhoneActivity]) throws -> [ModeSnapshot] {
    let take = ModeTransfer.take(.niceToHave, take: .anytime, borrow: .anytime)
    var arbiter = try #require(
      ModeArbiter().applying(ModeRequest([(.screen, take)], reason: ""), of: .phone)?
        .applying(ModeRequest([(.mainAudio, take)], reason: ""), of: .headUnit))
    var before = PhoneActivity()
    return try activities.map { activity in
      for request in activity.requests(after: before) { arbiter = try #require(arbiter.applying(request, of: .phone)) }
      before = activity
      return ModeSnapshot(arbiter)
    }
  }

  @Test func `a call and Siri borrow the speakers once, and give them back after the last of them`() throws {
    let seen = try modes([
      PhoneActivity(call: .ringing), PhoneActivity(call: .talking, showsSiri: true), PhoneActivity(showsSiri: true),
      PhoneActivity(), PhoneActivity(isGuiding: true), PhoneActivity(),
    ])
    #expect(seen.map(\.mainAudio.user) == [.phone, .phone, .phone, .headUnit, .headUnit, .headUnit])
    #expect(seen.map(\.screen.user) == Array(repeating: .phone, count: 6))
    #expect(seen.map(\.phoneCall) == [.phone, .phone, nil, nil, nil, nil])
    #expect(seen.map(\.speech) == [.phone, .phone, .phone, nil, nil, nil])
    #expect(seen.map(\.turnByTurn) == [nil, nil, nil, nil, .phone, nil])
    #expect(PhoneActivity().requests(after: PhoneActivity()).isEmpty)
  }

  @Test func `a recording borrows the speakers with the microphone, and keeps them through a call`() throws {
    let recording = PhoneActivity.Recording()
    let seen = try modes([
      PhoneActivity(recording: recording), PhoneActivity(call: .talking, recording: recording),
      PhoneActivity(recording: recording), PhoneActivity(call: .talking), PhoneActivity(),
    ])
    #expect(seen.map(\.mainAudio.user) == [.phone, .phone, .phone, .phone, .headUnit])
    #expect(seen.map(\.speech) == [.phone, .phone, .phone, .phone, nil])
    let first = PhoneActivity(recording: recording).requests(after: PhoneActivity())
    #expect(first.flatMap(\.items).map(\.resource) == [.mainAudio])
    #expect(first.flatMap(\.appStates) == [.speech(.recognizing)])
  }
}
