// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Foundation
import Glibc
import IAP2Roles

/// The apps of a phone in a car. One of them, or the home screen, is in front. An app that ends leaves the home screen,
/// and its icon starts it again.
struct PhoneApps {
  typealias Program = AppPhone.Program
  typealias Output = AppPhone.Output

  private struct App {
    var program: Program
    var name: String
    /// The process; nil after its end.
    var run: CarRun?
    /// Whether the process has a car.
    var hasCar = false
    /// The activity; none after the end of the process.
    var activity: PhoneActivity { run?.car.state.activity ?? PhoneActivity() }
    /// The last report for the head unit.
    var report = AppReport()
    /// The artwork of that report.
    var artwork: [UInt8] = []
    /// The app for the interruptions of sound.
    var look: SoundInterruptions.App {
      let mixes = activity.sounds.filter { !$0.isPrompt }.map(\.mixes) + (activity.recording.map { [$0.mixes] } ?? [])
      return SoundInterruptions.App(
        isPlaying: !mixes.isEmpty, mixes: mixes.allSatisfy(\.self), hasCall: activity.call != nil,
        showsSiri: activity.showsSiri)
    }
  }

  private let output: Output
  private let stop: StopRequest
  private let link: CarLink
  private var apps: [App] = []
  /// The head unit's screen; nil before it is known.
  private var car: HeadUnitScreen?
  private var settings: CarSettings? { car?.settings }
  /// The label of the car's own icon; nil if the car wants none.
  private var carLabel: String?
  /// The index of the app in front; nil for a screen of the phone.
  private var front: Int?
  /// The phone's own screen if no app is in front; nil for the home screen.
  private var page: PhonePage?
  /// Whether the driver wants the head unit's own screen.
  private var wantsCar = false
  /// The part of the home screen with the focus.
  private var focus = 0
  private var interruptions = SoundInterruptions()
  /// Whether an app has reported anything for the head unit.
  private var hasReported = false
  /// The last limits of the head unit, for an app that starts later.
  private var limits: CarAction?

  /// The time of the next look at the apps behind the one in front.
  private var nextLook = ContinuousClock.now

  /// The time within which an app answers. A driver takes a phone that shows nothing new for longer as broken.
  private static let answerTime = Duration.seconds(10)
  /// The limit of the notification of an app at the end; the phone takes a tenth of a second. Ours.
  private static let disconnectTime = Duration.seconds(1)
  /// The time between two looks at the apps behind the one in front.
  private static let lookTime = Duration.milliseconds(500)

  /// Starts the programs. With several, one that is no app leaves its icon.
  ///
  /// - Parameter link: The connection with the car. A cable charges the phone.
  /// - Throws: A failure if the only program, or every one, is no app.
  init(_ programs: [Program], link: CarLink, stop: StopRequest, output: Output) throws(CarFailure) {
    (self.link, self.stop, self.output) = (link, stop, output)
    var failure: CarFailure?
    for program in programs {
      do {
        let run = try Self.start(program, isNamed: programs.count > 1, stop, output)
        apps.append(App(program: program, name: run.app.app, run: run))
      } catch {
        guard error.kind == .app, programs.count > 1 else {
          finish()
          throw error
        }
        output.note(error.description)
        failure = error
        apps.append(App(program: program, name: program.name))
      }
    }
    if let failure, apps.allSatisfy({ $0.run == nil }) { throw failure }
  }

  private static func start(
    _ program: Program, isNamed: Bool, _ stop: StopRequest, _ output: Output
  ) throws(CarFailure) -> CarRun {
    var limits = CarChild.Limits()
    limits.answer = answerTime
    do {
      return try CarRun(
        program.executable, arguments: program.arguments, limits: limits, stop: stop, note: output.note,
        show: { output.show($0, isNamed ? program.name : nil) })
    } catch {
      guard error.kind == .app else { throw error }
      throw CarFailure(
        .app, "\(program.executable): \(error.description); the main of an app calls CarApplication.run")
    }
  }

  /// Prints a note for the user.
  func note(_ text: String) { output.note(text) }

  /// Ends all apps. Each one that has the car is notified of the disconnect before.
  func finish() {
    for app in apps {
      guard let run = app.run else { continue }
      // An app that fails now ends all the same.
      if app.hasCar { do throws(CarFailure) { try run.disconnect(within: Self.disconnectTime) } catch {} }
      run.finish()
    }
  }

  // MARK: The screen

  private var frontRun: CarRun? { front.flatMap { apps[$0].run } }

  /// The app whose own screen is shown: one that a call rings in, or the one in front.
  private var shownRun: CarRun? {
    if let run = apps.lazy.compactMap(\.run).first(where: { $0.car.state.screen.isCall }) { return run }
    return frontRun.flatMap { $0.showsHome ? nil : $0 }
  }

  private var home: PhoneHome {
    let banners = apps.map { $0.run?.car.state.screen.first(.banner) }
    let movesFocus = settings?.inputs.contains(where: \.movesFocus) == true
    return PhoneHome(
      names: apps.map(\.name), carLabel: carLabel, banners: banners, focus: movesFocus ? focus : nil)
  }

  private var isLimited: Bool { limits?.choice("request", HeadUnitRequest.self) == .limit }

  /// The content of the screen; nil before the head unit is known.
  var content: ScreenContent? {
    guard let car else { return nil }
    let settings = car.settings
    guard let state = shownRun?.car.state else {
      return ScreenContent(page?.screen(car, isLimited: isLimited) ?? home.screen, settings.look)
    }
    return ScreenContent(state.screen, state.look ?? settings.look, map: state.map)
  }

  /// The screen of the instrument cluster; nil without one.
  var cluster: CarScreen?

  /// The app whose guidance the cluster shows, else the app in front.
  private var clusterIndex: Int? { apps.firstIndex { $0.activity.isGuiding } ?? front }

  /// The content of the instrument cluster: that of the app's own scene for it, or else the next maneuver of its route.
  /// Nil without a cluster.
  var clusterContent: ScreenContent? {
    guard let cluster, let settings else { return nil }
    var look = settings.look
    look.screen = cluster
    let index = clusterIndex
    if let own = index.flatMap({ apps[$0].run?.car.state.cluster }) { return ScreenContent(own, look) }
    let next = index.flatMap { apps[$0].report.guidance }.flatMap { guidance in
      guidance.reported.next.flatMap {
        guidance.route.maneuvers.indices.contains($0) ? guidance.route.maneuvers[$0] : nil
      }
    }
    return ScreenContent(
      ScreenNode(.cluster, children: next.map { [ScreenNode(.maneuver, $0.description)] } ?? []), look)
  }

  /// The images that the cluster may show.
  var clusterImages: [String: CarImage] { clusterIndex.flatMap { apps[$0].run?.images } ?? [:] }

  /// The images that the screen may show.
  var images: [String: CarImage] { shownRun?.images ?? [:] }

  /// The activity of all apps.
  var activity: PhoneActivity {
    apps.reduce(into: PhoneActivity()) { $0.formUnion($1.activity) }
  }

  /// The sounds of all apps.
  var sounds: PhoneSounds {
    let activity = activity
    let items = apps.indices.filter { !interruptions.isInterrupted($0) }.flatMap { app in
      apps[app].activity.sounds.map { PhoneSounds.Item(app: app, sound: $0) }
    }
    return PhoneSounds(
      items: items, call: activity.call, showsSiri: activity.showsSiri, recording: activity.recording)
  }

  /// The words that each app spoke last, by the app's index.
  var speech: [Int: PhoneActivity.Speech] {
    Dictionary(
      uniqueKeysWithValues: apps.enumerated().compactMap { index, app in
        app.activity.speech.map { (index, $0) }
      })
  }

  // MARK: Steps

  /// Connects the phone to a head unit. The only app opens.
  ///
  /// - Parameter carLabel: The label of the car's own icon; nil if the car wants none.
  mutating func connect(to car: HeadUnitScreen, carLabel: String?) throws(CarFailure) {
    var car = car
    car.settings.link = link
    (self.car, self.carLabel) = (car, carLabel)
    if apps.count == 1 { try open(0) }
  }

  /// Moves the phone to another screen of the head unit. The styles stay.
  mutating func move(to next: HeadUnitScreen) throws(CarFailure) {
    guard let before = car?.settings else { return }
    var next = next
    (next.settings.appearance, next.settings.contentStyle) = (before.appearance, before.contentStyle)
    next.settings.link = link
    car = next
    for index in apps.indices { try pass(next.settings.screen, as: "screen", of: .resize, to: index) }
  }

  /// Returns whether a screen is not the present one.
  func isOther(_ next: HeadUnitScreen) -> Bool {
    guard let car else { return true }
    return next.settings.screen != car.settings.screen || (next.x, next.y) != (car.x, car.y)
  }

  /// Whether the driver has asked for the head unit's own screen since the last call.
  mutating func takeWishForCar() -> Bool {
    defer { wantsCar = false }
    return wantsCar
  }

  /// Performs a step of the driver.
  mutating func perform(_ action: CarAction) throws(CarFailure) {
    if let request = action.choice("request", HeadUnitRequest.self) {
      // The night and the limits of driving concern every app, also one that starts later.
      switch request {
      case .night, .day:
        car?.settings.appearance = request == .night ? .dark : .light
        car?.settings.contentStyle = request == .night ? .dark : .light
      default: limits = action
      }
      for index in apps.indices { try perform(action, in: index) }
    } else if let shown = apps.firstIndex(where: { $0.run === shownRun && $0.run != nil }) {
      try perform(action, in: shown)
      if front == shown, apps[shown].run?.showsHome == true { showHome() }
    } else if page != nil, action.leavesPage {
      showHome()
    } else {
      try performAtHome(action)
    }
  }

  private mutating func showHome() { (front, page) = (nil, nil) }

  private mutating func performAtHome(_ action: CarAction) throws(CarFailure) {
    switch action.verb {
    case .touchPart where page != nil:
      let (parts, part) = (content?.screen.all ?? [], action.whole("part") ?? 0)
      if parts.indices.contains(part), parts[part].kind == .back { showHome() }
    case .turn where page != nil: break
    case .touchPart:
      let (home, part) = (home, action.whole("part") ?? 0)
      let parts = home.screen.all
      // The app in front may have ended since the screen was drawn.
      guard parts.indices.contains(part), parts[part].line == action.text("line") else { return }
      try choose(home.choice(of: part))
    case .turn:
      var home = home
      guard home.focus != nil else { return }
      home.turn(action.whole("steps") ?? 0)
      focus = home.focus ?? 0
    case .press: try choose(home.focusedChoice)
    // Music plays on behind the home screen.
    case .key, .nowPlaying, .voiceKey:
      if let index = apps.firstIndex(where: { $0.hasCar && $0.run != nil }) { try perform(action, in: index) }
    default: break
    }
  }

  private mutating func choose(_ choice: PhoneHome.Choice?) throws(CarFailure) {
    switch choice {
    case .open(let index): try open(index)
    case .page(.nowPlaying):
      guard let player else {
        page = .nowPlaying
        return
      }
      try open(player)
      try perform(CarAction(.nowPlaying), in: player)
    case .page(let chosen): page = chosen
    case .car: wantsCar = true
    case .banner(let index):
      let parts = apps[index].run?.car.state.screen.all ?? []
      guard let part = parts.firstIndex(where: { $0.kind == .banner }) else { return }
      front = index
      try perform(
        CarAction(.touchPart, ["part": .number(Double(part)), "line": .text(parts[part].line)]), in: index)
    case nil: break
    }
  }

  /// Brings an app to the front, and starts it if it has ended.
  private mutating func open(_ index: Int) throws(CarFailure) {
    guard let settings else { return }
    if let front, front != index { try perform(CarAction(.otherApp), in: front) }
    if apps[index].run == nil {
      do { apps[index].run = try Self.start(apps[index].program, isNamed: apps.count > 1, stop, output) } catch {
        guard error.kind != .stopped else { throw error }
        return output.note("\(apps[index].name) does not start: \(error.description)")
      }
    }
    (front, page) = (index, nil)
    guard !apps[index].hasCar else { return try perform(CarAction(.open), in: index) }
    try attempt(index) { run throws(CarFailure) in try run.begin(live: settings) }
    apps[index].hasCar = apps[index].run != nil
    try perform(CarAction(.launch, ["phoneScene": .flag(true)]), in: index)
    if let limits { try perform(limits, in: index) }
    if cluster != nil { try perform(CarAction(.cluster, ["shown": .flag(true)]), in: index) }
  }

  private mutating func perform(_ action: CarAction, in index: Int) throws(CarFailure) {
    guard apps[index].hasCar else { return }
    // A touch of a screen that has changed has no effect, as on a phone.
    try attempt(index) { run throws(CarFailure) in _ = try run.perform(action) }
  }

  /// Runs a body with an app. If the app ends, the home screen is in front.
  private mutating func attempt(_ index: Int, _ body: (CarRun) throws(CarFailure) -> Void) throws(CarFailure) {
    guard let run = apps[index].run else { return }
    do { try body(run) } catch {
      guard error.kind == .app else { throw error }
      output.note("\(apps[index].name): \(error.description); its icon starts it again")
      (apps[index].run, apps[index].hasCar) = (nil, false)
      interruptions.remove(index)
      (apps[index].report, apps[index].artwork) = (AppReport(), [])
      if front == index { front = nil }
    }
  }

  /// Gives the speakers to the phone or to the head unit, and notifies the apps.
  ///
  /// - Parameter hasSpeakers: Whether the phone has them for itself, and does not only borrow them.
  mutating func set(hasSpeakers: Bool) throws(CarFailure) {
    try notify(interruptions.set(hasSpeakers: hasSpeakers, apps.map(\.look)))
  }

  /// Notifies the apps of interruptions of their sound since the last call.
  mutating func interruptSounds() throws(CarFailure) { try notify(interruptions.look(at: apps.map(\.look))) }

  private mutating func notify(_ notices: [SoundInterruptions.Notice]) throws(CarFailure) {
    for notice in notices {
      try perform(CarAction(.interrupt, ["interrupted": .flag(notice.isInterrupted)]), in: notice.app)
    }
  }

  /// The joined report of the apps for the head unit; nil before the first one.
  mutating func report() -> AppReport? {
    for index in apps.indices {
      for text in apps[index].run?.takeReports() ?? [] {
        var next: AppReport
        do { next = try JSONDecoder().decode(AppReport.self, from: Data(text.utf8)) } catch {
          output.note("\(apps[index].name): a report for the head unit cannot be read: \(error)")
          continue
        }
        if let text = next.artwork { apps[index].artwork = Data(base64Encoded: text).map { [UInt8]($0) } ?? [] }
        next.artwork = nil
        next.song?.item.artwork = apps[index].artwork
        apps[index].report = next
        hasReported = true
      }
    }
    return hasReported ? AppReport(joining: reporting.map { apps[$0].report }) : nil
  }

  /// The indices of the apps that report, the one in front first.
  private var reporting: [Int] {
    ([front].compactMap { $0 } + apps.indices.filter { $0 != front }).filter { apps[$0].hasCar && apps[$0].run != nil }
  }

  /// The index of the app whose song the head unit shows; nil without one.
  private var player: Int? { AppReport.song(of: reporting.map { apps[$0].report }).map { reporting[$0] } }

  /// Whether the microphone is muted in the apps' calls; nil if no call goes on.
  var isMuted: Bool? { activity.call == .talking ? apps.contains { $0.report.isMuted } : nil }

  /// Passes a request of the head unit to the apps: one for calls to the app with calls, others to the app whose song the
  /// head unit shows, or else to the app in front.
  mutating func perform(_ request: PhoneRequest) throws(CarFailure) {
    let chosen = request.isOfCalls ? apps.firstIndex { !$0.report.calls.isEmpty } : player
    let index = chosen ?? reporting.first
    guard let index else { return }
    try pass(request, as: "request", of: .fromHeadUnit, to: index)
  }

  /// Passes a position of the car to the apps.
  mutating func move(to location: LocationReading) throws(CarFailure) {
    for index in apps.indices { try pass(location, as: "location", of: .fromHeadUnit, to: index) }
  }

  /// Passes sound of the car's microphone to the apps that record: 16 bits, 48 kHz, one channel, the lowest byte first.
  mutating func hear(_ samples: [UInt8]) throws(CarFailure) {
    let text = Data(samples).base64EncodedString()
    for index in apps.indices where apps[index].activity.recording != nil {
      try perform(CarAction(.fromHeadUnit, ["microphone": .text(text)]), in: index)
    }
  }

  /// Passes a value to an app as JSON. One that JSON does not have, such as an infinite speed, is noted.
  private mutating func pass(
    _ value: some Encodable, as name: String, of verb: CarVerb, to index: Int
  ) throws(CarFailure) {
    let text: String
    do { text = String(decoding: try JSONEncoder().encode(value), as: UTF8.self) } catch {
      return output.note("\(apps[index].name) does not get the \(name) of the head unit: \(error)")
    }
    try perform(CarAction(verb, [name: .text(text)]), in: index)
  }

  /// Waits until an app changes, until a descriptor is readable, or for a time.
  mutating func wait(_ time: Duration, input: Int32) throws(CarFailure) {
    let alive = apps.indices.filter { apps[$0].hasCar && apps[$0].run != nil }
    guard let first = front ?? alive.first, alive.contains(first) else {
      return try waitForInput(time, input)
    }
    let others = alive.filter { $0 != first }
    let time = others.isEmpty ? time : min(time, Self.lookTime)
    try attempt(first) { run throws(CarFailure) in try run.watch(time, input: input) }
    guard ContinuousClock.now >= nextLook else { return }
    nextLook = ContinuousClock.now.advanced(by: Self.lookTime)
    for index in others { try attempt(index) { run throws(CarFailure) in try run.watch(.zero, input: -1) } }
  }

  private func waitForInput(_ time: Duration, _ input: Int32) throws(CarFailure) {
    var ready = [input, stop.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = unsafe poll(&ready, nfds_t(ready.count), Int32(clamping: Int(time / .milliseconds(1)) + 1))
    if ready[1].revents != 0 { throw CarFailure(.stopped, "stopped") }
  }
}

extension CarRun {
  /// Whether the app's car shows its home screen, or another app.
  fileprivate var showsHome: Bool { car.state.screen.kind == .home }
}

extension PhoneRequest {
  /// Whether the request is one for the telephone, and not for a player.
  fileprivate var isOfCalls: Bool {
    switch self {
    case .button, .jump, .seek, .shuffle, .repeating: false
    case .accept, .end, .hold, .swap, .merge, .mute, .tone, .call: true
    }
  }
}

extension CarAction {
  /// Whether the step leaves a screen of the phone itself, whose only part with the focus leads back.
  fileprivate var leavesPage: Bool { [.back, .home, .press].contains(verb) }
}
