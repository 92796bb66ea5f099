// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayDrawing
import CarPlayPlatform
import CarPlaySession
import Dispatch
import Foundation
import IAP2
import IAP2Capture
import IAP2Faults
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import Synchronization

/// One session of a head unit and a phone in memory, from its start to a restart.
final class ScenarioLife: Sendable {
  private struct State {
    var display: PhoneDisplay
    var finger = PictureFinger()
    /// The last values of the picture, for fingers.
    var film: ScreenFilm?
    var needsKeyFrame = true
    /// Whether a page decodes no H.264.
    var wantsPNG = false
    /// Whether a page wants the screen as a file.
    var wantsPicture = false, wantsPage = false
    var recorder = StepRecorder()
    /// The steps of the page that have not begun, in their words.
    var waitingLines: [String] = []
    /// The conditions of the cable.
    var plan: FaultPlan
  }

  private let base: LabScenario
  private var scenario: Scenario { base.scenario }
  private let hub: LabHub
  private let clock: LabClock
  private let log: SessionLog
  private let stop = Signal()
  private let steps: AsyncStream<Scenario.Step>
  private let addedSteps: AsyncStream<Scenario.Step>.Continuation
  private let state: Mutex<State>

  /// The longest virtual time in seconds that a step to the next event passes.
  private static let longestStep = 600.0
  /// The most steps of the page that wait.
  private static let maximumSteps = 1000
  /// The longest real time of a step to the next event.
  private static let longestLook = Duration.seconds(2)
  /// The real time that the tasks of a session have for what they do at one moment of its time.
  private static let settleTime = Duration.milliseconds(5)
  /// The time between two looks at the session for the page.
  private static let lookTime = Duration.milliseconds(40)

  /// - Parameter wantsPNG: Whether a page decodes no H.264.
  init(_ base: LabScenario, hub: LabHub, isPaused: Bool, speed: Double, wantsPNG: Bool) {
    (self.base, self.hub) = (base, hub)
    let scenario = base.scenario
    clock = LabClock(isPaused: isPaused, speed: speed)
    log = SessionLog(hub)
    (steps, addedSteps) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumSteps))
    state = Mutex(
      State(
        display: PhoneDisplay(
          names: scenario.phone.state.apps.map(\.name),
          display: scenario.carPlay?.displays.first ?? DisplaySettings(width: 1280, height: 720)), wantsPNG: wantsPNG,
        plan: scenario.life.fault ?? FaultPlan()))
    var hello = LabHello(
      .scenario, title: scenario.name, lanes: [.headUnit, .phone], [.time, .input, .lines, .record, .restart])
    hello.saves = LabRequest.Product.allCases.map(\.rawValue)
    hello.lines = (scenario.carPlay == nil ? [] : LabHello.Line.ofSessions) + LabHello.Line.ofScenarios
    hello.faults = LabHello.Fault.ofLinks
    hello.failures = LabHello.Failure.ofLinks
    hub.begin(hello)
  }

  var pace: (isPaused: Bool, speed: Double) { clock.pace }
  var wantsPNG: Bool { state.withLock(\.wantsPNG) }

  // MARK: The session

  /// Plays the scenario and the steps of the page, until the task is cancelled.
  func play() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
        // Virtual time has a thread of its own.
        let thread = Thread { [self] in
          do {
            try VirtualTime.run(pace: clock) { time in await self.play(by: time) }
          } catch { hub.send(.note("\(error)", level: .error)) }
          ended.resume()
        }
        thread.name = "iap2-lab"
        thread.start()
      }
    } onCancel: {
      addedSteps.finish()
      stop.notify()
      clock.finish()
    }
  }

  private func play(by time: VirtualTime) async {
    let capture = log.capture(by: time)
    let show: @Sendable (Role, TimedEvent) -> Void = { [log] in log.add($1, of: $0) }
    var player = ScenarioPlayer(
      scenario, clock: time, wrap: { capture.capturing($0, side: .accessory) },
      showCarPlay: { [self] side, time, event, cause in
        log.add(event, of: side, at: time, linkCause: cause)
        if side == .phone { self.show(event) }
      }, show: show)
    player.showStep = { [log] step in
      let line = self.begin(step, at: time.now.seconds)
      log.add(
        LabEntry(
          .step, step.text, text: line ?? "", time: time.now.seconds, from: step.role?.lane ?? .headUnit,
          level: .notice, detail: step.line.map { .lines(["\(step.file):\($0)"]) }))
    }
    player.added = (
      steps,
      { [log] step, outcome in
        self.end(step, outcome, at: time.now.seconds)
        guard let failure = outcome.failure else { return }
        log.add(
          LabEntry(.finding, "a step failed", text: failure, time: time.now.seconds, from: .phone, level: .error))
      }
    )
    _ = await player.play(until: stop)
  }

  /// Records a step that begins. Returns the words of one that the user makes.
  private func begin(_ step: Scenario.Step, at time: Double) -> String? {
    state.withLock { state in
      if case .faults(let change) = step.action { state.plan.change(change) }
      if step.file != Self.addedFile {
        state.recorder.begin(at: time)
      } else if !state.waitingLines.isEmpty {
        let line = state.waitingLines.removeFirst()
        state.recorder.add(line, step.action, at: time)
        return line
      }
      return nil
    }
  }

  /// Records the end of a step of the user, or of the scenario.
  private func end(_ step: Scenario.Step?, _ outcome: ScenarioPlayer.Outcome, at time: Double) {
    state.withLock { state in
      guard step != nil else {
        // Also the step at which the scenario failed belongs to what happened.
        state.recorder.isComplete = true
        return
      }
      state.recorder.endLast(outcome, at: time)
    }
  }

  /// The name of the file in which the steps of the page stand.
  private static let addedFile = "step"

  // MARK: Requests

  func take(_ request: LabRequest) async {
    let pace = clock.pace
    switch request {
    case .pause: clock.set(isPaused: true, speed: pace.speed)
    case .play: clock.set(isPaused: false, speed: pace.speed)
    case .speed(let speed): clock.set(isPaused: pace.isPaused, speed: speed)
    case .step: await step()
    case .line(let line): perform(line)
    case .touch(.screen, let phase, let x, let y): touch(phase, x, y)
    case .letGo: state.withLock { $0.finger.release() }
    case .pictures(let isPNG): if isPNG { state.withLock { $0.wantsPNG = true } }
    case .keyFrame: state.withLock { $0.needsKeyFrame = true }
    case .save(.capture): hub.deliver("session.pcapng", .bytes(log.capture))
    case .save(.picture): state.withLock { $0.wantsPicture = true }
    case .save(.html): state.withLock { $0.wantsPage = true }
    case .save(.yaml): if let text = recorded() { hub.deliver("recorded.yaml", .text(text)) }
    case .save(.swift): if let text = recorded() { hub.deliver("RecordedTests.swift", .text(StepTestText.test(text))) }
    case .expectEntry(let number):
      hub.expect(number) { line, time in state.withLock { $0.recorder.expect(line, at: time) } }
    case .unrecord(let index): state.withLock { $0.recorder.remove(index) }
    case .forget: state.withLock { $0.recorder.removeAll() }
    default: break
    }
  }

  /// Keeps what the user has recorded, for a session that restarts.
  func keepRecording() {
    let recorder = state.withLock(\.recorder)
    guard !recorder.lines.isEmpty, let text = recorded(recorder) else { return }
    hub.keep(
      lineCount: recorder.lines.count,
      files: [("recorded-before.yaml", text), ("RecordedBeforeTests.swift", StepTestText.test(text))])
  }

  private func recorded(_ recorder: StepRecorder) -> String? {
    StepText.scenario(recorder, beside: base, play: "iap2 run FILE")
  }

  private func recorded() -> String? {
    let text = recorded(state.withLock(\.recorder))
    if text == nil {
      let isEmpty = state.withLock { $0.recorder.begun.isEmpty && $0.recorder.items.isEmpty }
      hub.send(
        .note(
          isEmpty
            ? "no step has begun, so there is nothing to save"
            : "the steps of \(base.name) have no lines of their own, so no scenario is written", level: .warning))
    }
    return text
  }

  private func perform(_ line: String) {
    do throws(ScenarioProblem) {
      let scenario = try Scenario(yaml: "carPlay: true\nsteps:\n  - \(line)\n", file: Self.addedFile)
      for step in scenario.steps {
        state.withLock { $0.waitingLines.append(line) }
        if case .dropped = addedSteps.yield(step) {
          state.withLock { _ = $0.waitingLines.removeLast() }
          hub.send(.note("too many steps wait; this one was left out", level: .warning))
        }
      }
    } catch { hub.send(.note(error.description, level: .warning)) }
  }

  /// Passes time until something happens.
  private func step() async {
    clock.set(isPaused: true, speed: clock.pace.speed)
    let (count, start, begin) = (log.eventCount, clock.now, ContinuousClock.now)
    // Between two jumps the tasks of the session may be busy for a while.
    while log.eventCount == count, start.duration(to: clock.now) < .seconds(Self.longestStep),
      begin.duration(to: .now) < Self.longestLook
    {
      _ = clock.jump()
      do { try await Task.sleep(for: Self.settleTime) } catch { return }
    }
    if log.eventCount == count { hub.send(.note("nothing happened", level: .info)) }
  }

  /// Takes a finger of the page. The head unit reports it when it leaves the picture, and the phone's screen changes
  /// when the session brings it.
  private func touch(_ phase: LabRequest.Phase, _ x: Int, _ y: Int) {
    guard let (line, _) = state.withLock({ $0.finger.take(phase, x, y, at: clock.now.seconds) }) else { return }
    guard log.isLive else {
      return hub.send(.note("no CarPlay session is live, so the screen is off", level: .warning))
    }
    if clock.pace.isPaused { hub.send(.note("time stands still: the finger counts when it goes on", level: .info)) }
    perform(line)
  }

  /// Shows on the phone's screen what the session brought.
  private func show(_ event: CarPlaySession.SessionEvent) {
    state.withLock { state in
      let content = state.display.content(isShown: log.isLive, song: log.phone.song)
      state.display.take(event, on: content, state.film)
    }
  }

  // MARK: The page

  /// Draws each change of the screen and sends the state of the session to the page, until the task is cancelled.
  func draw() async {
    let ended = StopRequest()
    await withTaskCancellationHandler {
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        // Drawing waits for a program.
        DispatchQueue.global().async {
          self.drawHere(ended)
          done.resume()
        }
      }
    } onCancel: {
      ended.make()
    }
  }

  private func drawHere(_ ended: StopRequest) {
    var pictures: LabPictures? = DrawingProgram.isThere ? LabPictures(stop: ended) : nil
    if pictures == nil {
      hub.send(.note("the car has no picture: tools/screen-program builds what draws it", level: .notice))
    }
    var phone = log.phone
    repeat {
      let (content, needsKeyFrame) = state.withLock { state in
        defer { state.needsKeyFrame = false }
        phone = log.phone
        return (state.display.content(isShown: log.isLive, song: phone.song), state.needsKeyFrame)
      }
      if needsKeyFrame { pictures?.requestKeyFrames() }
      pictures?.alsoPNG = state.withLock(\.wantsPNG)
      do throws(CarFailure) {
        for picture in try pictures?.next([.screen: content]) ?? [] { hub.show(picture) }
      } catch {
        guard error.kind != .stopped else { return }
        hub.send(.note(error.description, level: .error))
        pictures = nil
      }
      let film = pictures?.film
      let wanted = state.withLock { state in
        state.film = film
        defer { (state.wantsPicture, state.wantsPage) = (false, false) }
        return (picture: state.wantsPicture, page: state.wantsPage)
      }
      setState(content, film, phone)
      log.addFindings()
      guard wanted.picture || wanted.page else { continue }
      let still = still(content, &pictures)
      if wanted.page { hub.deliverPage(picture: still) }
      guard wanted.picture else { continue }
      if let still {
        hub.deliver("screen.png", .bytes(still))
      } else {
        hub.send(.note("there is no picture", level: .warning))
      }
    } while readable([ended.descriptor], within: Self.lookTime) == nil
  }

  private func still(_ content: ScreenContent, _ pictures: inout LabPictures?) -> [UInt8]? {
    do { return try pictures?.still(content) } catch {
      hub.send(.note(error.description, level: .error))
      return nil
    }
  }

  private func setState(_ content: ScreenContent, _ film: ScreenFilm?, _ phone: LabState.Phone) {
    var state = LabState()
    let pace = clock.pace
    (state.time, state.isPaused, state.speed) = (clock.now.seconds, pace.isPaused, pace.speed)
    (state.isConnected, state.phone, state.screen) = (log.isConnected, phone, content.screen)
    state.phone.apps = scenario.phone.state.apps.map(\.name)
    let screen = content.look.screen
    state.look = LabState.Look(
      name: scenario.name, pixelWidth: screen.pixelWidth, pixelHeight: screen.pixelHeight,
      drivingSide: screen.drivingSide.rawValue, appearance: content.look.appearance.rawValue)
    (state.targets, state.displays) = (film.map(LabState.Target.all), [.screen])
    let names = base.profiles.values.map(\.name)
    let on = LabHello.Failure.ofLinks.filter { names.contains($0.title) }
    state.failures = LabState.Failures(on: on.map(\.number), found: [])
    (state.faults, state.recorded) = self.state.withLock { ($0.plan.values, $0.recorder.lines) }
    hub.set(state)
  }
}

extension LabHello.Line {
  /// Steps of both roles that fit any scenario.
  static let ofScenarios = [
    Self("Pull the cable", "cut: true", "Both sides notice it."),
    Self("Pull it unnoticed", "halfOpen: true", "The bytes stop, and neither side is told."),
    Self("Lose the next notice", "loseNotice: phone", "The phone's platform loses its next notice of a disconnect."),
    Self("Tell the phone", "notice: phone", "The phone's platform delivers its notice of a disconnect."),
    Self("Plug in", "plug: true", "Plugs a cable in."),
    .playOrPause, .nextSong, .call,
  ]
}

extension LabState.Target {
  /// The places of a picture that react to a finger.
  static func all(_ film: ScreenFilm) -> [Self] {
    film.targets.compactMap { target in
      target.part.map {
        Self(part: $0, x: target.box.x, y: target.box.y, width: target.box.width, height: target.box.height)
      }
    }
  }
}
