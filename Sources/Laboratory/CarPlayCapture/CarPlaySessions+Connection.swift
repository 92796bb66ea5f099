// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2Capture

extension CarPlaySessions {
  /// A TCP connection.
  struct Connection: Sendable {
    enum Role: Sendable {
      case undecided, ignored
      /// The connection is no session by its first bytes, and may be one that began before the capture.
      case late(LateForm)
      /// The control connection of a session, or another socket of it.
      case control(Int)
      /// A control request, by its place in ``DiscoveryStory/calls``.
      case call(Int)
      case socket(Int, Session.Socket)
      /// A connection between the sides of a session whose set-up cannot be read; its bytes so far.
      case unknown(Int, byteCount: Int)
    }

    /// The end that connected, or that sent first.
    var client: [UInt8]
    var server: [UInt8]
    var role = Role.undecided
    /// Whether the capture has a SYN of it, and one of the server.
    var hasBeginning = false, isAccepted = false
    /// The place of the SYN; nil without one.
    var began: CaptureMoment?
    /// The times of the first and the last packet of the server since its receive window is 0; nil if it is open.
    var closedWindow: (first: CaptureMoment, last: CaptureMoment)?
    /// The first bytes of the client, while they are the beginning of a request's first line.
    var held: [UInt8] = []
    var fromClient = TCPOrder(), fromServer = TCPOrder()
    /// Packets of a side that wait for packets of the other side.
    var waiting: [WaitingPacket] = []
    /// Whether the capture lacks bytes of the client and of the server, while the purpose is not known.
    var lacksOfClient = false, lacksOfServer = false
    /// Whether packets waited in vain.
    var isOneSided = false

    func belongs(to session: Int) -> Bool {
      switch role {
      case .control(session), .socket(session, _): true
      default: false
      }
    }

    mutating func exchange() {
      (client, server) = (server, client)
      (fromClient, fromServer) = (fromServer, fromClient)
      (lacksOfClient, lacksOfServer) = (lacksOfServer, lacksOfClient)
    }
  }

  func name(of socket: Session.Socket, _ session: Int) -> String {
    switch socket {
    case .events: "events"
    case .clock: "clock"
    case .keepAlive: "keep-alive"
    case .stream(let stream), .sound(let stream, _), .soundControl(let stream, _):
      sessions[session].streams[stream].name
    }
  }

  /// Notes that the capture lacks bytes of a session's messages.
  mutating func noteGap(of number: Int, from side: SessionSide) {
    switch connections[number].role {
    case .control(let session):
      recorder?.noteLack(session)
      sessions[session].control.lacksMessages = true
      sessions[session].story?.noteGap()
      sessions[session].story?.lacking.insert(side)
    case .socket(let session, .events):
      recorder?.noteLack(session)
      sessions[session].events?.lacksMessages = true
      sessions[session].story?.noteGap()
    case .undecided:
      if side == .phone { connections[number].lacksOfClient = true } else { connections[number].lacksOfServer = true }
    case .ignored, .call, .late, .socket, .unknown: break
    }
  }

  /// Notes the gaps of a connection from before its purpose was known.
  mutating func noteEarlyGaps(of number: Int) {
    if connections[number].lacksOfClient { noteGap(of: number, from: .phone) }
    if connections[number].lacksOfServer { noteGap(of: number, from: .headUnit) }
  }

  /// Notes a packet of which the capture has only the beginning. The bytes behind it follow a gap.
  mutating func noteCut(_ number: Int) {
    switch connections[number].role {
    case .control(let session), .socket(let session, _): sessions[session].story?.cutCount += 1
    case .undecided, .ignored, .call, .late, .unknown: break
    }
  }

  /// Notes a connection of the phone to a port of the head unit, or its acceptance.
  mutating func noteWay(_ number: Int, isQuestion: Bool, at moment: CaptureMoment) {
    if !isQuestion { connections[number].isAccepted = true }
    guard let (session, socket) = listeners[connections[number].server] else { return }
    let name = self.name(of: socket, session)
    if isQuestion {
      sessions[session].story?.ask(name, at: moment)
    } else {
      sessions[session].story?.open(name, isWhole: true, at: moment)
    }
  }

  /// Notes a packet without data of a connection whose handshake the capture lacks: the connection is there.
  mutating func notePresence(of segment: TCPSegment, at moment: CaptureMoment) {
    guard !segment.isReset, let (session, socket) = listeners[segment.source] ?? listeners[segment.destination] else {
      return
    }
    let name = name(of: socket, session)
    sessions[session].story?.open(name, isWhole: false, at: moment)
  }

  /// Notes that the server has accepted: a packet of either side follows, which resets nothing.
  mutating func noteAcceptance(_ segment: TCPSegment, _ number: Int, at moment: CaptureMoment) {
    guard !segment.begins, !segment.isReset, connections[number].hasBeginning, !connections[number].isAccepted else {
      return
    }
    noteWay(number, isQuestion: false, at: moment)
  }

  /// The seconds for which a window of 0 is a fault of the head unit. Ours: our phone waits 5 s.
  private static let closedWindowSeconds = 3.0

  /// Notes the receive window of the head unit on a connection.
  mutating func noteWindow(_ segment: TCPSegment, _ number: Int, at moment: CaptureMoment) {
    guard segment.source == connections[number].server, !segment.begins, !segment.isReset else { return }
    guard segment.window == 0 else {
      judgeWindow(of: number)
      connections[number].closedWindow = nil
      return
    }
    connections[number].closedWindow = (connections[number].closedWindow?.first ?? moment, moment)
  }

  /// Judges the windows of a session's screens, at its end.
  mutating func judgeWindows(of session: Int) {
    for number in connections.indices where connections[number].belongs(to: session) { judgeWindow(of: number) }
  }

  /// Judges the time for which the head unit has taken no bytes of a screen. Music and data may wait.
  mutating func judgeWindow(of number: Int) {
    guard let closed = connections[number].closedWindow, let start = closed.first.time,
      case .socket(let session, .stream(let stream)) = connections[number].role,
      let type = sessions[session].streams[stream].body.type, type.family == .screen
    else { return }
    // Packets of the head unit on other sockets show that the network is there.
    let heard = sessions[session].story?.heardAt[.headUnit]?.time ?? start
    let seconds = max(closed.last.time ?? start, heard) - start
    guard seconds >= Self.closedWindowSeconds else { return }
    sessions[session].story?.judge(at: closed.first) { $0.takeUnread(type, seconds: seconds) }
  }
}
