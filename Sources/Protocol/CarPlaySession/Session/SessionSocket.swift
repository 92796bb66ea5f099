// swift-iap2 · Apache-2.0

public import Basics

/// A connection or a UDP socket of a session.
public enum SessionSocket: Sendable, Hashable {
  /// A TCP connection on which the phone asks. A head unit numbers its connections; the phone's has 0.
  case control(Int)
  /// The TCP connection on which the head unit asks.
  case events
  /// The UDP socket of the clock.
  case clock
  /// The UDP socket of the low-power keep-alive.
  case keepAlive
  /// The socket of a stream's bytes: UDP for sound, TCP for the others.
  case stream(StreamType)
  /// The UDP socket of a stream of sound for synchronization and retransmission.
  case streamControl(StreamType)

  /// Whether the socket carries datagrams.
  public var isDatagram: Bool {
    switch self {
    case .control, .events: false
    case .clock, .keepAlive, .streamControl: true
    case .stream(let type): type.family == .audio
    }
  }
}

/// A step that a session wants from its owner.
public enum SessionAction: Sendable {
  /// Bind a socket to the address of a control connection, and call `bound`. A TCP socket takes one connection of the
  /// same peer, then closes its listener.
  case bind(SessionSocket, beside: Int)
  /// Connect to a port of the head unit, and call `connected` or `closed`.
  case connect(SessionSocket, port: UInt16)
  /// Send bytes on a connection.
  case send(SessionSocket, [UInt8])
  /// Send a datagram to a port of the other side.
  case sendDatagram(SessionSocket, [UInt8], port: UInt16)
  /// Close a socket after its bytes were sent, also one that listens, and one that is not bound yet: its port is then
  /// not reported.
  case close(SessionSocket)
  /// Stop or continue to read a connection, whose sender then has to wait.
  case setReading(SessionSocket, Bool)
  /// Sign bytes with the accessory's key, and call `signed`. The calls come in the order of these actions.
  case sign([UInt8])
  /// Report an event.
  case report(SessionEvent)
}

/// The proof of a coprocessor.
public struct AccessoryEvidence: Sendable, Hashable {
  /// One X.509 certificate, or a PKCS#7 container with one.
  public var certificate: [UInt8]
  /// The signature.
  public var signature: [UInt8]

  /// Creates a proof.
  public init(certificate: [UInt8], signature: [UInt8]) {
    (self.certificate, self.signature) = (certificate, signature)
  }
}

/// A session of either side, as its owner drives it. The owner moves bytes and time; the session decides.
///
/// After each call the owner takes the actions and looks at the next deadline.
public protocol SessionMachine: Sendable {
  /// Reports the port of a socket that was bound; nil if the system refused.
  mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime)
  /// Reports that a TCP connection stands.
  mutating func connected(_ socket: SessionSocket, at time: MonotonicTime)
  /// Takes bytes of a connection, or a datagram from a port.
  mutating func receive(_ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime)
  /// Reports whether a connection takes more bytes now.
  mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime)
  /// Reports that a connection ended, or was never made.
  mutating func closed(_ socket: SessionSocket, at time: MonotonicTime)
  /// Ends the session from this side.
  mutating func stop(_ end: SessionEnd, at time: MonotonicTime)
  /// Takes the certificate and the signature of ``SessionAction/sign(_:)``; nil if the coprocessor gave none.
  mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime)
  /// Does what is due.
  mutating func handleDeadline(at time: MonotonicTime)
  /// The time of the next call of ``handleDeadline(at:)``; nil for none.
  var nextDeadline: MonotonicTime? { get }
  /// Removes the actions, and puts them into an array in their order, in place of those of an earlier call.
  ///
  /// The memory of the array is used again. An owner that clears the array, or calls again until it is empty, releases
  /// the payloads of pictures and sound, whose memory is then used again too.
  mutating func takeActions(into actions: inout [SessionAction])
}

extension SessionMachine {
  /// Removes and returns the actions in their order.
  public mutating func takeActions() -> [SessionAction] {
    var actions: [SessionAction] = []
    takeActions(into: &actions)
    return actions
  }
}
