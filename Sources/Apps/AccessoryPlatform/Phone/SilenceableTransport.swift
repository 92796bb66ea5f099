// swift-iap2 · Apache-2.0

import IAP2Transport
import Synchronization

/// A transport that can lose all bytes without a notice to either end, as a half-open connection does.
final class SilenceableTransport: ByteTransport {
  private let transport: any ByteTransport
  private let isSilent = Atomic(false)
  private let ended = Signal()

  init(_ transport: any ByteTransport) { self.transport = transport }

  var address: String { transport.address }
  var taskExecutor: (any TaskExecutor)? { transport.taskExecutor }

  func silence() { isSilent.store(true, ordering: .relaxed) }

  /// Ends a silent transport for this side.
  func end() { ended.notify() }

  func receive() async throws(TransportError) -> [UInt8]? {
    while let bytes = try await transport.receive() {
      if !isSilent.load(ordering: .relaxed) { return bytes }
    }
    if isSilent.load(ordering: .relaxed) { await ended.wait() }
    return nil
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    if !isSilent.load(ordering: .relaxed) { try await transport.send(bytes) }
  }

  func close() async {
    ended.notify()
    await transport.close()
  }

  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
    transport.nativeStream(of: name, among: protocols)
  }
}
