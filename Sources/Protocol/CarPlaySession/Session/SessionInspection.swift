// swift-iap2 · Apache-2.0

package import Cryptography

/// The inner state of a session that simulations compare and check.
package struct SessionInspection: Sendable {
  /// The secret of each encrypted control channel by the number of its connection.
  package var secrets: [Int: Secret] = [:]
  /// The control connection of the session; nil without a session that is set up.
  package var connection: Int?
  /// The streams that are set up, with the number or the key from which their keys follow.
  package var streams: [StreamType: StreamSeed] = [:]
  /// The sockets of the session, including those that are not bound yet.
  package var sockets: Set<SessionSocket> = []
  /// Whether a head unit waits for a phone that disconnected before it was verified.
  package var isWaitingForPhone = false
  /// Whether a request of this side other than `/feedback` waits for its answer.
  package var isWaiting = false

  /// The source of a stream's keys.
  package enum StreamSeed: Sendable, Hashable {
    /// The number that the keys are derived with.
    case id(UInt64)
    /// The key itself.
    case key(Secret)

    init?(_ body: StreamBody) {
      if let key = body.sharedKey {
        self = .key(Secret(key))
      } else if let id = body.connectionID ?? body.seed {
        self = .id(id)
      } else {
        return nil
      }
    }
  }
}

/// The lengths of the queues of a session, which have bounds.
package struct SessionQueues: Sendable, Hashable {
  /// The largest number of bytes of one control or event channel that were not parsed.
  package var unreadByteCount = 0
  /// The number of commands that wait for a live session.
  package var commandCount = 0
  /// The largest number of packets of one stream of sound that wait for an earlier packet.
  package var soundCount = 0
  /// The largest number of messages of one screen that wait for the connection.
  package var pictureCount = 0
  /// The number of requests of this side that wait for their answers.
  package var requestCount = 0
}

extension HeadUnitSession {
  /// The inner state.
  package var inspection: SessionInspection {
    var view = SessionInspection()
    for (id, connection) in connections {
      view.secrets[id] = connection.verified?.secret
      view.sockets.insert(.control(id))
      if let waiting = connection.waiting { view.sockets.formUnion(waiting.unbound.union(waiting.ports.keys)) }
    }
    view.isWaitingForPhone = reconnectDeadline != nil
    guard let session else { return view }
    view.connection = session.connection
    view.secrets[session.connection] = session.protection.secret
    view.isWaiting = !session.pending.isEmpty || !session.commands.isEmpty
    view.sockets.formUnion(session.sockets)
    for stream in session.streams.values {
      view.streams[stream.type] = SessionInspection.StreamSeed(stream.body)
      view.sockets.formUnion(stream.sockets)
    }
    return view
  }

  /// Returns the secret of a control connection; nil before pair-verify.
  package func secret(of connection: Int) -> Secret? { connections[connection]?.verified?.secret }

  /// The lengths of the queues.
  package var queues: SessionQueues {
    var queues = SessionQueues()
    queues.unreadByteCount = connections.values.map(\.channel.unreadByteCount).max() ?? 0
    guard let session else { return queues }
    queues.unreadByteCount = max(queues.unreadByteCount, session.events?.unreadByteCount ?? 0)
    queues.commandCount = session.commands.count
    queues.requestCount = session.pending.count
    for stream in session.streams.values {
      queues.soundCount = max(queues.soundCount, stream.audio?.receiver.waitingCount ?? 0)
    }
    return queues
  }
}

extension PhoneSession {
  /// The inner state.
  package var inspection: SessionInspection {
    var view = SessionInspection()
    view.secrets[0] = protection?.secret
    view.connection = isLive ? 0 : nil
    // `/feedback` is sent all the time, so it does not count.
    let waits = pending.contains { if case .feedback = $0.kind { false } else { true } }
    view.isWaiting = waits || !connecting.isEmpty || streams.values.contains { !$0.unbound.isEmpty }
    for (type, stream) in streams {
      view.streams[type] = SessionInspection.StreamSeed(stream.body)
      view.sockets.formUnion(stream.sockets)
    }
    return view
  }

  /// Returns whether content of a stream can be sent.
  package func isRunning(_ type: StreamType) -> Bool { streams[type]?.isRunning == true }

  /// The lengths of the queues.
  package var queues: SessionQueues {
    var queues = SessionQueues()
    queues.unreadByteCount = max(channel.unreadByteCount, events.unreadByteCount)
    queues.requestCount = pending.count + missedFeedback.count
    for stream in streams.values {
      if case .screen(let sender) = stream.content {
        queues.pictureCount = max(queues.pictureCount, sender.queuedCount)
      }
      queues.soundCount = max(queues.soundCount, stream.microphone?.receiver.waitingCount ?? 0)
    }
    return queues
  }
}
