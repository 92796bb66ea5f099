// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Transport
import Synchronization

/// Writes what goes over transports into a capture, as it happens.
///
/// Each record is handed over whole, so that a process that is killed leaves a file that can be read.
public final class CaptureLog: Sendable {
  private struct State {
    var writer: CaptureWriter
    var connections: UInt16 = 0
    var isOpen = true
  }

  private let state: Mutex<State>
  private let store: @Sendable ([UInt8]) -> Bool
  /// Nanoseconds since the Unix epoch.
  private let now: @Sendable () -> Int64

  /// - Parameter store: keeps bytes; false when it cannot, after which nothing more is stored and transports end.
  public init(
    _ format: CaptureWriter.Format, now: @escaping @Sendable () -> Int64, store: @escaping @Sendable ([UInt8]) -> Bool
  ) {
    self.now = now
    self.store = store
    let writer = CaptureWriter(format)
    state = Mutex(State(writer: writer))
    if !store(writer.header) { state.withLock { $0.isOpen = false } }
  }

  /// Whether everything so far could be stored.
  public var isComplete: Bool { state.withLock { $0.isOpen } }

  /// A transport that does what this one does and logs it.
  ///
  /// - Parameter side: who sends on it.
  public func capturing(_ transport: any ByteTransport, side: Side) -> any ByteTransport {
    CapturingTransport(transport: transport, side: side, connection: nextConnection(), log: self)
  }

  /// A new connection: what is returned writes bytes that one of its sides has sent.
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

  /// Writes that something happened on the latest connection.
  public func note(_ comment: String, from side: Side) {
    let connection = state.withLock { $0.connections &- ($0.connections > 0 ? 1 : 0) }
    _ = add([], from: side, connection: connection, comment: comment)
  }

  fileprivate func add(_ bytes: [UInt8], from: Side, connection: UInt16, comment: String? = nil) -> Bool {
    state.withLock { state in
      guard state.isOpen else { return false }
      let record = CaptureWriter.Record(
        nanoseconds: now(), from: from, connection: connection, bytes: bytes, comment: comment)
      state.isOpen = store(state.writer.record(record))
      return state.isOpen
    }
  }
}

/// A transport around a transport.
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

  /// Goes by unseen: a capture of ours has the link's bytes, as one of Bluetooth or TCP has.
  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}
