// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Transport
import Synchronization

/// A log that writes the bytes of live transports to a capture.
///
/// Each record is stored with one call, so that the file of a process that is killed can be read.
public final class CaptureLog: Sendable {
  private struct State {
    var writer: CaptureWriter
    /// The writer of packets beside the link; nil if the file has none.
    var packets: NetworkCaptureWriter?
    var connections: UInt16 = 0
    var isOpen = true
  }

  private let state: Mutex<State>
  private let store: @Sendable ([UInt8]) -> Bool
  /// Nanoseconds since the Unix epoch.
  private let now: @Sendable () -> Int64

  /// Creates a log and stores the header of the format.
  ///
  /// - Parameters:
  ///   - format: The format of the log.
  ///   - hasPackets: Whether IP packets follow, as in ``add(_:on:)``. Only pcapng can have them.
  ///   - now: Returns the time in nanoseconds since the Unix epoch.
  ///   - store: Stores bytes, and returns false if it cannot. After that nothing more is stored, and receiving and
  ///     sending on the transports throw `TransportError.closed`.
  public init(
    _ format: CaptureWriter.Format, hasPackets: Bool = false, now: @escaping @Sendable () -> Int64,
    store: @escaping @Sendable ([UInt8]) -> Bool
  ) {
    self.now = now
    self.store = store
    let writer = CaptureWriter(format)
    let hasPackets = hasPackets && format == .pcapng
    state = Mutex(State(writer: writer, packets: hasPackets ? NetworkCaptureWriter(interface: 1) : nil))
    let header = writer.header + (hasPackets ? NetworkCaptureWriter.description : [])
    if !store(header) { state.withLock { $0.isOpen = false } }
  }

  /// Whether everything so far was stored.
  public var isComplete: Bool { state.withLock { $0.isOpen } }

  /// Returns a transport that forwards to `transport` and logs its bytes as a new connection.
  ///
  /// - Parameters:
  ///   - transport: The transport that moves the bytes.
  ///   - side: The side that sends on the transport.
  public func capturing(_ transport: any ByteTransport, side: Side) -> any ByteTransport {
    CapturingTransport(transport: transport, side: side, connection: nextConnection(), log: self)
  }

  /// Adds a connection. The returned function writes bytes that one of its sides has sent.
  public func connection() -> @Sendable (_ from: Side, _ bytes: [UInt8]) -> Void {
    let number = nextConnection()
    return { _ = self.add($1, from: $0, connection: number) }
  }

  private func nextConnection() -> UInt16 {
    state.withLock { state in
      defer { state.connections &+= 1 }
      return state.connections
    }
  }

  /// Writes a record of a socket beside the link as IP packets. A log without packets ignores it.
  public func add(_ record: NetworkCaptureWriter.Record, on path: NetworkCaptureWriter.Path) {
    state.withLock { state in
      guard state.isOpen, let bytes = state.packets?.record(record, on: path, nanoseconds: now()), !bytes.isEmpty
      else { return }
      state.isOpen = store(bytes)
    }
  }

  /// Writes secrets with which the packets can be decrypted, as the text of a key log. A log without packets ignores
  /// them.
  public func add(secrets text: [UInt8]) {
    state.withLock { state in
      guard state.isOpen, state.packets != nil else { return }
      state.isOpen = store(DecryptionSecrets.bytes(text))
    }
  }

  /// Writes a comment on the latest connection.
  ///
  /// - Parameters:
  ///   - comment: The text.
  ///   - side: The side that the comment is about.
  ///   - age: How long ago the event happened, in nanoseconds. Bytes may be logged before the event reaches its reader.
  public func note(_ comment: String, from side: Side, age: Int64 = 0) {
    let connection = state.withLock { $0.connections &- ($0.connections > 0 ? 1 : 0) }
    _ = add([], from: side, connection: connection, comment: comment, age: max(0, age))
  }

  fileprivate func add(
    _ bytes: [UInt8], from: Side, connection: UInt16, comment: String? = nil, age: Int64 = 0
  ) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      let record = CaptureWriter.Record(
        nanoseconds: now() - age, from: from, connection: connection, bytes: bytes, comment: comment)
      state.isOpen = store(state.writer.record(record))
      return state.isOpen
    }
  }
}

/// A transport that logs the bytes of the transport it wraps.
private struct CapturingTransport: ByteTransport {
  let transport: any ByteTransport
  let side: Side
  let connection: UInt16
  let log: CaptureLog

  var address: String { transport.address }
  var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  func receive() async throws(TransportError) -> [UInt8]? {
    guard let bytes = try await transport.receive() else { return nil }
    guard log.add(bytes, from: side.peer, connection: connection) else { throw .closed }
    return bytes
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    guard log.add(bytes, from: side, connection: connection) else { throw .closed }
    try await transport.send(bytes)
  }

  func close() async { await transport.close() }

  /// Streams of the EA native transport are not logged: the capture has the bytes of the link, as captures of Bluetooth
  /// or TCP have.
  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}
