// swift-iap2 · Apache-2.0

import Synchronization

/// One end of an in-memory medium: bounded, without threads, so that it also runs in virtual time.
public final class MemoryTransport: ByteTransport {
  /// One direction.
  private final class Pipe: Sendable {
    struct State {
      var chunks: [[UInt8]] = []
      var byteCount = 0
      var isClosed = false
    }
    let state = Mutex(State())
    let readable = Signal()
    let writable = Signal()
    let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    func close(discarding: Bool) {
      state.withLock {
        $0.isClosed = true
        if discarding { $0.chunks = [] }
      }
      readable.notify()
      writable.notify()
    }
  }

  private let incoming: Pipe
  private let outgoing: Pipe
  public let address: String

  private init(incoming: Pipe, outgoing: Pipe, address: String) {
    self.incoming = incoming
    self.outgoing = outgoing
    self.address = address
  }

  /// Two ends of one medium that holds so many bytes each way.
  public static func pair(capacityByteCount: Int = 1 << 18) -> (accessory: MemoryTransport, device: MemoryTransport) {
    let toDevice = Pipe(capacity: capacityByteCount)
    let toAccessory = Pipe(capacity: capacityByteCount)
    return (
      MemoryTransport(incoming: toAccessory, outgoing: toDevice, address: "loopback"),
      MemoryTransport(incoming: toDevice, outgoing: toAccessory, address: "loopback")
    )
  }

  public func receive() async throws(TransportError) -> [UInt8]? {
    while true {
      let next: ([UInt8]?, Bool) = incoming.state.withLock { state in
        guard !state.chunks.isEmpty else { return (nil, state.isClosed) }
        let chunk = state.chunks.removeFirst()
        state.byteCount -= chunk.count
        return (chunk, false)
      }
      if let chunk = next.0 {
        incoming.writable.notify()
        return chunk
      }
      if next.1 || Task.isCancelled { return nil }
      await incoming.readable.wait()
    }
  }

  public func send(_ bytes: [UInt8]) async throws(TransportError) {
    guard !bytes.isEmpty else { return }
    while true {
      let outcome: Bool? = outgoing.state.withLock { state in
        if state.isClosed { return nil }
        guard state.byteCount < outgoing.capacity else { return false }
        state.chunks.append(bytes)
        state.byteCount += bytes.count
        return true
      }
      guard let isSent = outcome, !Task.isCancelled || isSent else { throw .closed }
      if isSent { return outgoing.readable.notify() }
      await outgoing.writable.wait()
    }
  }

  public func close() async {
    outgoing.close(discarding: false)
    incoming.close(discarding: false)
  }

  /// Pulls the cable: both ends see the end at once, and what was on the way is lost.
  public func cut() {
    outgoing.close(discarding: true)
    incoming.close(discarding: true)
  }
}
