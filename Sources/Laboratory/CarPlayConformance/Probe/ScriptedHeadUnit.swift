// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2Conformance

/// A head unit that a check plays step by step against a phone. It answers each request of the phone as a usual head
/// unit does, and asks the phone's clock. A check changes single answers.
///
/// A check owns it and calls it from one task.
final class ScriptedHeadUnit {
  /// A request of the phone with its answer. Messages of pairing have the state of the answer.
  enum Step: Hashable {
    case pairSetup(UInt8)
    case pairVerify(UInt8)
    case authSetup, setUp, information, record, feedback, command, streams, tearDownStreams, tearDown
    case other(String)
  }

  let peer: ProbedPhone
  var line: any ProbeLine { peer.line }
  /// The identity in pairings, and the answer to `/info`.
  var identity: PairingIdentity
  var info: SessionInfo
  var record = SessionRecord()
  /// The record of the first session, once the phone has begun another one.
  private(set) var firstRecord: SessionRecord?

  /// The number of the control connection; nil before the phone connects.
  private(set) var control: Int?
  /// Whether the head unit has closed it.
  private var hasClosed = false
  var channel = WireChannel(), events = WireChannel()
  /// The connections that are established, and those that ended.
  var open: Set<SessionSocket> = [], closed: Set<SessionSocket> = []
  var ports: [SessionSocket: UInt16] = [:]
  /// The sockets that were bound since the phone connected.
  var bound: Set<SessionSocket> = []
  /// The reason why no more bytes of the phone can be read; nil if all can be read.
  var damage: String?
  /// The requests that wait for their answers, and whether one is being answered.
  private var inbox: [RequestMessage] = []
  private var isAnswering = false
  /// The requests so far, and the steps that were answered or left without an answer.
  private(set) var requests: [(step: Step, message: RequestMessage)] = []
  private(set) var handled: [Step] = []

  // The state of the procedures.
  var setupSide: PairSetupHeadUnit, verifySide: PairVerifyHeadUnit, proofSide = AuthSetupHeadUnit()
  /// The secrets of the present pair-setup and pair-verify.
  var setupSecret: Secret?, verifySecret: Secret?
  var verified: VerifiedPeer?
  var secret: Secret?
  /// The proof of the coprocessor; the outer nil before it was asked, the inner one if it did not sign.
  var evidence: AccessoryEvidence??
  var setUpRequest: SessionSetUpRequest?
  var enabledFeatures: [String] = []
  var streams: [StreamType: PhoneContent] = [:]
  /// The streams that the phone has set up since it connected.
  var openedStreams: Set<StreamType> = []
  /// The start of buffered music that the phone asked for last: the sample, its time and the rate; nil before the first.
  var anchor: (sample: Int64, time: UInt64, rate: Int64)?
  /// The commands of the phone so far.
  var commands: [CommandBody] = []
  /// The own commands without an answer, and the answers that the check did not take yet.
  var pendingCommands: [RequestMessage] = [], commandAnswers: [RequestMessage] = []
  var commandSequence = 0
  /// The times of the own requests of the clock, and the phone's answers.
  var clockQuestions: [UInt64] = [], clockAnswers: [ClockPacket] = []
  /// The pictures since a key frame was asked for; nil if none was, or if it came.
  var picturesSinceAsked: Int?

  // The changes of a check.
  /// The changes of usual answers; nil in place of an answer means that none is sent.
  private var changes: [Step: (RequestMessage) -> RequestMessage?] = [:]
  /// Returns the answer in place of a usual one to a request; nil if there is none.
  var answerer: ((_ request: RequestMessage, _ usual: RequestMessage) -> RequestMessage?)?
  /// A change of each answer after those of its step.
  var changeAll: (RequestMessage) -> RequestMessage = { $0 }
  /// The changes of an answer's text, before it is sealed.
  private var texts: [Step: ([UInt8]) -> [UInt8]] = [:]
  /// The times for which answers wait.
  private var delays: [Step: Duration] = [:]
  /// The pieces in which the bytes of an answer are sent.
  private var splits: [Step: ([UInt8]) -> [[UInt8]]] = [:]
  var splitAll: ([UInt8]) -> [[UInt8]] = { [$0] }
  /// The parts in which the text of an answer is sealed, one frame or more for each.
  var textOfAll: ([UInt8]) -> [[UInt8]] = { [$0] }
  /// Whether the event port is closed before the phone connects to it.
  var refusesEvents = false
  /// Whether the phone's clock is asked.
  var asksClock = true
  var nextQuestion: MonotonicTime?

  /// The changes of a fuzzer; nil for none.
  var changer: SessionChanger?

  init(_ peer: ProbedPhone) {
    (self.peer, identity, info) = (peer, peer.identity, peer.info)
    (setupSide, verifySide) = (PairSetupHeadUnit(peer.identity), PairVerifyHeadUnit(peer.identity))
  }

  /// Lets the phone connect.
  static func connect(to peer: ProbedPhone) async -> ScriptedHeadUnit? {
    let headUnit = ScriptedHeadUnit(peer)
    if let restart = peer.restart { await restart() } else { await headUnit.callIfIdle() }
    return await headUnit.wait(peer.answer * 3) { headUnit.control != nil } ? headUnit : nil
  }

  /// Whether the phone closed the control connection.
  var isClosed: Bool { control.map { closed.contains(.control($0)) } ?? false }

  // MARK: Changes

  /// Changes the usual answer of a step from now on. Without an answer, none is sent.
  func change(_ step: Step, _ body: @escaping (RequestMessage) -> RequestMessage?) { changes[step] = body }

  /// Answers a step in its usual form again.
  func restore(_ step: Step) { (changes[step], texts[step], splits[step], delays[step]) = (nil, nil, nil, nil) }

  /// Changes the text of an answer before it is sealed.
  func replaceText(of step: Step, _ body: @escaping ([UInt8]) -> [UInt8]) { texts[step] = body }

  /// Sends an answer after a time.
  func delay(_ step: Step, by time: Duration) { delays[step] = time }

  /// Sends other bytes in place of those of an answer, which are sealed once the channel is.
  func replaceBytes(of step: Step, _ body: @escaping ([UInt8]) -> [[UInt8]]) { splits[step] = body }

  // MARK: Time

  /// Handles what happens until a condition is met. Returns whether it was met within a time.
  func wait(_ limit: Duration, for isDone: () -> Bool) async -> Bool {
    let deadline = await line.now.advanced(by: limit)
    while !isDone() {
      guard !Task.isCancelled else { return false }
      if !isAnswering, !inbox.isEmpty {
        isAnswering = true
        await answer(inbox.removeFirst())
        isAnswering = false
        continue
      }
      guard await line.now < deadline else { return false }
      let occurrences = await line.next(until: min(deadline, nextQuestion ?? deadline))
      record.time = await line.now
      for occurrence in occurrences { await handle(occurrence) }
      if let time = nextQuestion, await line.now >= time {
        nextQuestion = time.advanced(by: .seconds(1))
        if asksClock { await askClock() }
      }
    }
    return true
  }

  /// Handles what happens for a time.
  func pass(_ time: Duration) async { _ = await wait(time) { false } }

  // MARK: What happens

  private func handle(_ occurrence: Occurrence) async {
    switch occurrence {
    case .connected(.control(let number)):
      // During a session a phone may look at the head unit on another connection.
      let isFree = control == nil || isClosed || hasClosed || setUpRequest == nil
      if isFree { await begin(number) } else { await line.act([.close(.control(number))]) }
    case .connected(let socket) where bound.contains(socket):
      open.insert(socket)
      if socket == .events {
        record.reach(.events)
        record.judge.openEvents()
      }
      if case .stream = socket { record.reach(.streamConnection) }
    case .closed(let socket) where socket == control.map({ .control($0) }) || bound.contains(socket):
      open.remove(socket)
      closed.insert(socket)
    case .bound(let socket, let port): ports[socket] = port
    // A probe may have received bytes before it closed the connection. They are not part of what follows.
    case .received(.control(let number), let bytes, _) where number == control && !hasClosed: receiveControl(bytes)
    case .received(.events, let bytes, _) where bound.contains(.events): await receiveEvents(bytes)
    case .received(.clock, let bytes, let port) where bound.contains(.clock): await receiveClock(bytes, from: port)
    case .received(let socket, let bytes, _) where bound.contains(socket): receive(bytes, on: socket)
    case .writable: break
    case .signed(let evidence): self.evidence = .some(evidence)
    case .connected, .closed, .received: break
    }
    record.settle()
  }

  /// Begins with a new control connection, which replaces the former one.
  private func begin(_ number: Int) async {
    if control != nil { await closeSockets() }
    if setUpRequest != nil {
      firstRecord = firstRecord ?? record
      record = SessionRecord()
    }
    (control, hasClosed) = (number, false)
    (channel, events, inbox) = (WireChannel(), WireChannel(), [])
    (open, closed, ports, bound) = ([], [], [:], [])
    (setupSide, verifySide, proofSide) = (
      PairSetupHeadUnit(identity), PairVerifyHeadUnit(identity), AuthSetupHeadUnit()
    )
    (setupSecret, verifySecret, verified, secret, evidence) = (nil, nil, nil, nil, nil)
    (setUpRequest, enabledFeatures, streams, nextQuestion, damage) = (nil, [], [:], nil, nil)
    anchor = nil
    (pendingCommands, commandAnswers, commandSequence) = ([], [], 0)
    open.insert(.control(number))
  }

  private func receiveControl(_ bytes: [UInt8]) {
    guard damage == nil else { return }
    do throws(WireChannel.Unreadable) { inbox += try channel.receive(bytes) } catch {
      damage = error.reason
      record.judge.note(
        error.damage, by: .phone,
        ValueProblem("control", is: error.reason, expected: "messages that can be read"))
    }
  }

  private func answer(_ message: RequestMessage) async {
    guard case .request = message.start else {
      return record.judge.note(
        .message, by: .phone, ValueProblem("control", is: "the phone sends an answer", expected: "requests"))
    }
    let step = Self.step(of: message)
    record.reach(.requests)
    if secret != nil { record.reach(.encryption) }
    let connection = control
    requests.append((step, message))
    record.take(request: message, on: .control, from: .phone)
    let usual = await usualAnswer(to: message, step)
    if let delay = delays[step] { await pass(delay) }
    var changed = if let change = changes[step] { change(usual) } else { Optional(usual) }
    if let answerer { changed = changed.flatMap { answerer(message, $0) } }
    // The phone may have connected again before the answer was ready.
    if let changed, let control, control == connection {
      let sent = changeAll(changed)
      record.take(answer: sent, to: message, on: .control, from: .headUnit)
      for sentBytes in changer?.pieces(of: sent, "answer to \(message.name)") ?? [sent.bytes] {
        let text = texts[step]?(sentBytes) ?? sentBytes
        let bytes = textOfAll(text).flatMap { channel.sealed($0) }
        let pieces = splits[step]?(bytes) ?? splitAll(bytes)
        await line.act(pieces.map { .send(.control(control), $0) })
      }
      await finish(step, sent)
    }
    handled.append(step)
    record.settle()
  }

  // MARK: Sockets

  /// Binds a socket and returns its port; nil if the system refuses.
  func bind(_ socket: SessionSocket) async -> UInt16? {
    guard let control else { return nil }
    if bound.contains(socket) { await close([socket]) }
    bound.insert(socket)
    await line.act([.bind(socket, beside: control)])
    _ = await wait(.seconds(2)) { ports.keys.contains(socket) }
    return ports[socket]
  }

  /// Closes sockets.
  func close(_ sockets: [SessionSocket]) async {
    for socket in sockets { ports[socket] = nil }
    open.subtract(sockets)
    bound.subtract(sockets)
    await line.act(sockets.map { .close($0) })
  }

  /// Closes the control connection alone. Its requests that were not answered yet are dropped.
  func closeControl() async {
    (hasClosed, inbox) = (true, [])
    if let control { await line.act([.close(.control(control))]) }
  }

  private func closeSockets() async {
    await close(bound.sorted { "\($0)" < "\($1)" })
    await closeControl()
  }

  /// Closes every connection of the phone.
  func leave() async {
    nextQuestion = nil
    await closeSockets()
  }

  /// Forgets what the phone sent until now, so that a step is waited for anew.
  func forgetSteps() { (handled, requests) = ([], []) }
}
