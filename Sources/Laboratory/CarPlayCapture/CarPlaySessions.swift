// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import IAP2
package import IAP2Capture

/// The reader of the CarPlay sessions in the packets of a capture.
///
/// A TCP connection is the control connection of a session if its first bytes are a request of one. The ports of the
/// other sockets follow from the answers to `SETUP`. What is encrypted is opened with the secrets of a key log, or of
/// the capture itself; without them sizes and times remain.
package struct CarPlaySessions: SessionReader {
  /// A TCP connection.
  private struct Connection: Sendable {
    enum Role: Sendable {
      case undecided, ignored
      /// The control connection of a session, or another socket of it.
      case control(Int)
      case socket(Int, Session.Socket)
      /// A connection between the sides of a session whose set-up cannot be read; its bytes so far.
      case unknown(Int, byteCount: Int)
    }

    /// The end that connected, or that sent first.
    var client: [UInt8]
    var server: [UInt8]
    var role = Role.undecided
    var fromClient = TCPOrder(), fromServer = TCPOrder()

    mutating func exchange() {
      (client, server) = (server, client)
      (fromClient, fromServer) = (fromServer, fromClient)
    }
  }

  private struct Ends: Hashable {
    let low, high: [UInt8]

    init(_ one: [UInt8], _ other: [UInt8]) {
      (low, high) = one.lexicographicallyPrecedes(other) ? (one, other) : (other, one)
    }
  }

  private var secrets: SessionSecrets
  let extract: Extraction?
  private var connections: [Connection] = []
  private var index: [Ends: Int] = [:]
  var sessions: [Session] = []
  /// The sockets of sessions by the end that listens: a TCP port of the head unit.
  private var listeners: [[UInt8]: (session: Int, socket: Session.Socket)] = [:]
  /// The sockets of sessions by the end that receives datagrams.
  private var receivers: [[UInt8]: (session: Int, socket: Session.Socket)] = [:]
  /// The long-term keys of all sides by their identifiers.
  private var known: [String: [UInt8]] = [:]
  private var readings: [SessionReading] = []

  /// The most connections and sessions of a capture; a longer one has its first ones.
  private static let maximumConnections = 65_536, maximumSessions = 4096

  /// - Parameters:
  ///   - secrets: The secrets of a key log.
  ///   - extract: Receives the content of streams; nil for none.
  package init(_ secrets: SessionSecrets = SessionSecrets(), extract: Extraction? = nil) {
    (self.secrets, self.extract) = (secrets, extract)
  }

  package mutating func takeFindings() -> [SessionReading] {
    defer { readings = [] }
    return readings
  }

  package mutating func take(secrets text: [UInt8], at moment: CaptureMoment) { secrets.add(text) }

  package mutating func finish(at moment: CaptureMoment) {
    for number in connections.indices {
      for isClient in [true, false] {
        while let bytes = isClient ? connections[number].fromClient.flush() : connections[number].fromServer.flush() {
          take(bytes, of: number, isClient: isClient, followsGap: true, at: moment)
        }
      }
    }
    for session in sessions.indices { summarizeSound(of: session, at: moment, isEnd: true) }
    for number in connections.indices { reportUnknown(number, at: moment) }
  }

  // MARK: Packets

  package mutating func take(_ bytes: RawSpan, from start: Int, at moment: CaptureMoment) {
    if let segment = TCPSegment(bytes, from: start) {
      take(segment, bytes, at: moment)
    } else if !receivers.isEmpty, let datagram = UDPDatagram(bytes, from: start) {
      guard let (session, socket) = receivers[datagram.destination] else { return }
      take([UInt8](copying: bytes.extracting(datagram.data)), session, socket, at: moment)
    }
  }

  private mutating func take(_ segment: TCPSegment, _ bytes: RawSpan, at moment: CaptureMoment) {
    let ends = Ends(segment.source, segment.destination)
    if segment.begins { begin(segment, ends) }
    let number: Int
    if let present = index[ends] {
      number = present
    } else {
      // A capture that begins later has no handshake.
      guard !segment.data.isEmpty, connections.count < Self.maximumConnections else { return }
      number = connections.count
      index[ends] = number
      connections.append(Connection(client: segment.source, server: segment.destination))
    }
    if case .ignored = connections[number].role { return }
    let isClient = segment.source == connections[number].client
    if let acknowledged = segment.acknowledgement {
      let releases = segment.data.isEmpty
      let lost =
        isClient
        ? connections[number].fromServer.acknowledge(acknowledged, releases: releases)
        : connections[number].fromClient.acknowledge(acknowledged, releases: releases)
      if let lost { take(lost, of: number, isClient: !isClient, followsGap: true, at: moment) }
    }
    if !segment.data.isEmpty {
      let taken =
        isClient
        ? connections[number].fromClient.take(segment, bytes) : connections[number].fromServer.take(segment, bytes)
      switch taken?.piece {
      case .segment(let range)?:
        let piece = [UInt8](copying: bytes.extracting(range))
        take(piece, of: number, isClient: isClient, followsGap: taken?.followsGap == true, at: moment)
      case .joined(let piece)?:
        take(piece, of: number, isClient: isClient, followsGap: taken?.followsGap == true, at: moment)
      case nil: break
      }
    }
    if segment.ends { end(number, byClient: isClient, at: moment) }
  }

  private mutating func begin(_ segment: TCPSegment, _ ends: Ends) {
    let isQuestion = segment.acknowledgement == nil
    if isQuestion || index[ends] == nil {
      guard connections.count < Self.maximumConnections else { return }
      index[ends] = connections.count
      connections.append(
        isQuestion
          ? Connection(client: segment.source, server: segment.destination)
          : Connection(client: segment.destination, server: segment.source))
    }
    guard let number = index[ends] else { return }
    let order = TCPOrder(next: segment.sequence &+ 1)
    if segment.source == connections[number].client {
      connections[number].fromClient = order
    } else {
      connections[number].fromServer = order
    }
  }

  private mutating func end(_ number: Int, byClient: Bool, at moment: CaptureMoment) {
    reportUnknown(number, at: moment)
    switch connections[number].role {
    case .control(let session):
      summarizeSound(of: session, at: moment, isEnd: true)
      add(
        .stream, "the control connection ends", [.init(.socket, .text("control"))], session,
        byClient ? .phone : .headUnit, moment)
      release(session)
    case .socket(let session, let socket):
      let name = self.name(of: socket, session)
      add(.stream, "\(name) ends", [.init(.socket, .text(name))], session, byClient ? .phone : .headUnit, moment)
    case .undecided, .ignored, .unknown: break
    }
    connections[number].role = .ignored
  }

  /// Forgets what only a running session needs: a capture may have thousands of sessions.
  private mutating func release(_ session: Int) {
    sessions[session].release()
    listeners = listeners.filter { $0.value.session != session }
    receivers = receivers.filter { $0.value.session != session }
  }

  /// Reports a connection whose purpose is not known.
  private mutating func reportUnknown(_ number: Int, at moment: CaptureMoment) {
    guard case .unknown(let session, let byteCount) = connections[number].role else { return }
    connections[number].role = .ignored
    let port = connections[number].server.suffix(2).reduce(0) { $0 << 8 | Int($1) }
    add(
      .sealed, "a connection to port \(port): \(byteCount) bytes; the set-up that names it cannot be read",
      [.init(.byteCount, .integer(Int128(byteCount)))], session, .phone, moment)
  }

  // MARK: Connections

  private mutating func take(
    _ bytes: [UInt8], of number: Int, isClient: Bool, followsGap: Bool, at moment: CaptureMoment
  ) {
    if case .undecided = connections[number].role { decide(number, bytes, isClient: isClient, at: moment) }
    switch connections[number].role {
    case .undecided, .ignored: break
    case .control(let session):
      let side: SessionSide = isClient ? .phone : .headUnit
      let result = sessions[session].control[side].take(bytes, followsGap: followsGap)
      read(result, of: session, isControl: true, from: side, at: moment)
    case .socket(let session, let socket):
      take(bytes, session, socket, from: isClient ? .phone : .headUnit, followsGap: followsGap, at: moment)
    case .unknown(let session, let byteCount):
      connections[number].role = .unknown(session, byteCount: byteCount + bytes.count)
    }
  }

  /// Decides what a connection is by its port, or by its first bytes.
  private mutating func decide(_ number: Int, _ bytes: [UInt8], isClient: Bool, at moment: CaptureMoment) {
    let connection = connections[number]
    if let (session, socket) = listeners[connection.server] {
      connections[number].role = .socket(session, socket)
      let name = self.name(of: socket, session)
      add(.stream, "\(name) begins", [.init(.socket, .text(name))], session, .phone, moment)
      return
    }
    if ControlRequest.begins(bytes), sessions.count < Self.maximumSessions {
      // Without a handshake in the capture, the sender of a request is the client.
      if !isClient {
        connections[number].exchange()
      }
      connections[number].role = .control(sessions.count)
      sessions.append(
        Session(phone: connections[number].client.dropLast(2), headUnit: connections[number].server.dropLast(2)))
      return
    }
    let ends = (Array(connection.client.dropLast(2)), Array(connection.server.dropLast(2)))
    guard
      let session = sessions.lastIndex(where: {
        ($0.phone, $0.headUnit) == ends && $0.control.headUnit.isOpaque
      })
    else {
      connections[number].role = .ignored
      return
    }
    // The headers of a screen are in the clear, so it is known by its first message.
    if isClient, ScreenTrace.begins(bytes) {
      let stream = sessions[session].streams.count
      sessions[session].streams.append(Stream(StreamBody(.screen), nil, number: nil))
      connections[number].role = .socket(session, .stream(stream))
      add(.stream, "screen begins", [.init(.socket, .text("screen"))], session, .phone, moment)
    } else {
      connections[number].role = .unknown(session, byteCount: 0)
    }
  }

  private func name(of socket: Session.Socket, _ session: Int) -> String {
    switch socket {
    case .events: "events"
    case .clock: "clock"
    case .keepAlive: "keep-alive"
    case .stream(let stream), .sound(let stream, _), .soundControl(let stream, _):
      sessions[session].streams[stream].name
    }
  }

  mutating func add(
    _ layer: SessionFinding.Layer, _ text: String, _ fields: [SessionFinding.Field] = [], body: FindingTree? = nil,
    _ session: Int, _ side: SessionSide, _ moment: CaptureMoment
  ) {
    readings.append(
      SessionReading(
        .finding(SessionFinding(layer, text, fields, body: body)), at: moment, from: Side(side), session: session))
  }

  // MARK: Messages

  /// Reads what a piece of the control or event connection gave.
  mutating func read(
    _ result: Direction.Result, of session: Int, isControl: Bool, from side: SessionSide, at moment: CaptureMoment
  ) {
    let socket = isControl ? "control" : "events"
    switch result {
    case .messages(let messages):
      for message in messages { take(message, session, isControl: isControl, side, at: moment) }
    case .frames(let count, let byteCount):
      guard count > 0 || byteCount > 0 else { return }
      add(
        .sealed, "\(socket): \(count) sealed frame\(count == 1 ? "" : "s"), \(byteCount) bytes",
        [.init(.socket, .text(socket)), .init(.byteCount, .integer(Int128(byteCount)))], session, side, moment)
    case .end(let messages, let reason):
      read(.messages(messages), of: session, isControl: isControl, from: side, at: moment)
      add(
        .problem, "\(socket): \(reason)", [.init(.socket, .text(socket)), .init(.reason, .text(reason))], session, side,
        moment)
    }
  }

  private mutating func take(
    _ message: RequestMessage, _ session: Int, isControl: Bool, _ side: SessionSide, at moment: CaptureMoment
  ) {
    let socket = isControl ? "control" : "events"
    var fields: [SessionFinding.Field] = [.init(.socket, .text(socket))]
    if let sequence = message.sequence { fields.append(.init(.cseq, .text(sequence))) }
    fields += message.headers.fields.filter { $0.name.lowercased() != "cseq" }
      .map { .init(.header, .text("\($0.name): \($0.value)")) }
    let request: RequestMessage?
    var words: String
    switch message.start {
    case .request(let method, let path, _):
      request = message
      if isControl { sessions[session].control.note(message) } else { sessions[session].events?.note(message) }
      words = "\(method) \(path)"
      fields += [.init(.method, .text(method)), .init(.path, .text(path))]
    case .answer(let status, let reason, _):
      request =
        isControl ? sessions[session].control.request(of: message) : sessions[session].events?.request(of: message)
      words = "\(status)\(reason.isEmpty ? "" : " \(reason)")"
      fields.append(.init(.statusCode, .integer(Int128(status))))
      if case .request(let method, let path, _)? = request?.start {
        words += " to \(method) \(path)"
        fields += [.init(.method, .text(method)), .init(.path, .text(path))]
      }
    }
    let read = body(of: message, to: request, session, side, at: moment)
    let isRequest = if case .request = message.start { true } else { false }
    add(
      isRequest ? .request : .answer, words + (read.words.isEmpty ? "" : ", \(read.words)"), fields + read.fields,
      body: read.tree, session, side, moment)
    if !isRequest, let request { apply(message, to: request, session, isControl: isControl, at: moment) }
    if let link = read.link { addLink(link, session, side, moment) }
  }

  /// Adds bytes of iAP2 inside a session.
  mutating func addLink(_ bytes: [UInt8], _ session: Int, _ side: SessionSide, _ moment: CaptureMoment) {
    readings.append(SessionReading(.link(bytes), at: moment, from: Side(side), session: session))
  }

  /// The content of a message.
  private struct Body {
    var words = ""
    var fields: [SessionFinding.Field] = []
    var tree: FindingTree?
    /// Bytes of iAP2.
    var link: [UInt8]?
  }

  private mutating func body(
    of message: RequestMessage, to request: RequestMessage?, _ session: Int, _ side: SessionSide,
    at moment: CaptureMoment
  ) -> Body {
    guard !message.body.isEmpty else { return Body() }
    let path = request?.path ?? ""
    if path == "/pair-setup" || path == "/pair-verify" {
      if let read = sessions[session].pairing.read(
        message.body, isSetup: path == "/pair-setup", from: side, secrets, known: &known)
      {
        return Body(words: read.words, fields: read.fields, tree: read.tree)
      }
      return Body(words: "the body is no list of pairing", tree: .value(.bytes(message.body)))
    }
    guard message.body.starts(with: Array("bplist".utf8)) else { return plain(message, path, session, side) }
    do throws(PropertyListProblem) {
      let value = try PropertyValue(binary: message.body)
      var body = Body(tree: FindingTree(value))
      guard case .dictionary(let values) = value, case .request = message.start, path == "/command" else {
        if case .request = message.start, let streams = StreamList(propertyValue: value)?.streams {
          body.words = streams.map { $0.type?.name ?? "unknown type" }.joined(separator: ", ")
        }
        return body
      }
      let command = CommandBody(values: values)
      guard let known = command.command else { return Body(words: "a command without a name", tree: body.tree) }
      let text = SessionEvent.command(known, command, from: side).record(of: side)?["value"].map { " \($0.word)" } ?? ""
      body.words = known.name + text
      switch known {
      case .iAP(let bytes): body.link = bytes
      case .inputReport(let device, let report):
        if let words = sessions[session].words(ofReport: report, device: device) { body.words += ", \(words)" }
      default: break
      }
      return body
    } catch {
      return Body(
        words: "the property list cannot be read: \(error)", fields: [.init(.reason, .text("\(error)"))],
        tree: .value(.bytes(message.body)))
    }
  }

  /// Reads a body that is neither pairing nor a property list.
  private mutating func plain(
    _ message: RequestMessage, _ path: String, _ session: Int, _ side: SessionSide
  ) -> Body {
    if path == "/auth-setup" { return authSetup(message.body, session, side) }
    if let text = String(validating: message.body, as: UTF8.self),
      text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || $0 == "\r" || $0 == "\n" })
    {
      return Body(tree: .value(.text(text)))
    }
    return Body(words: "\(message.body.count) bytes", tree: .value(.bytes(message.body)))
  }

  /// Reads the proof of the coprocessor (CarPlaySession.md#auth-setup).
  private mutating func authSetup(_ body: [UInt8], _ session: Int, _ side: SessionSide) -> Body {
    guard side == .headUnit else {
      if body.count == 33 { sessions[session].authSetupKey = Array(body.dropFirst()) }
      return Body(
        words: "version \(body.first ?? 0)",
        tree: .group([
          .init("version", .value(.integer(Int128(body.first ?? 0)))),
          .init("publicKey", .value(.bytes(Array(body.dropFirst())))),
        ]))
    }
    guard let parts = AuthSetupParts(body) else {
      return Body(words: "the parts do not fit the body", tree: .value(.bytes(body)))
    }
    sessions[session].authSetup = secrets.secret(of: .authSetup, sessions[session].authSetupKey)
    sessions[session].signatureByteCount = parts.signature.count
    var entries: [FindingTree.Entry] = [
      .init("publicKey", .value(.bytes(parts.publicKey))), .init("certificate", .value(.bytes(parts.certificate))),
    ]
    let secret = sessions[session].authSetup
    let signature = secret.map { AuthSetupInspection.decrypt(parts.signature, secret: $0) } ?? parts.signature
    entries.append(.init(secret == nil ? "encryptedSignature" : "signature", .value(.bytes(signature))))
    return Body(
      words: "certificate of \(parts.certificate.count) bytes, signature of \(parts.signature.count)",
      tree: .group(entries))
  }

  // MARK: Effects

  /// Follows an answer: keys, ports, descriptors.
  private mutating func apply(
    _ answer: RequestMessage, to request: RequestMessage, _ session: Int, isControl: Bool, at moment: CaptureMoment
  ) {
    guard isControl, case .answer(let status, _, _) = answer.start, case .request(let method, _, _) = request.start,
      status == 200
    else { return }
    switch (method, request.path) {
    case ("POST", "/pair-verify"): encryptIfVerified(answer, session, at: moment)
    case (_, "/info"): if let info = body(answer, as: SessionInfo.self) { sessions[session].take(info: info) }
    case ("SETUP", _): setUp(request, answer, session)
    case ("TEARDOWN", _): summarizeSound(of: session, at: moment, isEnd: true)
    default: break
    }
  }

  private func body<Body: PropertyBody>(_ message: RequestMessage, as type: Body.Type) -> Body? {
    do { return try Body(bytes: message.body) } catch { return nil }
  }

  private mutating func encryptIfVerified(_ answer: RequestMessage, _ session: Int, at moment: CaptureMoment) {
    let list: TLV8
    do { list = try TLV8(bytes: answer.body) } catch { return }
    guard list.byte(.state) == 4, list.byte(.error) == nil else { return }
    let secret = sessions[session].pairing.secret
    let keys = secret.map(ChannelKeys.control)
    if keys == nil {
      let reason = "no key log has the secret of this pair-verify, so sizes and times remain"
      add(
        .problem, "from here on the session is encrypted: \(reason)", [.init(.reason, .text(reason))], session,
        .headUnit, moment)
    }
    for side in SessionSide.allCases {
      let rest = sessions[session].control[side].encrypt(key: side == .phone ? keys?.phone : keys?.headUnit)
      read(rest, of: session, isControl: true, from: side, at: moment)
    }
  }

  private mutating func setUp(_ request: RequestMessage, _ answer: RequestMessage, _ session: Int) {
    guard let asked = body(request, as: StreamList.self), let given = body(answer, as: StreamList.self) else { return }
    guard asked.hasStreams else {
      setUpSession(SessionSetUpRequest(values: asked.values), SessionSetUpAnswer(values: given.values), session)
      return
    }
    for (index, stream) in (asked.streams ?? []).enumerated() {
      let answers = given.streams ?? []
      // An answer has the streams in the order of the request.
      guard answers.indices.contains(index) else { continue }
      setUp(stream, answers[index], session)
    }
  }

  private mutating func setUpSession(_ asked: SessionSetUpRequest, _ given: SessionSetUpAnswer, _ session: Int) {
    let present = sessions[session]
    if let secret = present.pairing.secret {
      sessions[session].protection = .verified(secret)
    } else if let secret = present.authSetup, let key = asked.encryptedKey, let vector = asked.initializationVector {
      let bytes = AuthSetupInspection.decrypt(key, at: present.signatureByteCount, secret: secret)
      sessions[session].protection = SessionKey(
        bytes: Secret(bytes), initializationVector: vector,
        encryptsSound: !present.features.contains(.unencryptedAudio)
      ).map { .unverified($0) }
    }
    if let port = given.eventPort {
      listeners[present.headUnit + bytes(port)] = (session, .events)
      let isClear = present.pairing.secret == nil && !present.control.headUnit.isOpaque
      sessions[session].events = isClear ? Session.Channel() : Session.Channel(events: present.pairing.secret)
    }
    if let port = given.timingPort { receivers[present.headUnit + bytes(port)] = (session, .clock(.headUnit)) }
    if let port = asked.timingPort { receivers[present.phone + bytes(port)] = (session, .clock(.phone)) }
    if let port = given.keepAlivePort { receivers[present.headUnit + bytes(port)] = (session, .keepAlive) }
  }

  private mutating func setUp(_ asked: StreamBody, _ given: StreamBody, _ session: Int) {
    let (phone, headUnit) = (sessions[session].phone, sessions[session].headUnit)
    let stream = sessions[session].streams.count
    sessions[session].streams.append(
      Stream(asked, sessions[session].protection, number: asked.values["type"]?.integer.map(Int.init)))
    let family = asked.type?.family
    if let port = given.dataPort {
      if family == .audio {
        receivers[headUnit + bytes(port)] = (session, .sound(stream, to: .headUnit))
      } else {
        listeners[headUnit + bytes(port)] = (session, .stream(stream))
      }
    }
    guard family == .audio else { return }
    if let port = given.controlPort {
      receivers[headUnit + bytes(port)] = (session, .soundControl(stream, to: .headUnit))
    }
    if let port = asked.controlPort { receivers[phone + bytes(port)] = (session, .soundControl(stream, to: .phone)) }
    if let port = asked.dataPort { receivers[phone + bytes(port)] = (session, .sound(stream, to: .phone)) }
  }

  private func bytes(_ port: UInt16) -> [UInt8] { [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)] }
}

/// The first bytes of a control connection.
enum ControlRequest {
  private static let paths = [
    "/pair-setup", "/pair-verify", "/pair-pin-start", "/auth-setup", "/info", "/command", "/feedback", "/ctrl-int/",
  ]

  /// Returns whether bytes begin a request of a session. Requests with the word HTTP/1.1 must have one of its paths.
  static func begins(_ bytes: [UInt8]) -> Bool {
    // Behind the first line any bytes may follow.
    guard let line = String(validating: bytes.prefix(512).prefix { $0 != 0x0D && $0 != 0x0A }, as: UTF8.self) else {
      return false
    }
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy({ $0.isUppercase || $0 == "_" }) else {
      return false
    }
    return words[2] == "RTSP/1.0" || words[2] == "HTTP/1.1" && paths.contains { words[1].hasPrefix($0) }
  }
}

/// The parts of an answer to auth-setup.
private struct AuthSetupParts {
  let publicKey, certificate, signature: [UInt8]

  /// Fails for bytes that end within a part, or behind the last one.
  init?(_ body: [UInt8]) {
    var rest = body[...]
    func part(_ count: Int) -> [UInt8]? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func counted() -> [UInt8]? { part(4).flatMap { part($0.reduce(0) { $0 << 8 | Int($1) }) } }
    guard let key = part(32), let certificate = counted(), let signature = counted(), rest.isEmpty else { return nil }
    (publicKey, self.certificate, self.signature) = (key, certificate, signature)
  }
}
