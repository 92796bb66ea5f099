// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2Capture

// The bytes of TCP connections, and what their first bytes make of them.
extension CarPlaySessions {
  mutating func take(
    _ bytes: [UInt8], of number: Int, isClient: Bool, followsGap: Bool, at moment: CaptureMoment
  ) {
    let fresh = bytes
    var (bytes, isClient) = (bytes, isClient)
    if case .undecided = connections[number].role {
      if isClient {
        bytes = connections[number].held + bytes
        connections[number].held = []
        if listeners[connections[number].server] == nil, ControlRequest.isIncomplete(bytes) {
          connections[number].held = bytes
          copyUndecided(fresh, of: number, isClient: isClient)
          return
        }
      }
      let client = connections[number].client
      decide(number, bytes, isClient: isClient, at: moment)
      if connections[number].client != client { isClient.toggle() }
      noteEarlyGaps(of: number)
      if followsGap { noteGap(of: number, from: isClient ? .phone : .headUnit) }
      copy?.skip(bytes.count - fresh.count, of: number)
    } else if case .late(let form) = connections[number].role {
      let client = connections[number].client
      takeLate(bytes, of: number, form, isClient: isClient, at: moment)
      if connections[number].client != client { isClient.toggle() }
    }
    switch connections[number].role {
    case .undecided, .ignored, .late: copyUndecided(fresh, of: number, isClient: isClient)
    case .call(let call):
      copyUndecided(fresh, of: number, isClient: isClient)
      if followsGap { discovery.calls[call].cut.insert(isClient ? .headUnit : .phone) }
      take(bytes, ofCall: call, isClient: isClient, at: moment)
    case .control(let session):
      let side: SessionSide = isClient ? .phone : .headUnit
      unlock(session, bytes, followsGap: followsGap, from: side, at: moment)
      let result = sessions[session].control.directions[side].take(
        bytes, followsGap: followsGap, mark: mark, &budget)
      read(result, of: session, isControl: true, from: side, at: moment)
    case .socket(let session, .events) where sessions[session].events == nil:
      copySealed(bytes, of: number, isClient: isClient, session)
    case .socket(let session, let socket):
      take(bytes, session, socket, from: isClient ? .phone : .headUnit, followsGap: followsGap, at: moment)
    case .unknown(let session, let byteCount):
      connections[number].role = .unknown(session, byteCount: byteCount + bytes.count)
      copySealed(bytes, of: number, isClient: isClient, session)
    }
    copyPlain(of: number, first: isClient ? .phone : .headUnit)
  }

  /// Decides what a connection is by its port, or by its first bytes.
  private mutating func decide(_ number: Int, _ bytes: [UInt8], isClient: Bool, at moment: CaptureMoment) {
    let connection = connections[number]
    if let (session, socket) = listeners[connection.server] {
      connections[number].role = .socket(session, socket)
      let name = self.name(of: socket, session)
      add(.stream, "\(name) begins", [.init(.socket, .text(name))], session, .phone, moment)
      sessions[session].story?.open(name, isWhole: connection.hasBeginning, at: moment)
      if case .stream(let stream) = socket, !connection.hasBeginning { noteLateBeginning(of: stream, session) }
      if socket == .events, !connection.hasBeginning { sessions[session].events?.lacksMessages = true }
      return
    }
    if isClient, ControlRequest.beginsCall(bytes) {
      let call = discovery.begin(from: connection.client, to: connection.server, at: moment)
      connections[number].role = call.map { .call($0) } ?? .ignored
      return
    }
    if case .behindLoss? = mark,
      let session = sessions.lastIndex(where: {
        $0.events == nil && $0.isBetween(connection)
      })
    {
      // The copy of an event connection whose set-up was not captured.
      sessions[session].events = Session.Channel()
      connections[number].role = .socket(session, .events)
      return
    }
    let isAnswer = ControlRequest.beginsAnswer(bytes)
    if isAnswer || ControlRequest.begins(bytes), sessions.count < Self.maximumSessions {
      // Without a handshake in the capture, the sender of a request is the client, and that of an answer the server.
      if isClient == isAnswer { connections[number].exchange() }
      // The request of the first answer is missing, or comes behind it.
      if isAnswer { connections[number].hasBeginning = false }
      connections[number].role = .control(sessions.count)
      sessions.append(Session(connections[number]))
      recorder?.begin(sessions.count - 1)
      if copy != nil { sessions[sessions.count - 1].control.keepPlain() }
      sessions[sessions.count - 1].control.lacksMessages = isAnswer
      if explains { beginStory(of: sessions.count - 1, connections[number]) }
      return
    }
    if adopt(number, bytes, isClient: isClient) { return }
    let ends = (Array(connection.client.dropLast(2)), Array(connection.server.dropLast(2)))
    guard
      let session = sessions.lastIndex(where: {
        ($0.phone, $0.headUnit) == ends && $0.lacksSetUp
      })
    else { return takeLate(bytes, of: number, LateForm(), isClient: isClient, at: moment) }
    // The headers of a screen are in the clear, so it is known by its first message.
    if isClient, ScreenMessage.configurationBegins(bytes) {
      let stream = sessions[session].streams.count
      sessions[session].streams.append(Stream(StreamBody(.screen), nil, number: nil))
      if copy != nil { sessions[session].streams[stream].keepPlain() }
      connections[number].role = .socket(session, .stream(stream))
      add(.stream, "screen begins", [.init(.socket, .text("screen"))], session, .phone, moment)
    } else {
      connections[number].role = .unknown(session, byteCount: 0)
    }
  }
}
