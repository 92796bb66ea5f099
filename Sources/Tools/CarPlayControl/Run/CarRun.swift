// swift-iap2 · Apache-2.0

public import CarPlayPlatform
import Foundation

/// An app in a car that is driven step by step.
public final class CarRun {
  let child: CarChild
  /// The time limits of the app.
  public var limits: CarChild.Limits
  let show: (CarLine) -> Void
  private var lastID = 0
  /// The calls since the last answer.
  private var pending: [CarEvent] = []
  /// The bytes of the iAP2 connection since the last answer, with the number of calls before them.
  private var sent: [(callCount: Int, bytes: CarReport.LinkBytes)] = []
  private var introduction: CarReport.Hello?

  /// The transport of the phone; nil for a head unit in memory.
  var carrier: TransportCarrier?
  /// The number of the open connection on the transport; nil without one.
  var openConnection: Int?
  /// Whether the transport accepts no further connection.
  var isTransportOver = false

  /// The pictures of each screen that differs from the previous one; nil for a run without pictures.
  var pictures: CarPictures?
  /// Whether the app sends its images although this program draws no pictures.
  package var takesImages = false
  /// Receives the bytes of the iAP2 connection in memory, in their order among the calls; nil without a tap.
  package var onLink: ((CarReport.LinkBytes) -> Void)?
  /// The display of the screen on the console's terminal; nil for a screen as text, and for scenarios.
  var display: TerminalDisplay?
  /// The images of the app by their identifiers, if there are pictures. The app's host bounds them: it reports the
  /// images that it forgets, and reports them again before a screen shows them.
  package private(set) var images: [String: CarImage] = [:]
  /// The time of the next step of the spinners' animation; nil without a spinner.
  private var nextTurn: ContinuousClock.Instant?
  /// The time between two pictures of a spinner.
  package static let turnTime = Duration.milliseconds(250)

  /// The known state of the car.
  public internal(set) var car = CarObservation()

  /// The reports of a live car's app for iAP2 that were not taken yet.
  private var reports: [String] = []

  /// Takes the reports of a live car's app for iAP2, the oldest first.
  package func takeReports() -> [String] {
    defer { reports = [] }
    return reports
  }

  /// The number of calls of one step above which the app is ended. A hundred steps have a hundredth of it.
  private static let maximumCalls = 200_000

  /// The time without a line of the app after which the user is informed of the wait.
  private static let waitNoticeDelay = Duration.seconds(2)

  /// Starts an app.
  ///
  /// - Parameters:
  ///   - executable: The path of the program.
  ///   - arguments: The arguments of the app.
  ///   - stop: The request that ends the run.
  ///   - note: A closure that receives the reason of a long start.
  ///   - show: A closure that receives the lines of the run, in order.
  /// - Throws: A failure if the program is not an app with a host.
  public init(
    _ executable: String, arguments: [String] = [], limits: CarChild.Limits = CarChild.Limits(), stop: StopRequest,
    note: (String) -> Void = { _ in }, show: @escaping (CarLine) -> Void
  ) throws(CarFailure) {
    child = try CarChild(executable, arguments: arguments, limits: limits, stop: stop)
    self.limits = limits
    self.show = show
    let start = ContinuousClock.now
    var deadline = start.advanced(by: min(limits.start, Self.waitNoticeDelay))
    while introduction == nil {
      switch try child.next(until: deadline) {
      case .report(.hello(let hello)):
        guard hello.version == CarControl.version else {
          throw child.ending(
            "the app's host speaks version \(hello.version) of the lines, this program \(CarControl.version); "
              + "build both from one version of swift-iap2")
        }
        introduction = hello
      case .report(.badInput(let fault)): throw badInput(fault)
      case .report: throw child.ending("the app's first line does not introduce it")
      case .output(let line): show(.output(line))
      case .input, .transport: break
      case .timeout where start.duration(to: .now) < limits.start:
        note("waiting for the program's CarApplication.run, \(limits.start) at most")
        deadline = start.advanced(by: limits.start)
      case .timeout:
        throw child.ending(
          "the program did not introduce itself as an app with a host within \(limits.start); "
            + "its main calls CarApplication.run")
      }
    }
  }

  /// The identifier of the app's process.
  public var processID: Int32 { child.processID }

  /// The app's introduction.
  public var app: CarReport.Hello {
    introduction ?? CarReport.Hello(version: CarControl.version, app: "", categories: [], cars: [])
  }

  private func badInput(_ fault: CarReport.BadInput) -> CarFailure {
    child.kill()
    return CarFailure(.badInput, fault.text)
  }

  /// Performs a step.
  ///
  /// - Returns: The reason if the step failed.
  /// - Throws: The reason if the app ended.
  public func perform(_ action: CarAction) throws(CarFailure) -> String? {
    if action.verb != .watch {
      if action.verb.isOfScenarios { show(.step(action, time: car.state.time)) }
      car.calls = []
    }
    if let carrier, action.verb == .launch || action.verb == .plug, let problem = try waitForHeadUnit(carrier) {
      return problem
    }
    let id = try send(action)
    var limit = limits.answer
    let takesRealTime = action.verb == .watch || carrier != nil && action.verb == .wait
    if takesRealTime, let seconds = action.number("seconds") { limit += .seconds(seconds) }
    let deadline = ContinuousClock.now.advanced(by: limit)
    while true {
      switch try next(until: deadline) {
      case .report(.done(let done)):
        guard done.id == id else { throw child.ending("the app answered \(done.id), not \(id)") }
        try finish(done)
        return done.problem
      case .report(let report): try take(report)
      case .output(let line): show(.output(line))
      case .transport: try orLast { () throws(CarFailure) in try carry() }
      case .input: break
      case .timeout: throw last(child.ending("the app did not answer \(action) within \(limit)"))
      }
    }
  }

  /// Sends a step, and returns the number of its answer.
  func send(_ action: CarAction) throws(CarFailure) -> Int {
    lastID += 1
    let id = lastID
    try orLast { () throws(CarFailure) in try child.send(CarRequest(id: id, action)) }
    return id
  }

  /// Returns the next event, and animates the spinners while it waits.
  func next(
    until deadline: ContinuousClock.Instant, input: Int32 = -1
  ) throws(CarFailure) -> CarChild.Event {
    while true {
      let end = min(nextTurn ?? deadline, deadline)
      let event = try orLast { () throws(CarFailure) in try child.next(until: end, input: input) }
      guard case .timeout = event, end < deadline else { return event }
      nextTurn = ContinuousClock.now.advanced(by: Self.turnTime)
      try pictures?.turn(car.state, images)
      try display?.turn(car.state, images)
    }
  }

  /// Runs a body. If it fails, shows the calls that came before the app ended.
  private func orLast<Value>(_ body: () throws(CarFailure) -> Value) throws(CarFailure) -> Value {
    do { return try body() } catch { throw last(error) }
  }

  func last(_ failure: CarFailure) -> CarFailure {
    showPending()
    return failure
  }

  /// Shows the calls since the last answer, and the bytes between them.
  private func showPending() {
    var bytes = sent[...]
    for (index, event) in pending.enumerated() {
      while let next = bytes.first, next.callCount <= index {
        onLink?(next.bytes)
        bytes.removeFirst()
      }
      show(.call(event))
    }
    for next in bytes { onLink?(next.bytes) }
    (pending, sent) = ([], [])
  }

  func take(_ report: CarReport) throws(CarFailure) {
    switch report {
    case .call(let event):
      guard pending.count < Self.maximumCalls else {
        throw child.ending("the app made more than \(Self.maximumCalls) calls in one step")
      }
      pending.append(event)
      if event.direction == .toApp { child.lastCall = event.name }
    case .image(let image): images[image.id] = image
    case .link(let bytes):
      guard sent.count < Self.maximumCalls else {
        throw child.ending("the app's phone sent more than \(Self.maximumCalls) packets in one step")
      }
      sent.append((pending.count, bytes))
    case .transport(let work): try take(work)
    case .badInput(let fault): throw badInput(fault)
    case .hello, .done: throw child.ending("the app sent an answer that nothing asked for")
    }
  }

  /// Stores and shows the state after a step.
  func finish(_ done: CarReport.Done) throws(CarFailure) {
    for id in done.forgottenImages ?? [] { images[id] = nil }
    for index in done.unimplemented where pending.indices.contains(index) { pending[index].isImplemented = false }
    car.calls += pending
    showPending()
    child.lastCall = ""
    for diagnostic in done.diagnostics { show(.diagnostic(diagnostic, time: done.state.time)) }
    car.reports += done.diagnostics
    let before = car.state
    car.state = done.state
    if let report = done.state.report { reports.append(report) }
    if before.screen != done.state.screen {
      show(.screen(done.state.screen, before: before.screen, time: done.state.time))
    }
    try pictures?.draw(done.state, images)
    for (file, texts) in pictures?.takeShortened() ?? [] {
      show(.shortened(file: file, texts: texts, time: done.state.time))
    }
    if pictures != nil || display != nil, done.state.screen.turns {
      nextTurn = nextTurn ?? ContinuousClock.now.advanced(by: Self.turnTime)
    } else {
      nextTurn = nil
    }
    guard let end = done.end else { return }
    show(.ended(end, time: done.state.time))
    child.finish()
    throw CarFailure(.app, "the app ended: \(end.reason)" + (end.place.isEmpty ? "" : "; at \(end.place)"))
  }

  /// Waits until the user presses a key, or until the app changes without a step.
  ///
  /// - Parameter input: The descriptor of the user's input.
  func waitForInput(_ input: Int32) throws(CarFailure) {
    while true {
      try display?.show(car.state, images)
      // A wait of a day prevents a busy loop in a forgotten console.
      switch try next(until: ContinuousClock.now.advanced(by: .seconds(CarVerbForm.maximumWait)), input: input) {
      case .input: return
      case .transport: try carry()
      case .report(.transport(let work)): try take(work)
      case .report(let report):
        try take(report)
        _ = try perform(CarAction(.watch, ["seconds": .number(0)]))
      case .output(let line): show(.output(line))
      case .timeout: break
      }
    }
  }

  /// Waits until a descriptor is readable, until the app does something without a step, or until a time.
  package func idle(until deadline: ContinuousClock.Instant, input: Int32) throws(CarFailure) {
    switch try next(until: deadline, input: input) {
    case .input, .timeout: break
    case .transport: try carry()
    case .output(let line): show(.output(line))
    case .report(.transport(let work)): try take(work)
    case .report(let report):
      try take(report)
      _ = try perform(CarAction(.watch, ["seconds": .number(0)]))
    }
  }

  /// Closes the connection and waits for the app's end.
  public func finish() {
    endTransport()
    child.finish()
  }
}
