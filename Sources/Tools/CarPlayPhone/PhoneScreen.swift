// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayDrawing
import CarPlayPlatform
import CarPlaySession
import Glibc
import IAP2Roles

/// The screen of a phone in a session: which picture it needs next, and when.
struct PhoneScreen {
  private var apps: PhoneApps
  private var program: DrawingProgram
  /// Whether the drawing program was started again and has drawn nothing since.
  private var isRestarted = false
  private let stop: StopRequest

  private var input = PhoneInput()
  /// The activity of the apps that was reported.
  private var activity = PhoneActivity()
  /// The sounds that were reported.
  private var sounds = PhoneSounds()
  /// The report for the head unit that was reported.
  private var report: AppReport?
  /// The words of each app that were reported.
  private var speech: [Int: PhoneActivity.Speech] = [:]
  /// The shortest time between two pictures, by the head unit's display.
  private var interval = Duration.seconds(1) / 60
  /// Whether the head unit takes pictures, and whether it shows the phone's screen and not its own.
  private var isRunning = false, isShown = true
  /// Whether the session takes requests for modes.
  private var isLive = false
  /// The head unit's answer to `/info`; nil before it is known.
  private var info: SessionInfo?
  /// The place of the phone's screen on the display in pixels.
  private var origin = (x: 0, y: 0)
  /// Whether the last picture is still on its way to the session.
  private var isSending = false
  /// Whether the next picture must stand alone.
  private var needsKeyFrame = true
  /// The content of the last picture, and its values.
  private var last: (content: Content, film: ScreenFilm)?
  /// The earliest time of the next picture.
  private var nextTime = ContinuousClock.now
  /// The time of the last input since the last picture.
  private var inputTime: ContinuousClock.Instant?
  /// The number of steps of the spinners, and the time of the next one.
  private var phase = 0
  private var nextPhase = ContinuousClock.now

  private struct Content: Hashable {
    var screen: ScreenContent
    var phase: Int
  }

  /// The time after which a head unit that reads too slowly gets another picture.
  private static let pause = Duration.milliseconds(100)
  /// The time after which a picture is not the effect of an input: the input had none.
  private static let longestReaction = Duration.seconds(1)
  /// The time between two pictures of a spinner.
  private static let phaseTime = CarRun.turnTime
  /// The longest wait for a change.
  private static let longestWait = Duration.seconds(60)
  /// The label of a car's own icon without a text.
  private static let usualLabel = "Car"
  /// The numbers of pictures per second that the phone draws.
  private static let rates = 1...120

  init(_ apps: PhoneApps, _ program: DrawingProgram, _ stop: StopRequest) {
    (self.apps, self.program, self.stop) = (apps, program, stop)
  }

  /// Ends the apps.
  func finish() { apps.finish() }

  // MARK: Reports

  /// Takes a report of the session. Returns whether the session goes on.
  mutating func take(_ report: PhoneReport) throws(CarFailure) -> Bool {
    switch report {
    case .info(let info): try begin(info)
    // The driver touches the head unit's own screen, but its keys still play the phone's music.
    case .input(let event, _) where !isShown && !event.isKey: break
    case .input(let event, let time):
      let scroll = input.scroll
      try perform(input.take(event.moved(by: origin), on: shown), at: time)
      if scroll != input.scroll { inputTime = time }
    case .command(.forceKeyFrame): needsKeyFrame = true
    case .command(.requestViewArea(_, let index, _)): try change(toArea: index)
    case .command(let command):
      if let action = command.carAction { try apps.perform(action) }
    case .live: isLive = true
    case .screen(let isRunning): (self.isRunning, needsKeyFrame) = (isRunning, true)
    case .modes(let isShown, let hasSpeakers):
      try apps.set(hasSpeakers: hasSpeakers)
      // The head unit has shown its own screen meanwhile.
      if isShown, !self.isShown { needsKeyFrame = true }
      if !isShown { input.release() }
      self.isShown = isShown
    case .taken(let isSent):
      isSending = false
      guard !isSent else { break }
      // The pictures after a dropped one depend on it.
      needsKeyFrame = true
      nextTime = ContinuousClock.now.advanced(by: Self.pause)
    case .request(let request): try apps.perform(request)
    case .location(let location): try apps.move(to: location)
    case .end: return false
    }
    return true
  }

  /// Uses another view area of the head unit from the next picture on. An area that it did not offer has no effect.
  private mutating func change(toArea index: Int) throws(CarFailure) {
    guard let info, let screen = try? HeadUnitScreen(info, area: index) else { return }
    origin = (screen.x, screen.y)
    needsKeyFrame = true
    input.release()
    try apps.move(to: screen)
  }

  private mutating func begin(_ info: SessionInfo) throws(CarFailure) {
    guard apps.content == nil else { return }
    let screen: HeadUnitScreen
    do { screen = try HeadUnitScreen(info) } catch { throw CarFailure(.badInput, error.description) }
    interval = .seconds(1) / min(max(screen.rate, Self.rates.lowerBound), Self.rates.upperBound)
    (self.info, origin) = (info, (screen.x, screen.y))
    try apps.connect(
      to: screen, carLabel: info.oemIconVisible == true ? info.oemIconLabel ?? Self.usualLabel : nil)
    if info.limitedUI == true, let limit = SessionCommand.setLimitedUI(true).carAction { try apps.perform(limit) }
  }

  /// The drawn screen. The app may have changed its screen since.
  private var shown: ShownScreen {
    let content = last?.content.screen ?? apps.content
    return ShownScreen(
      content?.screen ?? ScreenNode(.off), last?.film, scale: content?.look.screen.scale ?? CarScreen().scale,
      typedText: apps.content?.screen.first(.field)?.title ?? "")
  }

  private mutating func perform(_ actions: [CarAction], at time: ContinuousClock.Instant) throws(CarFailure) {
    for action in actions {
      inputTime = time
      try apps.perform(action)
    }
  }

  /// Returns the activity of the apps if it has changed since the last call.
  mutating func nextActivity() -> (now: PhoneActivity, before: PhoneActivity)? {
    let now = apps.activity
    guard isLive, now != activity else { return nil }
    defer { activity = now }
    return (now, activity)
  }

  /// Whether the driver has asked for the head unit's own screen since the last call.
  mutating func takeWishForCar() -> Bool { apps.takeWishForCar() }

  /// Returns the words that apps have begun to speak since the last call.
  mutating func nextSpeech() -> [PhoneActivity.Speech] {
    guard isLive else { return [] }
    let now = apps.speech
    defer { speech = now }
    return now.sorted { $0.key < $1.key }.filter { speech[$0.key] != $0.value }.map(\.value)
  }

  /// Returns the sounds of the apps if they have changed since the last call.
  mutating func nextSounds() -> PhoneSounds? {
    let now = apps.sounds
    guard isLive, now != sounds else { return nil }
    sounds = now
    return now
  }

  /// Returns the apps' report for the head unit, and the one before, if it has changed since the last call.
  mutating func nextReport() -> (now: AppReport, before: AppReport?)? {
    guard let now = apps.report(), now != report else { return nil }
    defer { report = now }
    return (now, report)
  }

  // MARK: Pictures

  private var content: Content? {
    apps.content.map { content in
      var content = content
      content.scroll = input.scroll
      return Content(screen: content, phase: content.screen.turns ? phase : 0)
    }
  }

  /// Draws and encodes the next picture, if one is due.
  ///
  /// - Returns: The picture, its values, and the milliseconds since the input that it shows; nil if none is due.
  mutating func nextPicture() throws(CarFailure) -> (AppPicture, ScreenFilm, reaction: Double?)? {
    let now = ContinuousClock.now
    if now >= nextPhase { (phase, nextPhase) = (phase + 1, now.advanced(by: Self.phaseTime)) }
    showOther()
    guard isRunning, isShown, !isSending, now >= nextTime, let content, needsKeyFrame || content != last?.content else {
      return nil
    }
    let picture = try drawn(content)
    guard let film = picture.film else {
      throw CarFailure(.unavailable, "iap2-screen sent no film; build it again with tools/screen-program")
    }
    last = (content, film)
    (isSending, needsKeyFrame, nextTime) = (true, false, now.advanced(by: interval))
    let reaction = inputTime.map { $0.duration(to: .now) }.flatMap {
      $0 < Self.longestReaction ? $0 / .milliseconds(1) : nil
    }
    inputTime = nil
    return (AppPicture(bytes: picture.bytes, isKeyFrame: film.isKeyFrame), film, reaction)
  }

  /// Draws a picture. A drawing program that has ended is started again, once.
  private mutating func drawn(_ content: Content) throws(CarFailure) -> DrawingProgram.Picture {
    do throws(DrawingProblem) {
      let picture = try program.draw(
        content.screen, images: apps.images, as: .h264, phase: content.phase, isKeyFrame: needsKeyFrame,
        stop: stop.descriptor)
      isRestarted = false
      return picture
    } catch {
      if case .picture(let text) = error { throw CarFailure(.unavailable, "the screen is not drawn: \(text)") }
      guard case .program(let text) = error, !isRestarted else { throw CarFailure(error) }
      apps.note("\(text); it is started again")
      isRestarted = true
      do { program = try DrawingProgram() } catch { throw CarFailure(error) }
      // The new program has no earlier picture.
      needsKeyFrame = true
      return try drawn(content)
    }
  }

  /// Lets another screen begin at its top.
  private mutating func showOther() {
    guard let earlier = last?.content.screen.screen, let present = apps.content?.screen else { return }
    if (earlier.kind, earlier.title) != (present.kind, present.title) { input.showOther() }
  }

  /// Waits until an app changes, until the session reports something, or until the next picture is due.
  ///
  /// - Parameter descriptor: It is readable while the session has reports.
  mutating func wait(_ descriptor: Int32) throws(CarFailure) {
    try apps.interruptSounds()
    let now = ContinuousClock.now
    var end = now.advanced(by: Self.longestWait)
    if isRunning, isShown, !isSending, needsKeyFrame || content != last?.content { end = min(end, nextTime) }
    if isRunning, isShown, apps.content?.screen.turns == true { end = min(end, nextPhase) }
    try apps.wait(max(.zero, now.duration(to: end)), input: descriptor)
  }
}

extension InputEvent {
  /// Whether a key is pressed or released.
  fileprivate var isKey: Bool { if case .key = self { true } else { false } }

  /// Returns the event with a finger's place on the phone's screen in place of that on the display.
  fileprivate func moved(by origin: (x: Int, y: Int)) -> InputEvent {
    guard case .touch(let slot, let isTouching, let x, let y) = self else { return self }
    return .touch(slot: slot, isTouching: isTouching, x: x - origin.x, y: y - origin.y)
  }
}
