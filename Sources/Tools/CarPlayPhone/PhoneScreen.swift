// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayDrawing
import CarPlayPlatform
import CarPlaySession
import Glibc
import IAP2Roles

/// The screens of a phone in a session: what they show, and what the driver does there.
struct PhoneScreen {
  private var apps: PhoneApps
  /// The program that draws the main screen. It starts before the head unit is known.
  private let program: DrawingProgram
  private let stop: StopRequest
  /// The pictures of the main screen, and of the instrument cluster; nil before the head unit is known, and for a head
  /// unit without a cluster.
  private var main: PictureStream?
  private var cluster: PictureStream?
  /// The identifier of the cluster's display.
  private var clusterID: String?

  private var input = PhoneInput()
  /// The activity of the apps that was reported.
  private var activity = PhoneActivity()
  /// The sounds that were reported.
  private var sounds = PhoneSounds()
  /// The report for the head unit that was reported.
  private var report: AppReport?
  /// The words of each app that were reported.
  private var speech: [Int: PhoneActivity.Speech] = [:]
  /// Whether the head unit shows the phone's screen and not its own.
  private var isShown: Bool { main?.isShown ?? true }
  /// Whether the session takes requests for modes.
  private var isLive = false
  /// The head unit's answer to `/info`; nil before it is known.
  private var info: SessionInfo?
  /// The place of the phone's screen on the display in pixels.
  private var origin = (x: 0, y: 0)
  /// The time of the last input since the last picture.
  private var inputTime: ContinuousClock.Instant?
  /// The number of steps of the spinners, and the time of the next one.
  private var phase = 0
  private var nextPhase = ContinuousClock.now

  /// The time after which a picture is not the effect of an input: the input had none.
  private static let longestReaction = Duration.seconds(1)
  /// The time between two pictures of a spinner.
  private static let phaseTime = CarRun.turnTime
  /// The longest wait for a change.
  private static let longestWait = Duration.seconds(60)
  /// The label of a car's own icon without a text.
  private static let usualLabel = "Car"

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
      if let isMuted = apps.isMuted, let request = event.telephonyKey.flatMap({ PhoneRequest($0, isMuted: isMuted) }) {
        try apps.perform(request)
        break
      }
      let scroll = input.scroll
      try perform(input.take(event.moved(by: origin), on: shown), at: time)
      if scroll != input.scroll { inputTime = time }
    case .command(.forceKeyFrame(let id)):
      if id != nil, id == clusterID { cluster?.needsKeyFrame = true } else { main?.needsKeyFrame = true }
    case .command(.showUI(let id, _)) where id == clusterID:
      cluster?.isShown = true
      cluster?.needsKeyFrame = true
    case .command(.stopUI(let id)) where id == clusterID: cluster?.isShown = false
    case .command(.requestViewArea(let id, let index, _)) where id == info?.mainDisplay?.uuid:
      try change(toArea: index)
    case .command(let command):
      if let action = command.carAction { try apps.perform(action) }
    case .live: isLive = true
    case .screen(let type, let isRunning):
      change(type) { ($0.isRunning, $0.needsKeyFrame) = (isRunning, true) }
    case .modes(let isShown, let hasSpeakers):
      try apps.set(hasSpeakers: hasSpeakers)
      // The head unit has shown its own screen meanwhile.
      if isShown, !self.isShown { main?.needsKeyFrame = true }
      if !isShown { input.release() }
      main?.isShown = isShown
    case .taken(let type, let isSent): change(type) { $0.taken(isSent: isSent) }
    case .request(let request): try apps.perform(request)
    case .location(let location): try apps.move(to: location)
    case .microphone(let samples): try apps.hear(samples)
    case .end: return false
    }
    return true
  }

  /// Uses another view area of the head unit from the next picture on. An area that it did not offer, or that the phone
  /// does not draw, has no effect.
  private mutating func change(toArea index: Int) throws(CarFailure) {
    guard let info else { return }
    let screen: HeadUnitScreen
    do { screen = try HeadUnitScreen(info, area: index) } catch {
      return apps.note("the head unit's request for another view area has no effect: \(error.description)")
    }
    guard apps.isOther(screen) else { return }
    origin = (screen.x, screen.y)
    main?.needsKeyFrame = true
    input.release()
    try apps.move(to: screen)
  }

  private mutating func begin(_ info: SessionInfo) throws(CarFailure) {
    guard apps.content == nil else { return }
    let screen: HeadUnitScreen
    do { screen = try HeadUnitScreen(info) } catch { throw CarFailure(.badInput, error.description) }
    main = PictureStream(program, rate: screen.rate, stop: stop)
    if let display = info.clusterDisplay { beginCluster(display, rate: screen.rate) }
    (self.info, origin) = (info, (screen.x, screen.y))
    try apps.connect(
      to: screen, carLabel: info.oemIconVisible == true ? info.oemIconLabel ?? Self.usualLabel : nil)
    if info.limitedUI == true, let limit = SessionCommand.setLimitedUI(true).carAction { try apps.perform(limit) }
  }

  /// Prepares the pictures of the instrument cluster. The session goes on without one that cannot be drawn.
  private mutating func beginCluster(_ display: DisplayInfo, rate: Int) {
    do throws(DrawingProblem) {
      guard let size = CarScreen(cluster: display) else {
        return apps.note("the phone does not draw an instrument cluster of this size: \(display.sizeText)")
      }
      cluster = PictureStream(try DrawingProgram(), rate: display.maximumFrameRate ?? rate, stop: stop)
      (clusterID, apps.cluster) = (display.uuid, size)
    } catch { apps.note("the instrument cluster stays empty: \(CarFailure(error).description)") }
  }

  /// The drawn screen. The app may have changed its screen since.
  private var shown: ShownScreen {
    let content = main?.last?.content.screen ?? apps.content
    return ShownScreen(
      content?.screen ?? ScreenNode(.off), main?.last?.film, scale: content?.look.screen.scale ?? CarScreen().scale,
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

  private var content: PictureStream.Content? {
    apps.content.map { content in
      var content = content
      content.scroll = input.scroll
      return PictureStream.Content(screen: content, phase: content.screen.turns ? phase : 0)
    }
  }

  private var clusterContent: PictureStream.Content? { apps.clusterContent.map { PictureStream.Content(screen: $0) } }

  private mutating func change(_ type: StreamType, _ body: (inout PictureStream) -> Void) {
    switch type {
    case .screen:
      if var stream = main {
        body(&stream)
        main = stream
      }
    case .alternateScreen:
      if var stream = cluster {
        body(&stream)
        cluster = stream
      }
    default: break
    }
  }

  /// Draws and encodes the next picture of the main screen, if one is due.
  ///
  /// - Returns: The picture, its values, and the milliseconds since the input that it shows; nil if none is due.
  mutating func nextPicture() throws(CarFailure) -> (AppPicture, ScreenFilm, reaction: Double?)? {
    let now = ContinuousClock.now
    if now >= nextPhase { (phase, nextPhase) = (phase + 1, now.advanced(by: Self.phaseTime)) }
    showOther()
    let content = content
    guard let (picture, film) = try main?.next(content, images: apps.images, note: apps.note) else { return nil }
    let reaction = inputTime.map { $0.duration(to: .now) }.flatMap {
      $0 < Self.longestReaction ? $0 / .milliseconds(1) : nil
    }
    inputTime = nil
    return (picture, film, reaction)
  }

  /// Draws and encodes the next picture of the instrument cluster, if one is due.
  mutating func nextClusterPicture() throws(CarFailure) -> AppPicture? {
    let content = clusterContent
    do { return try cluster?.next(content, images: apps.clusterImages, note: apps.note)?.0 } catch {
      guard error.kind != .stopped else { throw error }
      apps.note("the instrument cluster stays empty: \(error.description)")
      cluster = nil
      return nil
    }
  }

  /// Lets another screen begin at its top.
  private mutating func showOther() {
    guard let earlier = main?.last?.content.screen.screen, let present = apps.content?.screen else { return }
    if (earlier.kind, earlier.title) != (present.kind, present.title) { input.showOther() }
  }

  /// Waits until an app changes, until the session reports something, or until the next picture is due.
  ///
  /// - Parameter descriptor: It is readable while the session has reports.
  mutating func wait(_ descriptor: Int32) throws(CarFailure) {
    try apps.interruptSounds()
    let now = ContinuousClock.now
    var end = now.advanced(by: Self.longestWait)
    for time in [main?.time(of: content), cluster?.time(of: clusterContent)] { if let time { end = min(end, time) } }
    if main?.isRunning == true, isShown, apps.content?.screen.turns == true { end = min(end, nextPhase) }
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

extension DisplayInfo {
  fileprivate var sizeText: String { "\(width ?? 0) × \(height ?? 0) pixels" }
}

extension SessionInfo {
  /// The first display of the instrument cluster; nil without one.
  fileprivate var clusterDisplay: DisplayInfo? {
    displays?.first { $0.type == StreamType.alternateScreen.rawValue }
  }
}

extension CarScreen {
  /// Creates the screen of an instrument cluster; nil if the phone draws none of that size.
  fileprivate init?(cluster display: DisplayInfo) {
    guard let width = display.width, let height = display.height, HeadUnitScreen.canDraw(width, height) else {
      return nil
    }
    self.init()
    // H.264 has even sides.
    (pixelWidth, pixelHeight, dockThickness) = (width & ~1, height & ~1, 0)
  }
}
