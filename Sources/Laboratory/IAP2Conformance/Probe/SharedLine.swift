// swift-iap2 · Apache-2.0

import IAP2Runtime
public import IAP2Transport
import Synchronization

/// A transport that all checks share, such as a serial line. It stays open when a check closes its connection.
///
/// A separate task reads the transport until the transport ends.
public final class SharedLine: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isOver = false
    var error: TransportError?
  }

  /// The maximum number of bytes that wait for a reader, more than any check causes. Above it, the waiting bytes are
  /// discarded.
  private static let limit = 1 << 20

  private let transport: any ByteTransport
  private let state = Mutex(State())
  private let arrived = Signal()

  /// Creates a shared line and starts its reading task.
  ///
  /// - Parameters:
  ///   - transport: the transport to share.
  ///   - clock: the clock on whose executor the task runs; a clock without an executor leaves the transport's executor.
  public init(_ transport: any ByteTransport, clock: any RuntimeClock) {
    self.transport = transport
    Task(executorPreference: clock as? any TaskExecutor ?? transport.taskExecutor) { [self] in await read() }
  }

  /// Returns a connection for one check, or nil after the end of the transport.
  public func connection() -> (any ByteTransport)? {
    state.withLock { $0.isOver } ? nil : Connection(line: self)
  }

  /// Closes the transport.
  public func close() async { await transport.close() }

  private func read() async {
    var error: TransportError?
    do {
      while let bytes = try await transport.receive() {
        state.withLock { state in
          if state.bytes.count + bytes.count > Self.limit { state.bytes = [] }
          state.bytes += bytes
        }
        arrived.notify()
      }
    } catch let failure { error = failure }
    state.withLock { state in
      state.isOver = true
      state.error = error
    }
    arrived.notify()
  }

  private struct Connection: ByteTransport {
    let line: SharedLine

    var address: String { line.transport.address }
    var taskExecutor: (any TaskExecutor)? { line.transport.taskExecutor }

    func receive() async throws(TransportError) -> [UInt8]? {
      while !Task.isCancelled {
        let (bytes, isOver, error) = line.state.withLock { state in
          defer { state.bytes = [] }
          return (state.bytes, state.isOver, state.error)
        }
        if !bytes.isEmpty { return bytes }
        if let error { throw error }
        if isOver { return nil }
        await line.arrived.wait()
      }
      return nil
    }

    func send(_ bytes: [UInt8]) async throws(TransportError) { try await line.transport.send(bytes) }

    func close() async {}
  }
}
