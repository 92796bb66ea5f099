// swift-iap2 · Apache-2.0

public import Basics

/// A connection or a UDP socket of a session.
public enum SessionSocket: Sendable, Hashable {
  /// A TCP connection for the requests of the phone. A head unit numbers its connections; the phone's connection has
  /// number 0.
  case control(Int)
  /// The TCP connection for the requests of the head unit.
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

/// An action that a session requests from its owner.
public enum SessionAction: Sendable {
  /// Bind a socket to the address of a control connection, and call `bound`. A TCP socket accepts one connection of the
  /// same peer, then closes its listener.
  case bind(SessionSocket, beside: Int)
  /// Connect to a port of the head unit, and call `connected` or `closed`.
  case connect(SessionSocket, port: UInt16)
  /// Send bytes on a connection.
  case send(SessionSocket, [UInt8])
  /// Send a datagram to a port of the other side.
  case sendDatagram(SessionSocket, [UInt8], port: UInt16)
  /// Close a socket after its bytes were sent. The socket may also listen, or not be bound yet. In the last case its
  /// port is not reported any more.
  case close(SessionSocket)
  /// Stop or resume reading a connection. While reading is stopped, the sender has to wait.
  case setReading(SessionSocket, Bool)
  /// Sign bytes with the accessory's key, and call `signed`. The calls must have the order of these actions.
  case sign([UInt8])
  /// Write a secret into the key log. An owner without one drops it.
  case log(AgreedSecret)
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

/// A session of either side, which its owner drives. The owner supplies bytes and times, and the session decides.
///
/// After each call the owner performs the actions and reads the next deadline.
public protocol SessionMachine: Sendable {
  /// Reports the port of a socket that was bound; nil if the system refused.
  mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime)
  /// Reports that a TCP connection is established.
  mutating func connected(_ socket: SessionSocket, at time: MonotonicTime)
  /// Processes bytes of a connection, or a datagram from a port.
  mutating func receive(_ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime)
  /// Reports whether a connection accepts more bytes now.
  mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime)
  /// Reports that a connection ended or could not be made.
  mutating func closed(_ socket: SessionSocket, at time: MonotonicTime)
  /// Ends the session from this side.
  mutating func stop(_ end: SessionEnd, at time: MonotonicTime)
  /// Processes the certificate and the signature for ``SessionAction/sign(_:)``; nil if the coprocessor did not sign.
  mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime)
  /// Handles the deadlines that have passed.
  mutating func handleDeadline(at time: MonotonicTime)
  /// The time of the next call of ``handleDeadline(at:)``; nil if no deadline is set.
  var nextDeadline: MonotonicTime? { get }
  /// Removes the actions, and stores them in an array in their order. They replace the contents of the array.
  ///
  /// The memory of the array is reused. If the owner clears the array, or calls again until it is empty, the payloads
  /// of pictures and sound are released. Their memory is then reused too.
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
