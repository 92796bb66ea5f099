// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPhone
import CarPlayPlatform
import CarPlaySession
import IAP2
import IAP2Capture
import IAP2Scenario

/// One life of an app in its car, from its start to a restart.
final class CarLife {
  /// The choice for the next life.
  private(set) var next: CarLab.Choice
  private(set) var pictures: LabPictures
  let run: CarRun
  private let hub: LabHub
  private let queue: LabQueue
  private let stop: StopRequest
  private let log: CarLog
  private var pace: LabPace
  private var recorder = ActionRecorder()
  /// The number of lines that each life of an app has from its start.
  private var startLines = 0
  private var input = PhoneInput()
  private(set) var faults: [String: CarValue] = [:]
  /// The chance of a lost disconnect that returns after the next disconnect, which is lost; nil if none has to be.
  private var lossAfterNext: CarValue?
  private var phase = 0
  private var nextPhase = ContinuousClock.now
  /// The failures that the car has reported, for a number of reports.
  var evidence = (reportCount: 0, hasEnded: false, found: [LabState.Failures.Found]())
  /// The reason why the app has ended; nil while it runs.
  private(set) var failure: CarFailure?
  private var isOver = false
  /// Whether the screen can be drawn.
  private var hasPictures = true
  /// The sources of the app; nil if they are not watched.
  private(set) var sources: SourceWatch?

  /// The longest wait for a request.
  private static let longestWait = Duration.seconds(60)
  /// The longest virtual time in seconds that a step to the next event passes, and the time between two looks.
  private static let longestStep = 60.0, lookTime = 0.1

  /// The requests between two looks at the screen. Ours.
  private static let requestsPerTurn = 100

  /// Starts the app's process. ``play(onStart:)`` puts it into its car.
  init(
    _ choice: CarLab.Choice, hub: LabHub, queue: LabQueue, stop: StopRequest, pictures: LabPictures,
    sources: SourceWatch?
  ) throws(CarFailure) {
    (next, self.hub, self.queue, self.stop, self.pictures) = (choice, hub, queue, stop, pictures)
    let log = CarLog(hub)
    self.log = log
    pace = LabPace(isPaused: choice.isPaused, speed: choice.speed)
    self.sources = sources
    run = try CarRun(choice.program, arguments: choice.arguments, stop: stop) { log.add($0) }
    run.takesImages = true
    run.onLink = { log.add($0) }
    var hello = LabHello(
      .car, title: run.app.app, lanes: [.headUnit, .phone, .car, .app],
      [.time, .input, .lines, .record, .point, .restart])
    hello.saves = LabRequest.Product.allCases.map(\.rawValue)
    (hello.verbs, hello.faults) = (LabHello.Verb.ofCars, LabHello.Fault.ofCars)
    hello.failures = LabHello.Failure.ofCars
    (hello.cars, hello.car) = (CarProfile.allCases.map(\.rawValue), choice.car.name)
    hub.begin(hello)
    self.pictures.requestKeyFrames()
  }

  /// Puts the app into its car, and runs until the page wants a restart.
  ///
  /// - Parameter onStart: Called when the app is in its car.
  func play(onStart: () -> Void) throws(CarFailure) {
    try run.begin(next.car)
    for failure in LabHello.Failure.ofCars where failure.deed.isOfStart && isOn(failure) {
      let text = "restarted with \(failure.deed.words)"
      log.add(LabEntry(.fault, failure.title, text: text, time: run.car.state.time, from: .car, level: .notice))
    }
    // The phone follows the notices of the cable, as one does. The head unit beside the screen shows song and route.
    try perform(CarAction(.policy, ["name": .text(CarLinkPolicy.notification.rawValue)]))
    try perform(CarAction(.launch, ["phoneScene": .flag(next.hasPhoneScene)]))
    startLines = recorder.items.count
    try show()
    onStart()
    while !isOver {
      try takeRequests()
      if isOver { break }
      try reloadIfChanged()
      let seconds = pace.passed()
      if seconds > 0 { try pass(seconds) }
      try show()
      let times = [pace.next, sources?.due].compactMap(\.self) + [phaseDue, .now.advanced(by: Self.longestWait)]
      try run.idle(until: times.min() ?? .now, input: queue.descriptor)
    }
  }

  /// Shows the end of the app.
  func end(_ reason: CarFailure) {
    failure = reason
    pace.isPaused = true
    hub.add([
      LabEntry(.end, "the app has ended", text: reason.description, time: run.car.state.time, from: .app, level: .error)
    ])
    setState()
  }

  /// Waits for a restart after the app's end, and answers requests that need no app.
  func waitForRestart() throws(CarFailure) {
    while !isOver {
      try takeRequests()
      try reloadIfChanged()
      setState()
      if !isOver { try queue.wait(stop, within: sources.map { _ in SourceWatch.interval }) }
    }
  }

  func finish() { run.finish() }

  // MARK: Requests

  /// Takes the waiting requests up to a restart, at most as many as leave the screen its turn.
  private func takeRequests() throws(CarFailure) {
    for _ in 0..<Self.requestsPerTurn {
      guard !isOver, let request = queue.next() else { return }
      try take(request)
    }
  }

  private func take(_ request: LabRequest) throws(CarFailure) {
    switch request {
    case .verb(let action): if isRunning() { try perform(action) }
    case .line(let line): if isRunning() { try perform(line) }
    case .touch(.screen, let phase, let x, let y): if failure == nil { try touch(phase, x, y) }
    case .pause: pace.isPaused = true
    case .play: pace.isPaused = failure != nil
    case .speed(let speed): pace.speed = speed
    case .step: if failure == nil { try step() }
    case .restart: restart(next)
    case .car(let name):
      guard CarProfile(rawValue: name) != nil else { return note("no car \(name)") }
      var choice = next
      choice.car.name = name
      choice.car.yaml = nil
      restart(choice)
    case .failure(let number): if let failure = LabHello.Failure.ofCars(number) { try play(failure) }
    case .loseNext: if failure == nil { try loseNext() }
    case .expect(let part):
      let parts = run.car.state.screen.all
      guard parts.indices.contains(part) else { return note("the screen has no part \(part)") }
      recorder.expect(parts[part], isScreen: part == 0, at: run.car.state.time)
    case .unrecord(let index): recorder.remove(index)
    // Without its start, a scenario has no app.
    case .forget: recorder.removeAll(keeping: startLines)
    case .save(let product): try save(product)
    case .keyFrame: pictures.requestKeyFrames()
    case .letGo: input.release()
    case .pictures(let isPNG):
      if isPNG {
        pictures.alsoPNG = true
        pictures.requestKeyFrames()
      }
    case .touch, .seek, .expectEntry, .detail, .filter, .saveEarlier: break
    }
  }

  /// Restarts the app with a changed source.
  private func reloadIfChanged() throws(CarFailure) {
    if let choice = try next.rebuilt(&sources, stop, hub) { restart(choice) }
  }

  func restart(_ choice: CarLab.Choice) {
    if recorder.items.count > startLines {
      // The files name the car of this life.
      hub.keep(
        lineCount: recorder.items.count,
        files: [("recorded-before.yaml", recordedScenario), ("RecordedBeforeTests.swift", recordedTest)])
    }
    next = choice
    (next.isPaused, next.speed) = (pace.isPaused && failure == nil, pace.speed)
    isOver = true
  }

  /// Returns whether the app takes a step, and notes that it has ended.
  private func isRunning() -> Bool {
    if failure != nil { note("the app has ended: restart it first") }
    return failure == nil
  }

  private func note(_ text: String) { hub.send(.note(text, level: .warning)) }

  /// Performs a step of the user and records it.
  func perform(_ action: CarAction, recorded: CarAction? = nil) throws(CarFailure) {
    let (start, wasConnected) = (run.car.state.time, run.car.state.isConnected)
    // Only steps of scenarios have a line of their own.
    if let recorded, recorded != action {
      log.add(LabEntry(.step, recorded.description, time: start, from: .car, level: .notice))
    }
    let problem: String?
    do { problem = try run.perform(action) } catch {
      // A step that ends the app is one of the record.
      if error.kind != .stopped { recorder.add(recorded ?? action, start: start, end: run.car.state.time) }
      throw error
    }
    if let problem {
      log.add(LabEntry(.fault, "refused", text: problem, time: start, from: .car, level: .warning))
      return note("\(action): \(problem)")
    }
    if action.verb == .faults { faults.merge(action.arguments) { $1 } }
    recorder.add(recorded ?? action, start: start, end: run.car.state.time)
    if action.arguments[Self.loss] != nil { lossAfterNext = nil }
    if wasConnected, !run.car.state.isConnected, let chance = lossAfterNext {
      try perform(CarAction(.faults, [Self.loss: chance]))
    }
  }

  /// The name of the chance that a disconnect is lost.
  private static let loss = "loseDisconnect"

  /// Loses the next disconnect of the cable, or takes that back. The chance in the recorded steps does the same.
  private func loseNext() throws(CarFailure) {
    if let chance = lossAfterNext { return try perform(CarAction(.faults, [Self.loss: chance])) }
    let before = faults[Self.loss] ?? .number(0)
    try perform(CarAction(.faults, [Self.loss: .number(1)]))
    lossAfterNext = before
  }

  /// Performs a step in the words of scenarios.
  func perform(_ line: String) throws(CarFailure) {
    let scenario: CarScenario
    do throws(ScenarioProblem) { scenario = try CarScenario(yaml: "steps:\n  - \(line)\n", file: "step") } catch {
      return note(error.description)
    }
    for step in scenario.steps {
      switch step.work {
      case .action(let action): try perform(action)
      case .expect(let wanted):
        let unmet = wanted.unmet(by: run.car)
        recorder.expect(line, wanted, at: run.car.state.time)
        log.add(
          LabEntry(
            .finding, unmet == nil ? "as expected" : "not as expected", text: unmet ?? line, time: run.car.state.time,
            from: .car, level: unmet == nil ? .notice : .error))
      }
    }
  }

  private func touch(_ phase: LabRequest.Phase, _ x: Int, _ y: Int) throws(CarFailure) {
    let state = run.car.state
    let shown = ShownScreen(
      state.screen, pictures.film, scale: state.look?.screen.scale ?? CarScreen().scale,
      typedText: state.screen.first(.field)?.title ?? "")
    for action in input.take(.touch(slot: 0, isTouching: phase != .up, x: x, y: y), on: shown) {
      try perform(action, recorded: state.screen.recordable(action))
    }
  }

  // MARK: Time

  private func pass(_ seconds: Double) throws(CarFailure) {
    if let problem = try run.perform(CarAction(.wait, ["seconds": .number(seconds)])) { note(problem) }
  }

  /// Passes virtual time until something happens.
  private func step() throws(CarFailure) {
    pace.isPaused = true
    let count = log.eventCount
    var passed = 0.0
    while log.eventCount == count, passed < Self.longestStep {
      try pass(Self.lookTime)
      passed += Self.lookTime
    }
    if log.eventCount == count { note("nothing happened in \(Int(Self.longestStep)) s") }
  }

  private var phaseDue: ContinuousClock.Instant {
    run.car.state.screen.turns ? nextPhase : .now.advanced(by: Self.longestWait)
  }

  // MARK: The page

  private var lastScreen: (kind: ScreenNode.Kind, title: String)?

  private func show() throws(CarFailure) {
    let state = run.car.state
    if let last = lastScreen, last != (state.screen.kind, state.screen.title) { input.showOther() }
    lastScreen = (state.screen.kind, state.screen.title)
    if ContinuousClock.now >= nextPhase { (phase, nextPhase) = (phase + 1, .now.advanced(by: CarRun.turnTime)) }
    if hasPictures {
      do throws(CarFailure) {
        for picture in try pictures.next(state.contents(scroll: input.scroll), run.images, phase: phase) {
          hub.show(picture)
        }
      } catch {
        guard error.kind != .stopped else { throw error }
        // The app runs on without a picture.
        hasPictures = false
        note("\(error.description); restart shows the screen again")
      }
    }
    log.addFindings(isConnected: state.isConnected)
    setState()
  }

  private func setState() {
    var state = LabState(run.car.state, car: next.car.name, app: run.app.app)
    (state.isPaused, state.speed, state.end) = (pace.isPaused, pace.speed, failure?.description)
    state.targets = pictures.film.map(LabState.Target.all)
    (state.faults, state.recorded) = (faults, recorder.lines)
    (state.failures, state.reports) = (failures, partReports)
    state.losesNextDisconnect = lossAfterNext != nil
    hub.set(state)
  }

  private func still() throws(CarFailure) -> [UInt8]? {
    guard let content = run.car.state.contents(scroll: input.scroll)[.screen] else { return nil }
    return try pictures.still(content, run.images)
  }

  private var recordedScenario: String {
    ScenarioText.scenario(
      recorder, app: next.app, arguments: next.arguments, car: next.car.path, behavior: next.car.behavior)
  }

  private var recordedTest: String {
    let category = run.app.categories.first.map { "\($0)" } ?? "navigation"
    let writer = SwiftTestText(
      delegate: run.car.state.delegate, category: category, car: next.car.path, behavior: next.car.behavior)
    return writer.test(recorder)
  }

  private func save(_ product: LabRequest.Product) throws(CarFailure) {
    do throws(CarFailure) {
      switch product {
      case .yaml, .swift:
        guard !recorder.items.isEmpty else { return note("no step is recorded, so there is nothing to save") }
        if product == .yaml {
          hub.deliver("recorded.yaml", .text(recordedScenario))
        } else {
          hub.deliver("RecordedTests.swift", .text(recordedTest))
        }
      case .capture: hub.deliver("session.pcapng", .bytes(log.capture))
      case .picture: if let picture = try still() { hub.deliver("screen.png", .bytes(picture)) }
      case .html: hub.deliverPage(picture: try still())
      }
    } catch {
      guard error.kind != .stopped else { throw error }
      note(error.description)
    }
  }
}

extension ScreenNode {
  /// Returns a step for a scenario that does the same as one that the driver made with a finger.
  fileprivate func recordable(_ action: CarAction) -> CarAction {
    let parts = all
    guard action.verb == .touchPart, let index = action.whole("part"), parts.indices.contains(index) else {
      return action
    }
    let part = parts[index]
    let text = part.title.isEmpty ? part.detail : part.title
    if !text.isEmpty, parts.firstIndex(where: { $0.title == text || $0.detail == text }) == index {
      return CarAction(.tap, ["text": .text(text)])
    }
    let place = parts[..<index].count { $0.kind == part.kind }
    return CarAction(.tapAt, ["kind": .text(part.kind.rawValue), "index": .number(Double(place))])
  }
}
