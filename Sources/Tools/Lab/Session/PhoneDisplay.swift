// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlaySession

/// The phone's own screens on the car's display, for a session without an app: the home screen, what plays, and the
/// settings.
struct PhoneDisplay {
  private let car: HeadUnitScreen
  private let names: [String]
  private var page: PhonePage?
  private var input = PhoneInput()

  /// - Parameter names: The names of the phone's apps, which have no code here.
  init(names: [String]) {
    self.names = names
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 1280, height: 720)])
    do { car = try HeadUnitScreen(info) } catch { preconditionFailure("the standard head unit has a screen: \(error)") }
  }

  var look: CarLook { car.settings.look }

  private var home: PhoneHome { PhoneHome(names: names) }

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

  /// Forgets a finger whose page is gone.
  mutating func release() { input.release() }

  /// Takes a finger.
  mutating func touch(_ phase: LabRequest.Phase, _ x: Int, _ y: Int, on content: ScreenContent, _ film: ScreenFilm?) {
    let shown = ShownScreen(content.screen, film, scale: look.screen.scale)
    for action in input.take(.touch(slot: 0, isTouching: phase != .up, x: x, y: y), on: shown) {
      switch action.verb {
      case .home: page = nil
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
}
