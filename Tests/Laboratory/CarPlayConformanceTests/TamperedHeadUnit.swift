// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import Cryptography
import Synchronization

@testable import CarPlayConformance

/// A fault of a head unit: what it does to requests, answers and other traffic.
struct Tamper: Sendable {
  /// Returns the answer in place of the head unit's own, which then does not see the request; nil for none.
  var respond: @Sendable (RequestMessage) -> RequestMessage? = { _ in nil }
  /// Changes an answer to a request. The status 0 stands for no answer.
  var answer: @Sendable (RequestMessage, inout RequestMessage) -> Void = { _, _ in }
  /// Whether arrived bytes are dropped.
  var drops: @Sendable (SessionSocket, [UInt8]) -> Bool = { _, _ in false }
  /// Whether sent bytes are dropped.
  var mutes: @Sendable (SessionSocket, [UInt8]) -> Bool = { _, _ in false }
  /// Whether the head unit dies of arrived bytes, by their socket and the number of arrivals on it.
  var dies: @Sendable (SessionSocket, [UInt8], Int) -> Bool = { _, _, _ in false }
  /// Whether the head unit dies of its own answer.
  var diesOfAnswer: @Sendable (RequestMessage) -> Bool = { _ in false }
  /// Whether it answers what it cannot read.
  var answersDamage = false
  /// Whether it answers everything on the event channel, whatever it is, and sends no commands.
  var answersEvents = false
  /// The time for which it waits for the event connection; nil for as long as the head unit of this package.
  var eventPatience: Duration?
  /// Whether it never closes a connection.
  var neverCloses = false
  /// The number of connections after its death at which it works again; nil for never.
  var revives: Int?
  /// The number of control connections that it serves.
  var connections = Int.max
  /// Whether only whole requests in one segment are read.
  var needsWholeSegments = false
  /// Whether only the first request of a segment is read.
  var readsOneRequest = false
  /// Returns a command that the head unit sends after a request; nil for none.
  var reaction: @Sendable (RequestMessage) -> SessionCommand? = { _ in nil }
  /// Whether every phone is verified.
  var verifiesAll = false
}

/// The head unit of this package with a fault. It reads both directions of the control connections by the secrets that
/// the head unit reports for a key log.
struct TamperedHeadUnit: SessionMachine {
  typealias Machine = ProgrammedSession<HeadUnitProgram>

  private struct Connection {
    var secret: Secret?
    var fromPhone: FrameOpener?, toHeadUnit: FrameSealer?, fromHeadUnit: FrameOpener?, toPhone: FrameSealer?
    var requests = RequestReader(), answers = RequestReader()
    var pending: [RequestMessage] = []
  }

  private var machine: Machine
  private let tamper: Tamper
  private var connections: [Int: Connection] = [:]
  private var counts: [SessionSocket: Int] = [:]
  private var present = 0
  private var eventSealer: FrameSealer?
  private var ready: [SessionAction] = []
  private var isDead = false
  /// Whether it dies when its present actions are taken.
  private var isDying = false
  /// The connections since its death.
  private var refusedCount = 0
  private var sent: [SessionAction] = []
  /// The time at which it last listened for the event connection.
  private var eventsBound = MonotonicTime.zero

  init(_ machine: Machine, _ tamper: Tamper) { (self.machine, self.tamper) = (machine, tamper) }

  mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime) {
    if socket == .events { eventsBound = time }
    machine.bound(socket, port: port, at: time)
    pump()
  }

  mutating func connected(_ socket: SessionSocket, at time: MonotonicTime) {
    if case .control(let id) = socket {
      guard id <= tamper.connections, !isDead else {
        refusedCount += 1
        if refusedCount == tamper.revives { (isDead, refusedCount) = (false, 0) }
        return ready.append(.close(socket))
      }
      connections[id] = Connection()
    }
    if socket == .events, let patience = tamper.eventPatience, eventsBound.duration(to: time) > patience {
      ready.append(.close(.events))
    }
    machine.connected(socket, at: time)
    pump()
  }

  mutating func receive(_ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime) {
    guard !isDead, !tamper.drops(socket, bytes) else { return }
    counts[socket, default: 0] += 1
    if tamper.dies(socket, bytes, counts[socket] ?? 0) { return die(at: time) }
    if socket == .events, tamper.answersEvents { return answerEvents() }
    guard case .control(let id) = socket, var connection = connections[id] else {
      machine.receive(bytes, on: socket, from: port, at: time)
      return pump()
    }
    present = id
    if tamper.answersDamage, connection.toPhone != nil, bytes.starts(with: Array("GET".utf8)) {
      let answer = RequestMessage(.answer(status: 200, reason: "OK", protocolWord: "RTSP/1.0"))
      ready.append(.send(socket, connection.toPhone?.seal(answer.bytes) ?? []))
      connections[id] = connection
      return
    }
    do {
      connection.requests.add(try connection.fromPhone?.open(bytes) ?? bytes)
      while let request = try connection.requests.next() {
        if let own = tamper.respond(request) {
          if own.status != 0 { sent.append(.send(socket, connection.toPhone?.seal(own.bytes) ?? own.bytes)) }
        } else {
          connection.pending.append(request)
          connections[id] = connection
          machine.receive(
            connections[id]?.toHeadUnit?.seal(request.bytes) ?? request.bytes, on: socket, from: port, at: time)
          if let command = tamper.reaction(request) { machine.machine.send(command, at: time) }
          pump()
          connection = connections[id] ?? connection
        }
        if tamper.readsOneRequest { _ = connection.requests.takeRest() }
      }
      if tamper.needsWholeSegments, connection.requests.isWithinMessage { _ = connection.requests.takeRest() }
      connections[id] = connection
    } catch {
      if tamper.answersDamage {
        let answer = RequestMessage(.answer(status: 200, reason: "OK", protocolWord: "RTSP/1.0"))
        ready.append(.send(socket, connection.toPhone?.seal(answer.bytes) ?? answer.bytes))
        connections[id] = connection
      } else {
        connections[id] = nil
        machine.receive(bytes, on: socket, from: port, at: time)
        if tamper.diesOfAnswer(RequestMessage(.answer(status: 400, reason: "", protocolWord: "RTSP/1.0"))) {
          return die(at: time)
        }
      }
    }
    ready += sent
    sent = []
    pump()
    if isDying {
      isDying = false
      die(at: time)
    }
  }

  /// Sends an answer for each number that a request may have.
  private mutating func answerEvents() {
    guard let secret = connections[present]?.secret else { return }
    var sealer = eventSealer ?? FrameSealer(key: ChannelKeys.events(secret).headUnit)
    for number in 1...60 {
      let answer = RequestMessage(
        .answer(status: 200, reason: "OK", protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "\(number)")]))
      ready.append(.send(.events, sealer.seal(answer.bytes)))
    }
    eventSealer = sealer
  }

  private mutating func die(at time: MonotonicTime) {
    isDead = true
    for id in connections.keys {
      ready.append(.close(.control(id)))
      machine.closed(.control(id), at: time)
    }
    connections = [:]
    machine.stop(.stopped, at: time)
    pump()
  }

  /// Takes the actions of the head unit, with the fault.
  private mutating func pump() {
    for action in machine.takeActions() {
      switch action {
      case .log(let secret) where secret.procedure == .pairVerify:
        connections[present]?.secret = secret.secret
        ready.append(action)
      case .close where tamper.neverCloses && !isDead: break
      case .send(.events, _) where tamper.answersEvents: break
      case .send(let socket, let bytes):
        guard !tamper.mutes(socket, bytes) else { continue }
        if case .control(let id) = socket, connections[id] != nil {
          ready.append(contentsOf: answered(bytes, id))
        } else {
          ready.append(action)
        }
      case .sendDatagram(let socket, let bytes, _):
        if !tamper.mutes(socket, bytes) { ready.append(action) }
      default: ready.append(action)
      }
    }
  }

  private mutating func answered(_ bytes: [UInt8], _ id: Int) -> [SessionAction] {
    guard var connection = connections[id] else { return [] }
    defer { connections[id] = connection }
    var actions: [SessionAction] = []
    do {
      connection.answers.add(try connection.fromHeadUnit?.open(bytes) ?? bytes)
      while var answer = try connection.answers.next() {
        let request = connection.pending.isEmpty ? nil : connection.pending.removeFirst()
        let isVerified = request?.path == "/pair-verify" && Self.isEnd(answer)
        if let request { tamper.answer(request, &answer) }
        let isForced = tamper.verifiesAll && request?.path == "/pair-verify" && !isVerified && Self.state(answer) == 4
        if isForced { answer.body = TLV8([(.state, [4])]).bytes }
        if answer.status != 0 {
          actions.append(.send(.control(id), connection.toPhone?.seal(answer.bytes) ?? answer.bytes))
        }
        if tamper.diesOfAnswer(answer) { isDying = true }
        guard isVerified || isForced, let secret = connection.secret else { continue }
        let keys = ChannelKeys.control(secret)
        (connection.fromPhone, connection.toPhone) = (FrameOpener(key: keys.phone), FrameSealer(key: keys.headUnit))
        // A head unit that refused the phone goes on in the clear.
        guard !isForced else { continue }
        connection.toHeadUnit = FrameSealer(key: keys.phone)
        connection.fromHeadUnit = FrameOpener(key: keys.headUnit)
      }
    } catch {}
    return actions
  }

  /// The state of an answer of pairing.
  private static func state(_ answer: RequestMessage) -> UInt8? {
    do { return try TLV8(bytes: answer.body).byte(.state) } catch { return nil }
  }

  /// Whether an answer of pair-verify has state 4 and no error.
  private static func isEnd(_ answer: RequestMessage) -> Bool {
    do {
      let list = try TLV8(bytes: answer.body)
      return list.byte(.state) == 4 && list[.error] == nil
    } catch { return false }
  }

  mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime) {
    machine.writability(of: socket, isWritable, at: time)
    pump()
  }

  mutating func closed(_ socket: SessionSocket, at time: MonotonicTime) {
    if case .control(let id) = socket { connections[id] = nil }
    machine.closed(socket, at: time)
    pump()
  }

  mutating func stop(_ end: SessionEnd, at time: MonotonicTime) {
    machine.stop(end, at: time)
    pump()
  }

  mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime) {
    machine.signed(evidence, at: time)
    pump()
  }

  mutating func handleDeadline(at time: MonotonicTime) {
    machine.handleDeadline(at: time)
    pump()
  }

  var nextDeadline: MonotonicTime? { isDead ? nil : machine.nextDeadline }

  mutating func takeActions(into actions: inout [SessionAction]) {
    pump()
    actions.removeAll(keepingCapacity: true)
    swap(&actions, &ready)
  }
}

extension RequestMessage {
  var method: String {
    guard case .request(let method, _, _) = start else { return "" }
    return method
  }

  /// The dictionary of the body; empty without one.
  var entries: [String: PropertyValue] {
    do { return try SessionInfo(bytes: body).values } catch { return [:] }
  }

  /// Replaces the status.
  mutating func set(status: Int) { start = .answer(status: status, reason: "", protocolWord: "RTSP/1.0") }
}

/// The first of several bodies.
final class FirstAnswer: Sendable {
  private let body = Mutex<[UInt8]?>(nil)

  func first(_ next: [UInt8]) -> [UInt8] {
    body.withLock { body in
      body = body ?? next
      return body ?? next
    }
  }
}
