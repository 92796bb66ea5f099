// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlaySession

/// The phone's own screens on the car's display, for a session without an app: the home screen, what plays, and the
/// settings.
struct PhoneDisplay {
  private var car: HeadUnitScreen
  private let names: [String]
  private var page: PhonePage?
  /// The part of the home screen with the focus of the knob.
  private var focus: Int?
  private var input = PhoneInput()

  /// - Parameters:
  ///   - names: The names of the phone's apps, which have no code here.
  ///   - display: The screen of the head unit.
  init(names: [String], display: DisplaySettings) {
    self.names = names
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [display])
    do { car = try HeadUnitScreen(info) } catch { preconditionFailure("the standard head unit has a screen: \(error)") }
  }

  var look: CarLook { car.settings.look }

  private var home: PhoneHome { PhoneHome(names: names, focus: focus) }

  /// Returns what the display shows.
  ///
  /// - Parameters:
  ///   - isShown: Whether the head unit shows the phone's screen.
  ///   - song: What the phone plays.
  func content(isShown: Bool, song: LabState.Phone.Song?) -> ScreenContent {
    ScreenContent(isShown ? screen(song) : ScreenNode(.off), look)
  }

  private func screen(_ song: LabState.Phone.Song?) -> ScreenNode {
    guard let page else { return home.screen }
    guard page == .nowPlaying, let song, !song.title.isEmpty else { return page.screen(car, isLimited: false) }
    return ScreenNode(
      .nowPlaying,
      children: [
        ScreenNode(.back, "Home"), ScreenNode(.title, song.title), ScreenNode(.text, song.artist),
      ])
  }

  /// Takes an event of the phone's side of the session: an input, or the head unit's night mode.
  mutating func take(_ event: CarPlaySession.SessionEvent, on content: ScreenContent, _ film: ScreenFilm?) {
    switch event {
    case .input(_, let event):
      let shown = ShownScreen(content.screen, film, scale: look.screen.scale)
      for action in input.take(event, on: shown) { take(action, on: content) }
    case .command(.setNightMode(let isOn), _, .headUnit):
      car.settings.appearance = isOn ? .dark : .light
      car.settings.contentStyle = car.settings.appearance
    case .ended: (page, focus) = (nil, nil)
    default: break
    }
  }

  private mutating func take(_ action: CarAction, on content: ScreenContent) {
    switch action.verb {
    case .home, .back: page = nil
    case .turn where page == nil:
      var home = home
      home.turn(action.whole("steps") ?? 1)
      focus = home.focus
    case .press where page == nil: if case .page(let chosen) = home.focusedChoice { page = chosen }
    case .touchPart:
      let part = action.whole("part") ?? 0
      if page != nil {
        if content.screen.all.indices.contains(part), content.screen.all[part].kind == .back { page = nil }
      } else if case .page(let chosen) = home.choice(of: part) {
        page = chosen
      }
    default: break
    }
    input.showOther()
  }
}
