// swift-iap2 · Apache-2.0

import Basics
package import CarPlayPlatform
import Dispatch
import Foundation
import IAP2
import IAP2Roles
import MediaPlayer

/// The server that answers a program that drives the app.
@MainActor
package final class CarServer {
  let app: CarApp
  let send: @MainActor (CarReport) -> Void
  private(set) var host: CarHost?
  /// The number of the connection on the phone's transport.
  var connection = 0
  /// The seed of all random choices.
  private(set) var seed: UInt64 = 1
  /// The number of diagnostics that were reported.
  private var reported = 0
  /// Whether the car runs in real time for a driver who waits for nothing.
  private var isLive = false
  /// The sight in the last answer of a live car; nil for other cars.
  private var answered: Sight?
  /// The last report of the app that no answer has had yet; nil for none.
  private var report: AppReport?
  /// The artwork of the last report in an answer.
  private var artwork: [UInt8] = []
  /// The time of the last step or change in a live car.
  private var lastChange = ContinuousClock.now
  /// The number of steps that wait for the present one.
  private var waitingCount = 0
  /// The wait of a watch, and the number of waits so far.
  private var sleeper: CheckedContinuation<Void, Never>?
  private var pauseCount = 0

  /// Creates a server of an app.
  ///
  /// - Parameter send: Receives the lines to the other program.
  package init(app: CarApp, send: @escaping @MainActor (CarReport) -> Void) {
    self.app = app
    self.send = send
  }

  /// Answers lines until they end, or until one of them is not a valid request.
  package func serve(_ lines: AsyncStream<[UInt8]>) async {
    let categories = AppCategory.allCases.filter { app.entitlements.contains($0.entitlement) }
    send(
      .hello(
        CarReport.Hello(version: CarControl.version, app: app.name, categories: categories, cars: CarProfiles.names)))
    // A step can wait for the head unit, so the reader handles transport lines without waiting for the step.
    let (steps, queue) = AsyncStream<Line>.makeStream()
    let reader = Task {
      for await bytes in lines {
        switch Line(bytes) {
        case .step(let request) where request.action.verb == .transport && request.action.problem == nil:
          takeTransport(request.action)
        case let line:
          waitingCount += 1
          queue.yield(line)
          wake()
        }
      }
      queue.finish()
    }
    for await line in steps {
      waitingCount -= 1
      guard case .step(let request) = line else {
        if case .unreadable(let text) = line { send(.badInput(CarReport.BadInput(text: text))) }
        break
      }
      var answer = await answer(request)
      // A pipe gets the app's lines only when its buffer is full.
      fflush(nil)
      // The screen of the answer refers to these images by name.
      if let changes = host?.images?.take() {
        for image in changes.added { send(.image(image)) }
        if case .done(var done) = answer, !changes.forgotten.isEmpty {
          done.forgottenImages = changes.forgotten
          answer = .done(done)
        }
      }
      send(answer)
      if case .badInput = answer { break }
    }
    reader.cancel()
    host?.removeFromProcess()
  }

  /// A line of the other program.
  private enum Line: Sendable {
    case step(CarRequest)
    /// A line that is not a valid request, with its fault.
    case unreadable(String)

    init(_ bytes: [UInt8]) {
      do { self = .step(try JSONDecoder().decode(CarRequest.self, from: Data(bytes))) } catch {
        self = .unreadable("a line is not a request: \(String(decoding: bytes.prefix(80), as: UTF8.self))")
      }
    }
  }

  private func answer(_ request: CarRequest) async -> CarReport {
    let action = request.action
    if action.verb == .begin, action.problem == nil {
      do { try begin(action) } catch { return .badInput(CarReport.BadInput(text: error.description)) }
    }
    guard let host else {
      return .done(
        CarReport.Done(id: request.id, problem: action.problem ?? "the first step is begin", state: CarState()))
    }
    var problem = action.problem
    if problem == nil {
      if action.verb != .watch { lastChange = .now }
      host.takeTurn()
      host.catchUp()
      if action.verb == .launch {
        // Over iAP2 the phone detects the car a little later, and the app can be opened only after that.
        host.plugIn()
        await host.settle()
      }
      problem = perform(action, on: host)
      switch action.verb {
      case .wait: await host.pass(.seconds(action.number("seconds") ?? 0))
      case .watch: await watch(host, seconds: action.number("seconds") ?? 0)
      case .fromHeadUnit:
        if let sound = action.text("microphone").flatMap({ Data(base64Encoded: $0) }) { await host.hear(sound) }
        if !isLive { await host.settle() }
      // The next watch reports the later changes of the step.
      case _ where isLive && action.verb != .launch: break
      default: await host.settle()
      }
    }
    return .done(done(request.id, problem, host))
  }

  private func begin(_ action: CarAction) throws(CarFileProblem) {
    var settings: CarSettings
    if let json = action.text("settings") {
      do { settings = try JSONDecoder().decode(CarSettings.self, from: Data(json.utf8)) } catch {
        throw CarFileProblem(file: "begin", key: "settings", text: "expected settings of a car as JSON: \(error)")
      }
    } else if let yaml = action.text("yaml") {
      settings = try CarSettings(yaml: yaml, file: action.text("file") ?? "car")
    } else {
      settings = try CarProfiles.settings(action.text("car") ?? "standard")
    }
    if let changes = action.text("behavior") { try settings.changeBehavior(yaml: changes, file: "behavior") }
    seed = UInt64(max(0, action.whole("seed") ?? 1))
    let host = CarHost(settings, exceptions: .record, seed: seed)
    host.onEvent = { [weak self, send] in
      send(.call($0))
      self?.wake()
    }
    if action.flag("images") == true { host.images = ImageStore() }
    if action.flag("tap") == true {
      host.onLinkBytes = { [send] sent in
        send(
          .link(
            CarReport.LinkBytes(
              time: MonotonicTime.zero.duration(to: sent.time) / .seconds(1), connection: sent.connection,
              isFromHeadUnit: sent.from == .accessory, bytes: Data(sent.bytes))))
      }
    }
    self.host = host
    reported = 0
    (isLive, answered) = (action.flag("live") ?? false, nil)
    guard isLive else { return }
    host.onReport = { [weak self] report in
      var report = report
      // A report that no answer has had must not take its reasons along.
      report.ended.merge(self?.report?.ended ?? [:]) { present, _ in present }
      self?.report = report
      self?.wake()
    }
    host.takeTurn()
    host.runInRealTime()
  }

  /// The interval in milliseconds between two checks of the screen. People do not notice it.
  private static let watchInterval = 5
  /// The longer intervals in a live car that has rested for a time, so that it costs a hundredth of a processor. Ours.
  private static let restIntervals = [
    (rest: Duration.seconds(5), milliseconds: 250), (rest: .milliseconds(500), milliseconds: 100),
  ]

  /// The interval in milliseconds to the next check of the screen.
  private var interval: Int {
    let rest = isLive ? lastChange.duration(to: .now) : .zero
    return Self.restIntervals.first { rest >= $0.rest }?.milliseconds ?? Self.watchInterval
  }

  /// The parts of a car whose change ends a watch.
  private struct Sight: Equatable {
    var screen: ScreenNode
    var map: CarMap?
    var activity: PhoneActivity
  }

  private func sight(_ host: CarHost) -> Sight {
    Sight(screen: host.screen(), map: map(host), activity: host.phoneActivity)
  }

  /// Waits in real time until a call comes, the screen changes, or another step waits. In a live car, a change since the
  /// last answer counts, too.
  private func watch(_ host: CarHost, seconds: Double) async {
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    let before = answered ?? sight(host)
    while true {
      // In a live car, a change of the screen that is on its way must not delay a touch.
      if !isLive || !host.hasPendingChange && !host.checks.isEmpty { await host.settle() }
      guard waitingCount == 0, ContinuousClock.now < end else { return }
      guard host.log.isEmpty, report == nil, sight(host) == before else {
        lastChange = .now
        return
      }
      await pause(milliseconds: interval)
    }
  }

  /// Waits for a time, or until another step comes.
  private func pause(milliseconds: Int) async {
    guard waitingCount == 0 else { return }
    pauseCount += 1
    let number = pauseCount
    await withCheckedContinuation { continuation in
      sleeper = continuation
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
        MainActor.assumeIsolated {
          if self.pauseCount == number { self.wake() }
        }
      }
    }
  }

  private func wake() {
    sleeper?.resume()
    sleeper = nil
  }

  private func done(_ id: Int, _ problem: String?, _ host: CarHost) -> CarReport.Done {
    let unimplemented = host.log.indices.filter { !host.log[$0].isImplemented }
    // The program already has the events, and a long run must not fill the log.
    host.log.removeAll(keepingCapacity: true)
    let diagnostics = host.diagnostics[min(reported, host.diagnostics.count)...].map(CarReport.Diagnostic.init)
    reported = host.diagnostics.count
    return CarReport.Done(
      id: id, problem: problem, state: state(host), diagnostics: diagnostics, unimplemented: unimplemented,
      end: host.end.map { CarReport.End(reason: $0.description, place: host.endPlace.description) })
  }

  private func state(_ host: CarHost) -> CarState {
    let parts = host.elements().all
    var state = CarState(
      time: CarEvent(time: host.clock.now.offset, direction: .note, object: "", name: "", detail: "").seconds,
      front: CarFront(host.front), isConnected: host.isConnected, hasGhostConnection: host.hasGhostConnection,
      isDriving: host.isDriving, isLocked: host.phone.isLocked, screen: host.screen(),
      reacting: parts.indices.filter { parts[$0].action != nil && parts[$0].node.isEnabled },
      dashboard: host.dashboard(), cluster: host.cluster(),
      map: map(host), look: host.settings.look, headUnit: host.headUnit)
    let reports = CarHost.partReports(of: parts)
    if !reports.isEmpty { state.partReports = reports }
    state.delegate = host.delegateType
    state.battery = host.link?.batteryPercent
    state.isCharging = host.link.map { $0.supply == .charging }
    guard isLive else { return state }
    state.activity = host.phoneActivity
    state.report = takeReport()
    answered = Sight(screen: state.screen, map: state.map, activity: host.phoneActivity)
    return state
  }

  /// Takes the report that waits, as JSON. Artwork that the other program has is left out, because it is large, and so is
  /// artwork that does not fit a line.
  private func takeReport() -> String? {
    guard var next = report else { return nil }
    report = nil
    var present = next.song?.item.artwork ?? []
    if present.count > ImageStore.maximumBytes { present = [] }
    next.song?.item.artwork = []
    if present != artwork { next.artwork = Data(present).base64EncodedString() }
    artwork = present
    do { return String(decoding: try JSONEncoder().encode(next), as: UTF8.self) } catch {
      // A report has texts, whole numbers and flags, so this does not come.
      preconditionFailure("a report has a value that JSON does not have: \(error)")
    }
  }

  private func map(_ host: CarHost) -> CarMap? {
    host.images == nil ? nil : host.mapBelow() ?? host.makersWindow()
  }
}

extension CarFront {
  init(_ front: CarHost.Front) {
    switch front {
    case .off: self = .off
    case .home: self = .home
    case .app: self = .app
    case .otherApp: self = .otherApp
    }
  }
}
