// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Analysis
package import IAP2Roles

/// Options of a replay.
package struct ReplayOptions: Sendable {
  /// The factor by which the replay is faster than the recording; nil waits for the peer only.
  package var speed: Double? = 1
  /// The time in milliseconds that the peer has for the next expected step, from its scheduled time on.
  package var timeoutMilliseconds = 10_000
  /// Whether each step waits for a `go` input.
  package var isStepped = false
  /// The tolerances for differences.
  package var tolerances: [ReplayTolerance] = []
  /// Whether certificate, challenge and signature are those of the live session; otherwise the recorded bytes are sent.
  package var authenticates = true

  /// Creates options for a replay at the recorded speed.
  package init() {}
}

/// A state machine that plays one side of a recorded session against a live peer. It uses no clock and does no I/O.
///
///     link up ──► waiting for the peer ⇄ waiting for time ⇄ waiting for port or window ──► settling ──► over
///
/// Rules for sending:
///
/// - A recorded step is sent when everything that the recording has from the peer before it was received.
/// - The gaps of the recording are kept. A peer that is late delays everything that follows.
/// - If the peer does not send an expected step within ``ReplayOptions/timeoutMilliseconds``, the replay continues.
///   After two such timeouts without anything received, the replay ends.
/// - At the end, the replay waits until the peer has been quiet for 300 ms.
///
/// Rules for receiving: a received message is matched with a due message of the recording that has the same content,
/// else with the first due message of its id, then with one that is not due yet. A message without a match is extra. A
/// message received after one that the recording has later is out of order. Contents are compared by
/// ``ComparisonRules`` only.
package struct Replay: Sendable {
  /// An input of the state machine.
  package enum Input: Sendable {
    /// An input of the role, such as a message.
    case role(RoleInput)
    /// Bytes of an EA session, with its index in the script.
    case data(session: Int, [UInt8])
    /// The last `write` or `flush` is done. `isSent` is false if the EA session was closed before.
    case written(isSent: Bool)
    /// Permits one step, in a replay that asks for each.
    case go
    /// The time of ``Replay/nextDeadline`` has come.
    case time
    /// The connection ended.
    case ended(DisconnectCause)
  }

  /// An action for the owner of the state machine.
  package enum Action: Sendable {
    /// An action of the role, such as sending a message.
    case role(RoleAction)
    /// Write bytes to an EA session of the live link; a `written` input must follow.
    case write(session: UInt16, [UInt8])
    /// Wait until everything sent was acknowledged; a `written` input must follow.
    case flush
    /// Report an event.
    case report(ReplayEvent)
  }

  /// A step of the peer that the recording has.
  struct Expectation: Sendable {
    enum Kind: Sendable, Equatable {
      case message(UInt16)
      /// The number of bytes of a session's data up to this step.
      case data(session: Int, byteCount: Int)
      case file(Int)
    }
    enum State: Sendable { case awaited, overdue, met }
    let step: Int
    let kind: Kind
    var state = State.awaited
    /// Whether an optional rule makes it a matter of chance that the step is received.
    let isChance: Bool

    var isMessage: Bool { if case .message = kind { true } else { false } }
  }

  /// The reason why the next step of the played side waits.
  enum Pending: Sendable, Equatable {
    case nothing
    case port
    case writing
  }

  let script: ReplayScript
  let options: ReplayOptions
  let rules: ReplayRules
  /// The result so far.
  package internal(set) var report = ReplayReport()
  /// The time at which a `time` input is needed; nil if none is.
  package private(set) var nextDeadline: MonotonicTime?
  /// Whether the replay has ended. It ignores further inputs.
  package private(set) var isOver = false
  /// Whether the link is up.
  package var isLinkUp: Bool { report.isLinkUp }

  /// The script indices of the played side's steps, and the position of the next one.
  let own: [Int]
  var nextOwn = 0
  var expectations: [Expectation]
  /// The first expectation that is still awaited. Earlier messages that were not received are in `passed`.
  var head = 0
  var passed: [Int] = []
  /// The expectations that are messages. Data between them does not count when a match is searched.
  let messages: [Int]
  /// The files that are still expected, in order.
  var files: ArraySlice<Int>
  /// The received messages as expectation indices, in the order of arrival.
  var arrivals: [Int] = []
  var identityPairs = IdentityPairs()
  var rewrite = IdentityRewrite()
  var pending = Pending.nothing
  var authentication = ReplayAuthentication()
  var data: ReplayData
  var actions: [Action] = []
  var now = MonotonicTime.zero

  private var start = MonotonicTime.zero
  /// The delay of the live session relative to the recording, in nanoseconds.
  private var lateness: Int64 = 0
  private var receivedAt = MonotonicTime.zero
  private var waitingSince: MonotonicTime?
  private var silentWaits = 0
  private var readySteps = 0
  private var reportedReady = -1
  private var unflushedByteCount = 0
  private var settledSince: MonotonicTime?

  /// Longer than a peer on the same network needs to respond, and shorter than a person notices.
  private static let settleMilliseconds = 300
  private static let maximumSilentWaits = 2
  /// The bytes of messages after which the replay waits for acknowledgement: a quarter of the link's queue.
  private static let flushByteCount = Limits().queuedByteCount / 4
  /// About a century; longer times do not fit into 64-bit nanoseconds.
  private static let maximumSeconds = 4e9

  /// Creates a replay that waits for the link to come up.
  package init(_ script: ReplayScript, options: ReplayOptions = ReplayOptions()) {
    let rules = ReplayRules(options.tolerances)
    self.script = script
    self.options = options
    self.rules = rules
    own = script.steps.indices.filter { script.steps[$0].from == script.side }
    let expectations = Self.expectations(script, rules)
    self.expectations = expectations
    messages = expectations.indices.filter { expectations[$0].isMessage }
    files = expectations.indices.filter { if case .file = expectations[$0].kind { true } else { false } }[...]
    data = ReplayData(script)
    report.stepCount = script.steps.count
  }

  private static func expectations(_ script: ReplayScript, _ rules: ReplayRules) -> [Expectation] {
    var byteCounts: [Int: Int] = [:]
    return script.steps.enumerated().compactMap { number, step in
      guard step.from != script.side else { return nil }
      switch step.content {
      case .message(let bytes):
        let isChance = rules.ruleOfWhole(bytes) != nil
        return Expectation(step: number, kind: .message(ControlHeader.id(of: bytes)), isChance: isChance)
      case .data(let session, let bytes):
        byteCounts[session, default: 0] += bytes.count
        let kind = Expectation.Kind.data(session: session, byteCount: byteCounts[session] ?? 0)
        return Expectation(step: number, kind: kind, isChance: false)
      case .file(let index): return Expectation(step: number, kind: .file(index), isChance: false)
      case .end: return nil
      }
    }
  }

  // MARK: Inputs

  /// Handles an input and returns the actions that follow.
  ///
  /// - Parameter time: the current time; it must not decrease.
  package mutating func handle(_ input: Input, at time: MonotonicTime) -> [Action] {
    guard !isOver else { return [] }
    now = time
    switch input {
    case .role(let input): handle(input)
    case .data(let session, let bytes):
      received()
      report(.receivedData(session: session, byteCount: bytes.count))
      data.receive(bytes, in: session)
      if data.isAwaiting(session) { waitingSince = nil }
      closeHeld(session)
    case .written(let isSent): written(isSent)
    case .go: readySteps += 1
    case .time: break
    case .ended(let cause):
      report.cause = cause
      report(.disconnected(cause))
      finish()
    }
    advance()
    defer { actions = [] }
    return actions
  }

  private mutating func handle(_ input: RoleInput) {
    switch input {
    case .linkUp, .message, .file: report(.input(input))
    case .certificateReady, .serialNumberReady, .signatureReady, .authenticatorFailed, .certificateChecked,
      .responseChecked, .tick:
      break
    }
    switch input {
    case .linkUp(let link):
      guard !report.isLinkUp else { return }
      report.isLinkUp = true
      (start, receivedAt) = (now, now)
      report(.linkUp(link))
      if let cut = script.cut { report(.note(.unplayed(stepCount: script.unplayedCount, behind: cut))) }
      openUnopened()
    case .message(_, let bytes):
      received()
      receive(message: bytes)
    case .file(let event):
      received()
      receive(file: event)
    case .certificateReady, .serialNumberReady, .signatureReady, .authenticatorFailed, .certificateChecked,
      .responseChecked:
      answered(input)
    case .tick: break
    }
  }

  private mutating func received() {
    receivedAt = now
    silentWaits = 0
  }

  /// Continues after the authentication port or the transport has answered.
  mutating func goOn() {
    pending = .nothing
    waitingSince = nil
  }

  mutating func report(_ event: ReplayEvent) { actions.append(.report(event)) }
  mutating func act(_ action: RoleAction) { actions.append(.role(action)) }

  // MARK: State machine

  /// The script index of the played side's next step; the number of all steps if none is left.
  var nextOwnStep: Int { nextOwn < own.count ? own[nextOwn] : script.steps.count }

  /// Advances as far as possible.
  private mutating func advance() {
    nextDeadline = nil
    while report.isLinkUp, !isOver {
      passMet()
      if pending != .nothing {
        // The authentication port does not answer, or the peer accepts no more data.
        guard waitsNoLonger(from: receivedAt) else { return }
        finish()
      } else if head < expectations.count, expectations[head].step < nextOwnStep {
        guard waitsNoLonger(from: due(expectations[head].step)) else { return }
        giveUpWaiting()
      } else if nextOwn < own.count {
        waitingSince = nil
        guard isDue(nextOwnStep), isAllowed(nextOwnStep) else { return }
        let step = own[nextOwn]
        late(step)
        if send(step) { nextOwn += 1 }
      } else {
        guard isSettled else { return }
        finish()
      }
    }
  }

  /// Whether everything was played of a recording that stops before the link ends.
  var isBehindEnd: Bool { !script.hasEnd && nextOwn == own.count && head == expectations.count }

  private mutating func passMet() {
    while head < expectations.count {
      switch expectations[head].kind {
      case .data(let session, let byteCount):
        if data.receivedByteCount(session) >= byteCount { met(head) }
      case .message, .file: break
      }
      if expectations[head].state == .awaited {
        guard expectations[head].isChance else { return }
        passed.append(head)
      }
      head += 1
    }
  }

  /// Marks an expectation as met.
  mutating func met(_ index: Int) {
    if index < head { passed.removeAll { $0 == index } }
    if expectations[index].step < nextOwnStep { late(expectations[index].step) }
    // Only expected steps extend the time; otherwise a peer that sends other messages forever would keep the replay
    // running.
    waitingSince = nil
    expectations[index].state = .met
  }

  /// Returns true when the peer's time is over.
  private mutating func waitsNoLonger(from due: MonotonicTime) -> Bool {
    let since = waitingSince ?? max(now, due)
    waitingSince = since
    let deadline = since.adding(milliseconds: options.timeoutMilliseconds)
    if deadline > now { nextDeadline = deadline }
    return deadline <= now
  }

  private mutating func giveUpWaiting() {
    silentWaits += 1
    waitingSince = nil
    while head < expectations.count, expectations[head].step < nextOwnStep {
      if expectations[head].state == .awaited {
        expectations[head].state = .overdue
        if expectations[head].isMessage { passed.append(head) }
        if !expectations[head].isChance { report(.overdue(step: expectations[head].step)) }
      }
      head += 1
    }
    if silentWaits >= Self.maximumSilentWaits { finish() }
  }

  // MARK: Time

  private func scheduled(_ step: Int) -> Int64 {
    guard let speed = options.speed else { return start.nanoseconds }
    let seconds = min(max(0, script.steps[step].time / speed), Self.maximumSeconds)
    return start.nanoseconds &+ Int64(seconds * 1e9)
  }

  private func due(_ step: Int) -> MonotonicTime {
    options.speed == nil ? now : MonotonicTime(nanoseconds: scheduled(step) &+ lateness)
  }

  private mutating func late(_ step: Int) {
    lateness = max(lateness, now.nanoseconds &- scheduled(step))
  }

  private mutating func isDue(_ step: Int) -> Bool {
    let due = due(step)
    if due > now { nextDeadline = due }
    return due <= now
  }

  /// Returns whether a step may be sent; in a stepped replay, reports that it is ready.
  private mutating func isAllowed(_ step: Int) -> Bool {
    guard options.isStepped, script.steps[step].content != .end else { return true }
    if readySteps > 0 {
      readySteps -= 1
      return true
    }
    if reportedReady != step { report(.ready(step: step)) }
    reportedReady = step
    return false
  }

  private var isSettled: Bool {
    mutating get {
      if isBehindEnd, !data.hasFilesUnderWay { return true }
      let since = settledSince ?? now
      settledSince = since
      let limit = since.adding(milliseconds: max(options.timeoutMilliseconds, Self.settleMilliseconds))
      let quiet = max(since, receivedAt).adding(milliseconds: Self.settleMilliseconds)
      let deadline = data.hasFilesUnderWay ? limit : min(limit, quiet)
      if deadline > now { nextDeadline = deadline }
      return deadline <= now
    }
  }

  // MARK: Steps of the played side

  /// Begins a step; returns false if it has to wait for the authentication port and must be begun again.
  private mutating func send(_ step: Int) -> Bool {
    switch script.steps[step].content {
    case .message(let bytes): return send(recorded: bytes, step)
    case .data(let session, let bytes):
      // The peer did not open this session, which is reported as a missing message.
      guard let live = data.live(session) else { return true }
      beginWriting()
      data.beginWriting(session)
      actions.append(.write(session: live, bytes))
      report.sentCount += 1
      report(.sentData(session: session, byteCount: bytes.count, step: step))
    case .file(let index): offer(index, step)
    case .end: break
    }
    return true
  }

  /// Sends a message of the script with the identifiers of the live session.
  mutating func transmit(_ message: [UInt8], _ step: Int) {
    guard case .message(let recorded) = script.steps[step].content else { return }
    rewrite.learn(recorded: recorded, live: message, rules.comparison)
    _ = contradictions(recorded, message)
    act(.send(message))
    report.sentCount += 1
    report(.sent(message: message, step: step))
    follow(message, step)
    unflushedByteCount += message.count
    guard unflushedByteCount >= Self.flushByteCount else { return }
    unflushedByteCount = 0
    beginWriting()
    actions.append(.flush)
  }

  private mutating func written(_ isSent: Bool) {
    guard pending == .writing else { return }
    goOn()
    guard let session = data.writing else { return }
    data.writing = nil
    if !isSent { report(.note(.unsentData(session: session))) }
    closeHeld(session)
  }

  private mutating func beginWriting() {
    pending = .writing
    waitingSince = nil
    receivedAt = now
  }

  // MARK: The end

  /// Reports the missing steps and ends the replay.
  mutating func finish() {
    guard !isOver else { return }
    isOver = true
    for expectation in expectations where expectation.state != .met && report.isLinkUp {
      switch (expectation.kind, script.steps[expectation.step].content) {
      case (.message(let id), .message(let bytes)):
        if let rule = rules.ruleOfWhole(bytes) {
          report.repeated[rule, default: 0] += 1
        } else {
          differ(.missing, .message(id), expectation.step)
        }
      case (.file(let index), _): differ(.missing, .file(script.files[index].id), expectation.step)
      case (.message, _), (.data, _): break
      }
    }
    compareOrder()
    if report.isLinkUp { compareData() }
    let left = own.dropFirst(nextOwn).count { script.steps[$0].content != .end }
    let unsent = left + (isStepUnderWay ? 1 : 0)
    if unsent > 0 || !report.isLinkUp { differ(.connection(unsentCount: unsent), .connection, nextOwnStep) }
    // Sorting is stable, so the differences of one step keep their order.
    report.differences.sort { $0.step < $1.step }
  }

  /// Whether a step of the played side was begun and not sent; it is not among the steps that are left.
  private var isStepUnderWay: Bool {
    switch pending {
    case .nothing: false
    case .writing: true
    case .port: authentication.questions.contains { $0.step != nil }
    }
  }

  /// Records a difference and reports it.
  mutating func differ(_ kind: ReplayDifference.Kind, _ subject: ReplayDifference.Subject, _ step: Int?) {
    report(.difference(note(kind, subject, step)))
  }

  /// Records a difference.
  ///
  /// - Parameter step: the script index; nil for something that the recording lacks.
  mutating func note(
    _ kind: ReplayDifference.Kind, _ subject: ReplayDifference.Subject, _ step: Int?
  ) -> ReplayDifference {
    let record = step.flatMap { $0 < script.steps.count ? script.steps[$0].record : nil }
    var difference = ReplayDifference(
      kind: kind, subject: subject, record: record, step: step ?? min(nextOwnStep, script.steps.count))
    difference.tolerance = rules.tolerance(of: kind, subject)
    report.add(difference)
    return difference
  }
}
