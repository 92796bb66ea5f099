// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2
package import IAP2Capture

/// The reader of the CarPlay sessions in the packets of a capture.
///
/// A TCP connection is the control connection of a session if its first bytes are a request of one. The ports of the
/// other sockets follow from the answers to `SETUP`. What is encrypted is opened with the secrets of a key log, or of
/// the capture itself; without them sizes and times remain.
package struct CarPlaySessions: SessionReader {
  private struct Ends: Hashable {
    let low, high: [UInt8]

    init(_ one: [UInt8], _ other: [UInt8]) {
      (low, high) = one.lexicographicallyPrecedes(other) ? (one, other) : (other, one)
    }
  }

  var secrets: SessionSecrets
  let extract: Extraction?
  let recorder: CarPlayRecorder?
  let explains: Bool
  private let sortsPackets: Bool
  private let reportsFindings: Bool
  /// Whether a finding was reported.
  private var hasReported = false
  /// The copy of the capture with its sessions in the clear; nil for none.
  var copy: DecryptedCopy?
  /// Whether the sessions of the capture are in the clear.
  private(set) var isDecrypted = false
  /// The mark of the present packet, if the sessions are in the clear.
  private(set) var mark: DecryptedMark?
  /// Whether key logs have secrets, and whether a packet in a copy in the clear is sealed.
  let hasKeyLog: Bool
  private var hasSealedPackets = false
  /// The work for the search of frames that is left.
  var budget = SearchBudget()
  var connections: [Connection] = []
  private var index: [Ends: Int] = [:]
  /// The ends that all connections of two addresses have: one or two.
  private var sharedEnds: [Ends: Set<[UInt8]>] = [:]
  /// Whether a side of the sessions recorded the capture, so that it has all their connections.
  private var isOwn = false
  var sessions: [Session] = []
  /// The sockets of sessions by the end that listens: a TCP port of the head unit.
  var listeners: [[UInt8]: (session: Int, socket: Session.Socket)] = [:]
  /// The sockets of sessions by the end that receives datagrams.
  var receivers: [[UInt8]: (session: Int, socket: Session.Socket)] = [:]
  /// The long-term keys of all sides by their identifiers.
  var known: [String: [UInt8]] = [:]
  private var readings: [SessionReading] = []
  /// The connections that may be sessions whose beginning the capture lacks.
  package internal(set) var lateSessions: [CaptureNotice] = []
  /// The connection whose waiting packets may be taken, behind the present packet.
  var due: (number: Int, isForced: Bool)?
  /// The sessions whose explanations wait for a packet of their event connections.
  var departed: [Departed] = []
  /// The datagrams of sessions whose set-up cannot be read, by their ends: the sender and the receiver.
  var sealedFlows: [[UInt8]: SealedFlow] = [:]
  /// The packets that wait for their turn.
  var queue = PacketQueue()
  /// The packets with a wrong checksum.
  var damaged = DamagedPackets()
  /// The announcements and the control requests.
  var discovery = DiscoveryStory()

  /// The most connections and sessions of a capture; a longer one has its first ones.
  private static let maximumConnections = 65_536
  static let maximumSessions = 4096

  /// - Parameters:
  ///   - secrets: The secrets of a key log.
  ///   - extract: Receives the content of streams; nil for none.
  ///   - recorder: Records one of the sessions; nil for none.
  ///   - copy: Receives a copy of the capture with its sessions in the clear; nil for none.
  ///   - explains: Whether each session is explained at its end.
  ///   - sortsPackets: Whether packets are read in the order of their times. Their findings then come later.
  ///   - reportsFindings: Whether findings are reported. Otherwise only the first one is, which shows that the capture
  ///     has a session, and what findings alone need is not read.
  package init(
    _ secrets: SessionSecrets = SessionSecrets(), extract: Extraction? = nil, recorder: CarPlayRecorder? = nil,
    copy: DecryptedOutput? = nil, explains: Bool = false, sortsPackets: Bool = false,
    reportsFindings: Bool = true
  ) {
    (self.secrets, self.extract, self.recorder) = (secrets, extract, recorder)
    hasKeyLog = secrets.count > 0
    // A copy has all that findings have.
    (self.explains, self.reportsFindings) = (explains, reportsFindings || copy != nil)
    self.sortsPackets = sortsPackets
    self.copy = copy.map { DecryptedCopy($0) }
  }

  /// Whether the next finding is reported.
  var wantsFinding: Bool { reportsFindings || !hasReported }
  /// Whether the words of messages, and what they need, are of use.
  var needsWords: Bool { wantsFinding || explains }
  /// Whether the content of pictures and of sound is of use.
  var needsContent: Bool { needsWords || extract != nil || recorder != nil || copy != nil }

  package mutating func takeFindings() -> [SessionReading] {
    defer { readings = [] }
    return readings
  }

  package mutating func take(secrets text: [UInt8]) { secrets.add(text) }

  package var isSealedCopy: Bool { isDecrypted && hasKeyLog && hasSealedPackets }

  package mutating func takeOwnMark() {
    takeQueue()
    isOwn = true
  }

  package mutating func takeDecryptedMark() {
    takeQueue()
    isDecrypted = true
    copy?.output.take(.isDecrypted)
  }

  package mutating func finish(at moment: CaptureMoment) {
    takeQueue()
    for number in connections.indices {
      takeWaiting(of: number, isForced: true)
      for isClient in [true, false] {
        while let bytes = isClient ? connections[number].fromClient.flush() : connections[number].fromServer.flush() {
          take(bytes, of: number, isClient: isClient, followsGap: true, at: moment)
        }
      }
    }
    for number in connections.indices { copyRest(of: number) }
    for session in sessions.indices {
      summarizeSound(of: session, at: moment, isEnd: true)
      reportLosses(of: session, at: moment)
      if !sessions[session].isOver { extractEnd(of: session) }
    }
    for number in connections.indices {
      reportUnknown(number, at: moment)
      noteLate(number)
    }
    explainAllDeparted()
    for session in sessions.indices {
      reportResumptions(of: session, at: moment)
      prepareStory(of: session)
      explain(session, at: moment)
    }
    if explains { explainDiscovery(at: moment) }
  }

  /// Reports the explanation of a session, once.
  mutating func explain(_ session: Int, at moment: CaptureMoment) {
    guard let story = sessions[session].story else { return }
    sessions[session].story = nil
    add(story.explanation(at: moment), session, moment)
  }

  /// Notes what the capture has of a session's other connections.
  mutating func prepareStory(of session: Int) {
    judgeWindows(of: session)
    guard var story = sessions[session].story else { return }
    story.seesAllConnections = seesAllConnections(of: session)
    story.lacksDatagrams = lacksDatagrams(of: session)
    story.damagedPackets = damagedPackets(of: session)
    story.disorder = disorder(of: session)
    sessions[session].story = story
  }

  mutating func add(_ explanation: SessionExplanation, _ session: Int, _ moment: CaptureMoment) {
    readings.append(SessionReading(.explanation(explanation), at: moment, from: .device, session: session))
  }

  // MARK: Packets

  package mutating func take(other bytes: RawSpan, linkType: UInt16, comment: String?, at moment: CaptureMoment) {
    copy?.add(other: bytes, linkType: linkType, comment: comment, at: moment)
  }

  package mutating func take(_ bytes: RawSpan, from start: Int, comment: String?, at moment: CaptureMoment) {
    guard sortsPackets, let time = moment.nanoseconds else {
      return takeNow(bytes, from: start, comment: comment, at: moment)
    }
    enqueue(bytes, from: start, comment: comment, at: moment, time)
  }

  mutating func takeNow(_ bytes: RawSpan, from start: Int, comment: String?, at moment: CaptureMoment) {
    read(bytes, from: start, comment: comment, at: moment, canWait: true)
    guard let (number, isForced) = due else { return }
    due = nil
    takeWaiting(of: number, isForced: isForced)
  }

  /// - Parameter canWait: Whether the packet may wait for one of the other side.
  mutating func read(
    _ bytes: RawSpan, from start: Int, comment: String?, at moment: CaptureMoment, canWait: Bool
  ) {
    mark = isDecrypted ? comment.flatMap(DecryptedMark.init) : nil
    if let mark, mark != .incomplete, mark.isSealed { hasSealedPackets = true }
    let segment = TCPSegment(bytes, from: start)
    if !departed.isEmpty { explainDeparted(by: segment, at: moment) }
    let ends = segment.map { Ends($0.source, $0.destination) }
    if canWait, leavesOut(segment, ends.flatMap { index[$0] }, bytes, from: start, at: moment) { return }
    if canWait, let segment, let number = ends.flatMap({ index[$0] }),
      wait(segment, bytes, from: start, comment: comment, number, at: moment)
    {
      return
    }
    copy?.begin(bytes, from: start, comment: comment, at: moment)
    defer { copy?.end() }
    if let segment, let ends {
      take(segment, ends, bytes, hasWaited: !canWait, at: moment)
    } else if let datagram = UDPDatagram(bytes, from: start) {
      if datagram.destination.suffix(2) == DiscoveryStory.bonjourPort {
        takeBonjour(
          [UInt8](copying: bytes.extracting(datagram.data)), from: datagram.source(in: bytes).dropLast(2), at: moment)
      } else if let (session, socket) = receivers[datagram.destination] {
        let taken = [UInt8](copying: bytes.extracting(datagram.data))
        sessions[session].hasDatagrams = true
        if datagram.isCut { sessions[session].story?.cutCount += 1 }
        if let (plain, mark) = take(taken, session, socket, isCut: datagram.isCut, at: moment) {
          let source = DecryptedOutput.Source(session: session, name: name(of: socket, session))
          copy?.replace(plain, mark, datagram, from: datagram.source(in: bytes), of: source)
        }
      } else if !sessions.isEmpty {
        takeSealed(datagram, in: bytes, at: moment)
      }
    }
  }

  // MARK: Connections

  /// - Parameter hasWaited: Whether the packet waited for packets of the other side. What it acknowledges is not captured
  ///   if it has not come by now.
  private mutating func take(
    _ segment: TCPSegment, _ ends: Ends, _ bytes: RawSpan, hasWaited: Bool, at moment: CaptureMoment
  ) {
    if segment.begins { begin(segment, ends, at: moment) }
    let number: Int
    if let present = index[ends] {
      number = present
    } else {
      // A capture that begins later has no handshake.
      guard !segment.data.isEmpty, connections.count < Self.maximumConnections else {
        notePresence(of: segment, at: moment)
        return
      }
      number = connections.count
      index[ends] = number
      append(Connection(client: segment.source, server: segment.destination))
    }
    copy?.follow(segment, number)
    if case .ignored = connections[number].role {
      copy?.addUnread(segment, bytes, number)
      return
    }
    let isClient = segment.source == connections[number].client
    if let acknowledged = segment.acknowledgement {
      let order = isClient ? connections[number].fromServer : connections[number].fromClient
      if order.lacks(acknowledged) {
        noteGap(of: number, from: isClient ? .headUnit : .phone)
        copy?.noteLack()
      }
      noteAcceptance(segment, number, at: moment)
      let releases = segment.data.isEmpty || hasWaited
      let lost =
        isClient
        ? connections[number].fromServer.acknowledge(acknowledged, releases: releases)
        : connections[number].fromClient.acknowledge(acknowledged, releases: releases)
      if let lost { take(lost, of: number, isClient: !isClient, followsGap: true, at: moment) }
    }
    noteWindow(segment, number, at: moment)
    if segment.isCut { noteCut(number) }
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
    guard segment.ends else { return }
    let order = isClient ? connections[number].fromClient : connections[number].fromServer
    // FIN counts as one byte, and is behind all others.
    if !segment.isReset, order.lacks(segment.sequence &+ UInt32(segment.data.count) &+ 1) {
      noteGap(of: number, from: isClient ? .phone : .headUnit)
    }
    end(number, byClient: isClient, isReset: segment.isReset, at: moment)
  }

  private mutating func begin(_ segment: TCPSegment, _ ends: Ends, at moment: CaptureMoment) {
    let isQuestion = segment.acknowledgement == nil
    if isQuestion || index[ends] == nil {
      guard connections.count < Self.maximumConnections else { return }
      index[ends] = connections.count
      append(
        isQuestion
          ? Connection(client: segment.source, server: segment.destination)
          : Connection(client: segment.destination, server: segment.source))
    }
    guard let number = index[ends] else { return }
    connections[number].hasBeginning = true
    if isQuestion { connections[number].began = moment }
    noteWay(number, isQuestion: isQuestion, at: moment)
    let order = TCPOrder(next: segment.sequence &+ 1)
    // Without the SYN, what the server acknowledges is the place of the client's first byte.
    if !isQuestion, connections[number].began == nil, !connections[number].fromClient.hasBegun {
      connections[number].fromClient = TCPOrder(next: segment.acknowledgement)
    }
    if segment.source == connections[number].client {
      connections[number].fromClient = order
    } else {
      connections[number].fromServer = order
    }
  }

  private mutating func append(_ connection: Connection) {
    connections.append(connection)
    let (one, other) = (connection.client, connection.server)
    let addresses = Ends(one.dropLast(2), other.dropLast(2))
    sharedEnds[addresses] = (sharedEnds[addresses] ?? [one, other]).intersection([one, other])
  }

  /// Returns whether the capture would have any connection between the sides of a session: a side recorded it, or it has
  /// one without the end that accepted the control connection. A filter of ports leaves out all of those.
  private func seesAllConnections(of session: Int) -> Bool {
    let addresses = Ends(sessions[session].phone, sessions[session].headUnit)
    return isOwn || !lacksDatagrams(of: session) && sharedEnds[addresses]?.contains(sessions[session].server) != true
  }

  /// Returns whether the set-up of a session names ports of UDP, and the capture has no datagram to any of them: a filter
  /// left them out.
  private func lacksDatagrams(of session: Int) -> Bool {
    !sessions[session].hasDatagrams && receivers.values.contains { $0.session == session }
  }

  private mutating func end(_ number: Int, byClient: Bool, isReset: Bool, at moment: CaptureMoment) {
    copyRest(of: number)
    judgeWindow(of: number)
    reportUnknown(number, at: moment)
    switch connections[number].role {
    case .control(let session):
      if copy != nil {
        for other in connections.indices where connections[other].belongs(to: session) { copyRest(of: other) }
      }
      summarizeSound(of: session, at: moment, isEnd: true)
      reportLosses(of: session, at: moment)
      extractEnd(of: session)
      reportResumptions(of: session, at: moment)
      for side in SessionSide.allCases where sessions[session].control.directions[side].isWithinUnit {
        sessions[session].story?.partial.insert(side)
      }
      let lastAnswer = sessions[session].control.directions[.headUnit]
      sessions[session].story?.hasUnreadAnswer = lastAnswer.isWithinFrame
      sessions[session].story?.end = .init(
        text: "the control connection ends", side: byClient ? .phone : .headUnit, moment: moment)
      explainEnd(of: session, at: moment)
      add(
        .stream, "the control connection ends", [.init(.socket, .text("control"))], session,
        byClient ? .phone : .headUnit, moment)
      release(session)
    case .socket(let session, let socket):
      let name = self.name(of: socket, session)
      let side: SessionSide = byClient ? .phone : .headUnit
      if case .stream(let stream) = socket { reportLoss(of: stream, session, at: moment) }
      add(.stream, "\(name) ends", [.init(.socket, .text(name))], session, side, moment)
      sessions[session].story?.close(name, by: side, at: moment)
    case .call(let call): discovery.end(call, byHeadUnit: byClient, at: moment)
    case .undecided:
      guard let (session, socket) = listeners[connections[number].server] else {
        discovery.noteConnection(
          from: connections[number].client.dropLast(2), to: connections[number].server,
          isAccepted: connections[number].isAccepted, at: connections[number].began)
        break
      }
      let name = name(of: socket, session)
      if !connections[number].isAccepted, !byClient, isReset {
        sessions[session].story?.refuse(name, at: moment)
      } else {
        // A connection without bytes.
        let side: SessionSide = byClient ? .phone : .headUnit
        add(.stream, "\(name) ends", [.init(.socket, .text(name))], session, side, moment)
        sessions[session].story?.close(name, by: side, at: moment)
      }
    case .late: noteLate(number)
    case .ignored, .unknown: break
    }
    connections[number].role = .ignored
  }

  /// Forgets what only a running session needs: a capture may have thousands of sessions.
  private mutating func release(_ session: Int) {
    let story = departed.contains { $0.session == session } ? sessions[session].story : nil
    sessions[session].release()
    sessions[session].story = story
    sealedFlows = sealedFlows.filter { $0.value.session != session }
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

  // MARK: Findings

  /// Adds a finding if it is reported.
  mutating func add(
    _ layer: SessionFinding.Layer, _ text: @autoclosure () -> String,
    _ fields: @autoclosure () -> [SessionFinding.Field] = [], body: @autoclosure () -> FindingTree? = nil,
    _ session: Int, _ side: SessionSide, _ moment: CaptureMoment
  ) {
    guard wantsFinding else { return }
    hasReported = true
    let finding = SessionFinding(layer, text(), fields(), body: body())
    readings.append(SessionReading(.finding(finding), at: moment, from: Side(side), session: session))
  }

  /// Adds bytes of iAP2 inside a session.
  mutating func addLink(_ bytes: [UInt8], _ session: Int, _ side: SessionSide, _ moment: CaptureMoment) {
    readings.append(SessionReading(.link(bytes), at: moment, from: Side(side), session: session))
  }
}
