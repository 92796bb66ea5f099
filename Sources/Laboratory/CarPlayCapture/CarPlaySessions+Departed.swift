// swift-iap2 · Apache-2.0

import IAP2Capture

// Sessions whose event connection the capture may show only behind the end of the control connection.
extension CarPlaySessions {
  /// A session that has ended, without a packet of its event connection.
  struct Departed: Sendable {
    let session: Int
    /// The port of the event connection.
    let port: [UInt8]
    /// The end of the control connection.
    let end: CaptureMoment
  }

  /// The seconds behind the end of a session in which a packet shows that its event connection was there. Ours: a side
  /// closes its connections together.
  private static let departedSeconds = 5.0
  /// The most sessions that wait for such a packet.
  private static let maximumDeparted = 64

  /// Explains a session that ends, or lets its explanation wait for a packet of its event connection.
  mutating func explainEnd(of session: Int, at moment: CaptureMoment) {
    prepareStory(of: session)
    guard departed.count < Self.maximumDeparted, sessions[session].story?.lacksEventPackets == true,
      let port = listeners.first(where: { $0.value.session == session && $0.value.socket == .events })?.key
    else { return explain(session, at: moment) }
    departed.append(Departed(session: session, port: port, end: moment))
  }

  /// Explains the sessions for which a segment, or the time, decides.
  mutating func explainDeparted(by segment: TCPSegment?, at moment: CaptureMoment) {
    for waiting in departed {
      let isOver = waiting.end.time.flatMap { end in moment.time.map { $0 - end >= Self.departedSeconds } } ?? false
      let isPresent =
        segment.map {
          !$0.begins && !$0.isReset && ($0.source == waiting.port || $0.destination == waiting.port)
        } ?? false
      if isPresent { sessions[waiting.session].story?.open("events", isWhole: false, at: moment) }
      guard isOver || isPresent else { continue }
      departed.removeAll { $0.session == waiting.session }
      explain(waiting.session, at: waiting.end)
    }
  }

  /// Explains all sessions that wait.
  mutating func explainAllDeparted() {
    let all = departed
    departed = []
    for waiting in all { explain(waiting.session, at: waiting.end) }
  }
}
