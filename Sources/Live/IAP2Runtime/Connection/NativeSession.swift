// swift-iap2 · Apache-2.0

import IAP2
import IAP2Transport
import Synchronization

/// The bytes of one EA session that go beside the link: between its stream and a medium of their own.
///
/// Where link EA holds its sender back by acknowledging late, here reading stops, and the medium does the rest.
final class NativeSession: Sendable {
  private struct State {
    /// Written, and not yet given to the medium.
    var queue: [UInt8] = []
    /// Given to the medium, which has not taken all of it yet.
    var sendingByteCount = 0
    /// Put into the stream, and not yet read there as far as it was told.
    var unreadByteCount = 0
    var isBehind = false
    var isEnding = false
  }

  let stream: ExternalAccessoryStream
  private let transport: any ByteTransport
  private let limits: Limits
  private let state = Mutex(State())
  private let output = Signal()
  private let room = Signal()
  private let ending = Signal()

  init(_ stream: ExternalAccessoryStream, on transport: any ByteTransport, limits: Limits) {
    self.stream = stream
    self.transport = transport
    self.limits = limits
  }

  /// Queues what there is room for.
  ///
  /// - Returns: how many bytes that is.
  func send(_ bytes: [UInt8]) -> Int {
    let taken = state.withLock { state in
      let count = min(bytes.count, max(0, limits.externalAccessoryQueueByteCount - state.queue.count))
      state.queue += bytes.prefix(count)
      return count
    }
    output.notify()
    return taken
  }

  /// Bytes that the other side has not taken yet.
  var queuedByteCount: Int { state.withLock { $0.queue.count + $0.sendingByteCount } }

  var isBehind: Bool { state.withLock { $0.isBehind } }

  func consumed(_ byteCount: Int) {
    state.withLock { state in
      state.unreadByteCount = max(0, state.unreadByteCount - byteCount)
      if state.unreadByteCount <= limits.externalAccessoryHighMark / 2 { state.isBehind = false }
    }
    room.notify()
  }

  /// The session is over: nothing more is sent, and what has already come is still read.
  func finish() {
    state.withLock { $0.isEnding = true }
    for signal in [ending, output, room] { signal.notify() }
  }

  /// Moves bytes until `finish`, or the end of the connection that runs it, then ends the stream.
  ///
  /// - Parameters:
  ///   - progress: told when the medium has taken something.
  ///   - failed: told when the medium fails.
  func run(progress: @escaping @Sendable () async -> Void, failed: @escaping @Sendable () async -> Void) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { if await !self.write(progress) { await failed() } }
      group.addTask { if await !self.read() { await failed() } }
      await ending.wait()
      finish()
      await transport.close()
      await group.waitForAll()
    }
    stream.end()
  }

  /// - Returns: false when the medium fails.
  private func read() async -> Bool {
    while true {
      do {
        // The end of one side's medium is followed by the message that ends the session.
        guard let bytes = try await transport.receive() else { return true }
        stream.state.withLock { $0.append(bytes) }
        let isBehind = state.withLock { state in
          state.unreadByteCount += bytes.count
          if state.unreadByteCount > limits.externalAccessoryHighMark { state.isBehind = true }
          return state.isBehind
        }
        stream.tellReader(isBehind: isBehind)
      } catch { return isEnding }
      while isBehind, !isEnding, !Task.isCancelled { await room.wait() }
    }
  }

  private var isEnding: Bool { state.withLock { $0.isEnding } }

  private func write(_ progress: @Sendable () async -> Void) async -> Bool {
    while !isEnding, !Task.isCancelled {
      let batch = state.withLock { state in
        var batch: [UInt8] = []
        swap(&batch, &state.queue)
        state.sendingByteCount = batch.count
        return batch
      }
      guard !batch.isEmpty else {
        await output.wait()
        continue
      }
      // Room again as soon as the medium has it: the next bytes are written while these leave.
      await progress()
      do { try await transport.send(batch) } catch { return isEnding || error == .closed }
      state.withLock { $0.sendingByteCount = 0 }
      await progress()
    }
    return true
  }
}
