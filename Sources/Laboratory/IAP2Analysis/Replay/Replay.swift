// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Roles

/// How a session is replayed.
package struct ReplayOptions: Sendable {
  /// Times as fast as recorded; nil waits for the peer only.
  package var speed: Double? = 1
  /// How long the peer may take for what comes next, from when the recording has it.
  package var patienceMilliseconds = 10_000
  /// Each step is sent only when the user says so.
  package var isStepped = false
  package var tolerances: [ReplayTolerance] = []
  /// Certificate, challenge and signature are those of the live session; else the recorded bytes.
  package var authenticates = true

  package init() {}
}

/// One side of a recorded session against a live peer. No clock, no I/O.
///
///     link up ──► waiting for the peer ⇄ waiting for time ⇄ waiting for port or window ──► settling ──► over
///
/// Rules: a recorded step is sent when everything that the recording had from the peer before it has come, the gaps of
/// the recording are kept (a peer that is late moves all that follows), and a peer that does not send what is awaited
/// within ``ReplayOptions/patienceMilliseconds`` is waited for no longer; one from whom nothing at all came in two such
/// waits is silent, which ends the replay. At the end it stays until the peer has been quiet for a moment.
///
/// What came is a message of the recording that has not come: of those that are due one with the same content, else the
/// first with its id; then one that is not due yet. What is in no such place is extra. A message that comes behind one
/// that the recording has later is out of order. Contents are compared by ``ComparisonRules`` only.
package struct Replay: Sendable {
  package enum Input: Sendable {
    case role(RoleInput)
    /// Bytes of an EA session, by its index in the script.
    case data(session: Int, [UInt8])
    /// What was to be written has left, or its EA session was closed before.
    case written(isSent: Bool)
    /// The step that is ready may go.
    case go
    /// Time has passed, as ``Replay/nextDeadline`` asked.
    case time
    case ended(DisconnectCause)
  }

  package enum Action: Sendable {
    case role(RoleAction)
    /// Bytes into an EA session of the live link; `written` follows.
    case write(session: UInt16, [UInt8])
    /// Nothing more before what was sent has been acknowledged; `written` follows.
    case flush
    case tell(ReplayEvent)
  }

  /// Something of the peer's that the recording has.
  struct Expectation: Sendable {
    enum Kind: Sendable, Equatable {
      case message(UInt16)
      /// So many bytes of a session's data.
      case data(session: Int, byteCount: Int)
      case file(Int)
    }
    enum State: Sendable { case awaited, overdue, met }
    let step: Int
    let kind: Kind
    var state = State.awaited
    /// Whether it comes at all is chance, by a rule that was asked for.
    let isChance: Bool

    var isMessage: Bool { if case .message = kind { true } else { false } }
  }

  /// What a step of ours waits for.
  enum Pending: Sendable, Equatable {
    case nothing
    case port
    case writing
  }

  let script: ReplayScript
  let options: ReplayOptions
  let rules: ReplayRules
  package internal(set) var report = ReplayReport()
  /// When `time` is wanted, whatever else happens.
  package private(set) var nextDeadline: MonotonicTime?
  package private(set) var isOver = false
  package var isLinkUp: Bool { report.isLinkUp }

  /// Our steps, and the next of them.
  let own: [Int]
  var nextOwn = 0
  var expectations: [Expectation]
  /// The first that is still awaited; messages that were not met before it are `passed`.
  var head = 0
  var passed: [Int] = []
  /// Those that are messages, by their place among all: data in between counts for nothing when one is looked for.
  let messages: [Int]
  /// The files that are still to come, in their order.
  var files: ArraySlice<Int>
  /// The messages that came, by their place in the recording, in the order in which they came.
  var arrivals: [Int] = []
  var book = IdentityBook()
  var rewrite = IdentityRewrite()
  var pending = Pending.nothing
  var authentication = ReplayAuthentication()
  var data: ReplayData
  var actions: [Action] = []
  var now = MonotonicTime.zero

  private var start = MonotonicTime.zero
  /// How far the live session is behind the recording, in nanoseconds.
  private var lateness: Int64 = 0
  private var heardAt = MonotonicTime.zero
  private var waitingSince: MonotonicTime?
  private var silentWaits = 0
  private var readySteps = 0
  private var toldReady = -1
  private var unflushedByteCount = 0
  private var settledSince: MonotonicTime?

  /// Longer than a peer on the same network takes to say what it has to say, shorter than a person waits.
  private static let settleMilliseconds = 300
  private static let maximumSilentWaits = 2
  /// Bytes of messages sent at once: a quarter of what a link queues.
  private static let flushByteCount = Limits().queuedByteCount / 4
  /// A century: what is longer has no place in nanoseconds.
  private static let maximumSeconds = 4e9

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

  package mutating func handle(_ input: Input, at time: MonotonicTime) -> [Action] {
    guard !isOver else { return [] }
    now = time
    switch input {
    case .role(let input): handle(input)
    case .data(let session, let bytes):
      heard()
      tell(.receivedData(session: session, byteCount: bytes.count))
      data.receive(bytes, in: session)
      if data.isAwaiting(session) { waitingSince = nil }
      closeHeld(session)
    case .written(let isSent): written(isSent)
    case .go: readySteps += 1
    case .time: break
    case .ended(let cause):
      report.cause = cause
      tell(.disconnected(cause))
      finish()
    }
    advance()
    defer { actions = [] }
    return actions
  }

  private mutating func handle(_ input: RoleInput) {
    switch input {
    case .linkUp, .message, .file: tell(.heard(input))
    case .certificateReady, .serialNumberReady, .signatureReady, .authenticatorFailed, .certificateJudged,
      .responseJudged, .tick:
      break
    }
    switch input {
    case .linkUp(let link):
      guard !report.isLinkUp else { return }
      report.isLinkUp = true
      (start, heardAt) = (now, now)
      tell(.linkUp(link))
      if let cut = script.cut { tell(.note(.unplayed(stepCount: script.unplayedCount, behind: cut))) }
      openUnopened()
    case .message(_, let bytes):
      heard()
      receive(message: bytes)
    case .file(let event):
      heard()
      receive(file: event)
    case .certificateReady, .serialNumberReady, .signatureReady, .authenticatorFailed, .certificateJudged,
      .responseJudged:
      answered(input)
    case .tick: break
    }
  }

  private mutating func heard() {
    heardAt = now
    silentWaits = 0
  }

  /// What a step of ours waited for is there.
  mutating func goOn() {
    pending = .nothing
    waitingSince = nil
  }

  mutating func tell(_ event: ReplayEvent) { actions.append(.tell(event)) }
  mutating func act(_ action: RoleAction) { actions.append(.role(action)) }

  // MARK: Course

  /// The script index of our next step; behind all steps when there is none.
  var nextOwnStep: Int { nextOwn < own.count ? own[nextOwn] : script.steps.count }

  /// Goes on as far as it can.
  private mutating func advance() {
    nextDeadline = nil
    while report.isLinkUp, !isOver {
      passMet()
      if pending != .nothing {
        // A port that does not answer, or a peer that takes no more.
        guard waitsNoLonger(from: heardAt) else { return }
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

  /// Everything was played, of a recording that stops before the link ends.
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

  /// Marks something of the peer's as come.
  mutating func met(_ index: Int) {
    if index < head { passed.removeAll { $0 == index } }
    if expectations[index].step < nextOwnStep { late(expectations[index].step) }
    // Only what is awaited gives more time: a peer that says other things for ever must not keep us.
    waitingSince = nil
    expectations[index].state = .met
  }

  /// True when the peer has had its time.
  private mutating func waitsNoLonger(from due: MonotonicTime) -> Bool {
    let since = waitingSince ?? max(now, due)
    waitingSince = since
    let deadline = since.adding(milliseconds: options.patienceMilliseconds)
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
        if !expectations[head].isChance { tell(.overdue(step: expectations[head].step)) }
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

  /// Asks the user, where that is wanted.
  private mutating func isAllowed(_ step: Int) -> Bool {
    guard options.isStepped, script.steps[step].content != .end else { return true }
    if readySteps > 0 {
      readySteps -= 1
      return true
    }
    if toldReady != step { tell(.ready(step: step)) }
    toldReady = step
    return false
  }

  private var isSettled: Bool {
    mutating get {
      if isBehindEnd, !data.hasFilesUnderWay { return true }
      let since = settledSince ?? now
      settledSince = since
      let limit = since.adding(milliseconds: max(options.patienceMilliseconds, Self.settleMilliseconds))
      let quiet = max(since, heardAt).adding(milliseconds: Self.settleMilliseconds)
      let deadline = data.hasFilesUnderWay ? limit : min(limit, quiet)
      if deadline > now { nextDeadline = deadline }
      return deadline <= now
    }
  }

  // MARK: Steps of ours

  /// Begins a step; false when it has to wait for the port, and will be asked for again.
  private mutating func send(_ step: Int) -> Bool {
    switch script.steps[step].content {
    case .message(let bytes): return send(recorded: bytes, step)
    case .data(let session, let bytes):
      // One that the peer did not open is missing already.
      guard let live = data.live(session) else { return true }
      beginWriting()
      data.beginWriting(session)
      actions.append(.write(session: live, bytes))
      report.sentCount += 1
      tell(.sentData(session: session, byteCount: bytes.count, step: step))
    case .file(let index): offer(index, step)
    case .end: break
    }
    return true
  }

  /// Sends a message of the script with the values of the live session.
  mutating func transmit(_ message: [UInt8], _ step: Int) {
    guard case .message(let recorded) = script.steps[step].content else { return }
    rewrite.learn(recorded: recorded, live: message, rules.comparison)
    _ = contradictions(recorded, message)
    act(.send(message))
    report.sentCount += 1
    tell(.sent(message: message, step: step))
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
    if !isSent { tell(.note(.unsentData(session: session))) }
    closeHeld(session)
  }

  private mutating func beginWriting() {
    pending = .writing
    waitingSince = nil
    heardAt = now
  }

  // MARK: The end

  /// Tells what is left, and that it is over.
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
    // Sorting is stable: what belongs to one step stays in its order.
    report.differences.sort { $0.step < $1.step }
  }

  /// A step of ours was begun, and has not left: it is none of those that are still to come.
  private var isStepUnderWay: Bool {
    switch pending {
    case .nothing: false
    case .writing: true
    case .port: authentication.questions.contains { $0.step != nil }
    }
  }

  /// Notes a difference and tells it.
  mutating func differ(_ kind: ReplayDifference.Kind, _ subject: ReplayDifference.Subject, _ step: Int?) {
    tell(.difference(note(kind, subject, step)))
  }

  /// Notes a difference.
  ///
  /// - Parameter step: nil for what the recording does not have.
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
