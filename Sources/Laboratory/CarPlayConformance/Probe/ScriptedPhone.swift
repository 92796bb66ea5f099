// swift-iap2 · Apache-2.0

import Basics
import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2Conformance

/// A phone that a check plays step by step against a head unit. It decides nothing on its own, but for what each check
/// would repeat: it answers commands and the clock, and sends `/feedback`.
///
/// A check owns it and calls it from one task.
final class ScriptedPhone {
  let peer: ProbedHeadUnit
  let identity: PairingIdentity
  let line: any ProbeLine
  var record = SessionRecord()

  var channel = WireChannel(), events = WireChannel()
  private var sequence = 0
  /// The requests that wait for their answers, in their order.
  private(set) var pending: [RequestMessage] = []
  /// The answers that the check did not take yet.
  private var answers: [RequestMessage] = []
  /// The numbers of the requests whose answers are only judged, such as `/feedback`.
  private var quiet: Set<String> = []
  /// The commands of the head unit so far.
  private(set) var commands: [CommandBody] = []
  /// The numbers of the answers on the event channel.
  private(set) var eventAnswers: Set<String> = []
  /// The connections that are established, and those that ended.
  private(set) var open: Set<SessionSocket> = [], closed: Set<SessionSocket> = []
  /// The connections whose bytes the head unit does not read fast enough.
  private(set) var full: Set<SessionSocket> = []
  private(set) var ports: [SessionSocket: UInt16] = [:]
  /// The reason why no more bytes of the head unit can be read; nil if all can be read.
  private(set) var damage: String?
  /// The first bytes of the head unit on the control connection.
  private(set) var firstBytes: [UInt8] = []
  private static let shownByteCount = 32
  /// The head unit's long-term key, once it is paired.
  var headUnit: PairedPeer?
  var secret: Secret?
  var setUpAnswer: SessionSetUpAnswer?
  var info: SessionInfo?
  var streams: [StreamType: ProbeStream] = [:]
  /// The requests of the head unit's clock so far.
  private(set) var clockRequestCount = 0
  /// The last datagrams and pieces of streams.
  private(set) var received: [SessionSocket: [[UInt8]]] = [:]
  /// The most datagrams or pieces of a socket that are kept.
  private static let keptCount = 256

  /// The changes of a fuzzer; nil for none.
  var changer: SessionChanger?
  /// Whether commands are answered, with which status, and the statuses of single ones.
  var commandStatus: Int? = 200
  var commandStatuses: [String: Int] = [:]
  /// The arbiter that decides mode requests of the head unit, and whether it refuses all of them.
  var arbiter = ModeArbiter()
  var refusesModes = false
  /// Whether requests of the head unit's clock are answered.
  var answersClock = true
  /// The time of the next `/feedback`; nil while none is sent.
  private var nextFeedback: MonotonicTime?

  init(_ peer: ProbedHeadUnit, as identity: PairingIdentity, on line: any ProbeLine) {
    (self.peer, self.identity, self.line) = (peer, identity, line)
    record.judge.isPhoneRight = true
  }

  /// Connects a phone to the head unit; nil if it accepts no connection.
  static func connect(to peer: ProbedHeadUnit, as identity: PairingIdentity? = nil) async -> ScriptedPhone? {
    guard let line = await peer.dial() else { return nil }
    let phone = ScriptedPhone(peer, as: identity ?? peer.identity, on: line)
    let isOpen = await phone.wait(peer.answer) { phone.open.contains(.control(0)) || phone.isClosed }
    return isOpen && !phone.isClosed ? phone : nil
  }

  /// Connects another phone, or this one once more.
  func another(as identity: PairingIdentity? = nil) async throws(Stop) -> ScriptedPhone {
    guard let phone = await Self.connect(to: peer, as: identity ?? self.identity) else {
      throw .inconclusive("the head unit accepts no further connection")
    }
    return phone
  }

  /// Whether the head unit closed the control connection.
  var isClosed: Bool { closed.contains(.control(0)) }

  // MARK: Time

  /// Handles what happens until a condition is met. Returns whether it was met within a time.
  func wait(_ limit: Duration, for isDone: () -> Bool) async -> Bool {
    let deadline = await line.now.advanced(by: limit)
    while !isDone() {
      let now = await line.now
      guard now < deadline, !Task.isCancelled else { return false }
      let occurrences = await line.next(until: min(deadline, nextFeedback ?? deadline))
      record.time = await line.now
      for occurrence in occurrences { await handle(occurrence) }
      guard let beat = nextFeedback, await line.now >= beat else { continue }
      nextFeedback = isClosed ? nil : beat.advanced(by: .seconds(1))
      if !isClosed { await sendFeedback() }
    }
    return true
  }

  /// Handles what happens for a time.
  func pass(_ time: Duration) async { _ = await wait(time) { false } }

  /// Sends `/feedback` each second from now on, as a phone does.
  func beginFeedback() async { nextFeedback = await line.now }

  /// Whether `/feedback` is sent each second.
  var sendsFeedback: Bool { nextFeedback != nil }

  /// Sends no `/feedback` any more.
  func endFeedback() { nextFeedback = nil }

  // MARK: Requests

  /// Returns a request with the next sequence number.
  func request(
    _ method: String, _ path: String = "rtsp://carplay/1", headers: [(String, String)] = [], type: String? = nil,
    body: [UInt8] = []
  ) -> RequestMessage {
    sequence += 1
    let type = type.map { [("Content-Type", $0)] } ?? []
    return RequestMessage(
      .request(method: method, path: path, protocolWord: "RTSP/1.0"),
      headers: RequestHeaders([("CSeq", "\(sequence)"), ("User-Agent", "AirPlay/845.6.1")] + type + headers), body: body
    )
  }

  /// Returns a recorded request with the next sequence number.
  func request(like recorded: RequestMessage, body: [UInt8]) -> RequestMessage {
    sequence += 1
    return recorded.numbered("\(sequence)").replacing(body: body)
  }

  /// Returns a request with a property list.
  func request(_ method: String, _ path: String = "rtsp://carplay/1", list: PropertyValue) -> RequestMessage {
    request(method, path, type: "application/x-apple-binary-plist", body: list.binary)
  }

  /// Sends a request. Its answer is waited for.
  func send(_ message: RequestMessage) async {
    expect(message)
    for bytes in changer?.pieces(of: message, message.name) ?? [message.bytes] { await sendRaw(channel.sealed(bytes)) }
  }

  /// Sends a message of a stream.
  func sendContent(_ bytes: [UInt8], on socket: SessionSocket) async {
    for bytes in changer?.pieces(of: bytes, "\(socket)") ?? [bytes] { await line.act([.send(socket, bytes)]) }
  }

  /// Sends a datagram.
  func sendDatagram(_ bytes: [UInt8], on socket: SessionSocket, port: UInt16) async {
    for bytes in changer?.pieces(of: bytes, "\(socket)") ?? [bytes] {
      await line.act([.sendDatagram(socket, bytes, port: port)])
    }
  }

  /// Notes that the head unit owes the answer to a request that the check sends itself.
  func expect(_ message: RequestMessage) {
    pending.append(message)
    record.take(request: message, on: .control, from: .phone)
  }

  /// Sends bytes on the control connection as they are.
  func sendRaw(_ bytes: [UInt8]) async { await line.act([.send(.control(0), bytes)]) }

  /// Sends a request and returns its answer.
  func ask(_ message: RequestMessage, within limit: Duration? = nil) async throws(Stop) -> RequestMessage {
    await send(message)
    return try await answer(within: limit)
  }

  /// Returns the next answer that was not taken.
  ///
  /// - Throws: ``Stop/failed(_:)`` if none comes.
  func answer(within limit: Duration? = nil) async throws(Stop) -> RequestMessage {
    guard let next = await answerOrEnd(within: limit) else {
      let name = pending.first.map { $0.name } ?? "the request"
      if let damage { throw .failed("what follows \(name) cannot be read: \(damage)") }
      record.judge.add(
        .answered, by: .headUnit, ValueProblem(name, is: "it got no answer", expected: "an answer with its CSeq"))
      record.settle()
      throw .failed(
        isClosed
          ? "the head unit closed the connection in place of an answer to \(name)"
          : "\(name) got no answer within \((limit ?? peer.answer).seconds)")
    }
    return next
  }

  /// Returns the next answer that was not taken; nil if the connection ends, or none comes in time.
  func answerOrEnd(within limit: Duration? = nil) async -> RequestMessage? {
    _ = await wait(limit ?? peer.answer) { !answers.isEmpty || isClosed || damage != nil }
    return answers.isEmpty ? nil : answers.removeFirst()
  }

  /// Passes a secret to the key log.
  func log(_ secret: AgreedSecret?) async { if let secret { await line.act([.log(secret)]) } }

  private func sendFeedback() async { await sendQuietly(request("POST", "/feedback")) }

  /// Sends a request whose answer is only judged.
  func sendQuietly(_ message: RequestMessage) async {
    quiet.insert(message.sequence ?? "")
    await send(message)
  }

  /// Sends a command and returns its answer.
  func command(_ body: PropertyValue) async throws(Stop) -> RequestMessage {
    try await ask(request("POST", "/command", list: body))
  }

  // MARK: What happens

  private func handle(_ occurrence: Occurrence) async {
    switch occurrence {
    case .connected(let socket):
      open.insert(socket)
      if case .stream = socket { record.reach(.streamConnection) }
    case .closed(let socket):
      open.remove(socket)
      closed.insert(socket)
      refused(socket)
    case .bound(let socket, let port): ports[socket] = port
    case .received(.control, let bytes, _): await receiveControl(bytes)
    case .received(.events, let bytes, _): await receiveEvents(bytes)
    case .received(.clock, let bytes, let port): await receiveClock(bytes, from: port)
    case .received(let socket, let bytes, _): await receive(bytes, on: socket)
    case .writable(let socket, let isWritable):
      if isWritable { full.remove(socket) } else { full.insert(socket) }
    case .signed: break
    }
    record.settle()
  }

  private func receiveControl(_ bytes: [UInt8]) async {
    // The first bytes show what a peer is that does not answer.
    if firstBytes.count < Self.shownByteCount { firstBytes += bytes.prefix(Self.shownByteCount - firstBytes.count) }
    guard damage == nil else { return }
    do throws(WireChannel.Unreadable) {
      for message in try channel.receive(bytes) {
        // An answer with another number than that of the first request may belong to a later one.
        let place = pending.firstIndex { $0.sequence == message.sequence } ?? 0
        let asked = pending.isEmpty ? nil : pending.remove(at: place)
        record.take(answer: message, to: asked, on: .control, from: .headUnit)
        reach(by: message, to: asked)
        if quiet.remove(asked?.sequence ?? "") == nil { answers.append(message) }
      }
    } catch {
      damage = error.reason
      record.judge.note(
        error.damage, by: .headUnit,
        ValueProblem("control", is: error.reason, expected: "messages that can be read"))
    }
  }

  /// Notes the parts of the session that an answer reaches.
  private func reach(by answer: RequestMessage, to request: RequestMessage?) {
    record.reach(.requests)
    if secret != nil { record.reach(.encryption) }
    guard answer.status == 200, let request else { return }
    switch (request.name, request.values?["streams"] != nil) {
    case ("POST /pair-setup", _), ("POST /pair-verify", _): if answer.list?[.state] != nil { record.reach(.pairing) }
    case ("POST /auth-setup", _): record.reach(.authSetup)
    case ("SETUP", false):
      let asked = SessionSetUpRequest(values: request.values ?? [:])
      record.reach(.setUp)
      if asked.timingPort != nil { record.reach(.timing) }
      if asked.wantsKeepAlive { record.reach(.keepAlive) }
      if asked.values["features"] != nil { record.reach(.features) }
    case ("SETUP", true):
      record.reach(.streamSetUp)
      if answers(in: answer).contains(where: { $0.type?.family == .audio }) { record.reach(.soundSetUp) }
    case ("GET /info", _): record.reach(.information)
    case ("POST /feedback", _):
      if streams.values.contains(where: { $0.type.family == .audio }) { record.reach(.feedback) }
    default: break
    }
  }

  private func receiveEvents(_ bytes: [UInt8]) async {
    guard damage == nil else { return }
    do throws(WireChannel.Unreadable) {
      for message in try events.receive(bytes) {
        guard case .request = message.start else {
          eventAnswers.insert(message.sequence ?? "")
          continue
        }
        record.take(request: message, on: .events, from: .headUnit)
        record.reach(.commands)
        var body: CommandBody?
        do throws(BodyProblem) { body = try CommandBody(bytes: message.body) } catch {}
        if let body { commands.append(body) }
        if body?.name == "hidSendReport" { record.reach(.inputs) }
        guard let commandStatus = body?.name.flatMap({ commandStatuses[$0] }) ?? commandStatus else { continue }
        var answer = message.answer(commandStatus)
        var hasNewModes = false
        if commandStatus == 200, case .changeModes(let request)? = body?.command {
          (answer, hasNewModes) = decide(request, of: message)
        }
        if commandStatus == 200 {
          record.take(answer: answer, to: message, on: .events, from: .phone)
        }
        for bytes in changer?.pieces(of: answer, "answer to a command") ?? [answer.bytes] {
          await line.act([.send(.events, events.sealed(bytes))])
        }
        if hasNewModes { await sendQuietly(modesReport(reason: "changeModes")) }
      }
    } catch {
      damage = damage ?? "events: \(error.reason)"
      record.judge.note(
        error.damage, by: .headUnit, ValueProblem("events", is: error.reason, expected: "messages that can be read"))
    }
  }

  private func receiveClock(_ bytes: [UInt8], from port: UInt16) async {
    record.reach(.clock)
    let packet = ClockPacket(bytes: bytes)
    record.judge.take(clock: packet, byteCount: bytes.count, from: .headUnit)
    guard let packet, packet.isRequest else { return }
    clockRequestCount += 1
    guard answersClock else { return }
    let now = await line.now.clock(epochSeconds: ClockPacket.epochSeconds)
    let answer = packet.answer(received: now, sent: now)
    record.judge.take(clock: answer, byteCount: ClockPacket.byteCount, from: .phone)
    await sendDatagram(answer.bytes, on: .clock, port: port)
  }

  /// Judges a connection to a port of the head unit that could not be made.
  private func refused(_ socket: SessionSocket) {
    switch socket {
    case .stream(let type) where streams[type]?.wasConnected == false: record.judge.refuse(stream: type.name)
    default: break
    }
  }

  /// Keeps a datagram or a piece of a stream.
  func keep(_ bytes: [UInt8], of socket: SessionSocket) {
    received[socket, default: []].append(bytes)
    if received[socket]?.count ?? 0 > Self.keptCount { received[socket]?.removeFirst() }
  }

  /// Connects to a port of the head unit. Returns whether it accepts.
  func connect(_ socket: SessionSocket, port: UInt16) async -> Bool {
    closed.remove(socket)
    await line.act([.connect(socket, port: port)])
    return await wait(peer.answer) { open.contains(socket) || closed.contains(socket) } && open.contains(socket)
  }

  /// Binds a UDP socket and returns its port; nil if the system refuses.
  func bind(_ socket: SessionSocket) async -> UInt16? {
    await line.act([.bind(socket, beside: 0)])
    _ = await wait(.seconds(2)) { ports.keys.contains(socket) }
    return ports[socket]
  }

  /// Closes sockets.
  func close(_ sockets: [SessionSocket]) async {
    for socket in sockets { (ports[socket], received[socket]) = (nil, nil) }
    open.subtract(sockets)
    await line.act(sockets.map { .close($0) })
  }

  /// Closes every socket of the phone, as a pulled cable does.
  func leave() async {
    nextFeedback = nil
    await line.close()
  }
}

extension RequestMessage {
  /// The method and the path of a request.
  var name: String {
    guard case .request(let method, let path, _) = start else { return "the answer" }
    return path.hasPrefix("/") ? "\(method) \(path)" : method
  }

  /// The status of an answer; 0 for a request.
  var status: Int {
    guard case .answer(let status, _, _) = start else { return 0 }
    return status
  }
}

extension Duration {
  /// A text such as `5 s`.
  var seconds: String { "\(self / .seconds(1)) s".replacing(".0 s", with: " s") }
}
