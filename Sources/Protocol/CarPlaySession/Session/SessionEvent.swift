// swift-iap2 · Apache-2.0

/// An event of a session.
public enum SessionEvent: Sendable, Hashable {
  /// An event of discovery, before the session. The owner of the session reports it.
  case discovery(DiscoveryEvent)
  /// The other side is paired, and can be stored.
  case paired(PairedPeer)
  /// The session reached the next step.
  case state(SessionState)
  /// The answer to `/info`, on the phone.
  case info(SessionInfo)
  /// A stream began or ended.
  case stream(StreamType, StreamState, AudioFormat?)
  /// The sides that have the screen, the speakers and the app states.
  case modes(ModeSnapshot)
  /// A command, with its whole body.
  case command(SessionCommand, CommandBody, from: SessionSide)
  /// The answer to a mode request of the head unit: whether it was granted.
  case modesAnswered(isGranted: Bool)
  /// A change on an input device of the head unit, by the device's name.
  case input(device: String, InputEvent)
  /// A message of the screen.
  case picture(StreamType, ScreenMessage)
  /// A payload of sound, in order: from the phone, or of the microphone. The time is in samples.
  case sound(StreamType, timestamp: UInt32, payload: [UInt8])
  /// Packets of sound that never arrived.
  case soundLost(StreamType, count: Int)
  /// Bytes of iAP2 inside the session.
  case iAP([UInt8], from: SessionSide)
  /// An event of iAP2 inside the session. The owner of the session reports it.
  case innerLink(InnerLinkEvent)
  /// A request was refused; the connection may go on. The problem says what was wrong in it.
  case refused(SessionEnd, status: Int?, ValueProblem? = nil)
  /// Something of the other side is wrong, and the session goes on.
  case tolerated(ValueProblem)
  /// The end of the session. It is reported once. The problem says what was wrong in a message of the other side.
  case ended(SessionEnd, ValueProblem? = nil)
}

/// A step of a session.
public enum SessionState: String, Sendable, Hashable, CaseIterable, Codable {
  /// A TCP connection is established.
  case connected
  /// The other side has proved its identity, and the channel is encrypted.
  case verified
  /// The head unit has proved that it has a coprocessor.
  case authenticated
  /// The session is set up.
  case setUp
  /// The phone knows the head unit's `/info`.
  case informed
  /// The phone has sent `RECORD`.
  case recording
  /// Both channels are established, and commands may be sent.
  case live
}

/// The state of a stream.
public enum StreamState: String, Sendable, Hashable, CaseIterable, Codable {
  /// The stream is set up.
  case setUp
  /// The first bytes of content can be sent, or have arrived.
  case running
  /// The stream was ended in order.
  case stopped
  /// The connection of the stream ended before the end of the stream was requested.
  case closed
  /// The head unit's answer does not name the stream.
  case notEchoed
}
