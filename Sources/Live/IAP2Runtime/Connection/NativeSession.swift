// swift-iap2 · Apache-2.0

import IAP2
import IAP2Transport
import Synchronization

/// The bytes of one EA session beside the link, between its stream and a transport of its own.
///
/// An EA session of the link slows its sender down by late acknowledgements. A native session stops reading instead,
/// and the transport's flow control slows the sender down.
final class NativeSession: Sendable {
  private struct State {
    /// The bytes that were written and not yet handed to the transport.
    var queue: [UInt8] = []
    /// The bytes of the send that has not returned yet.
    var sendingByteCount = 0
    /// The bytes that were put into the stream and not yet reported as read.
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

  /// Queues as many bytes as there is room for.
  ///
  /// - Returns: The number of queued bytes.
  func send(_ bytes: [UInt8]) -> Int {
    let taken = state.withLock { state in
      let count = min(bytes.count, max(0, limits.externalAccessoryQueueByteCount - state.queue.count))
      state.queue += bytes.prefix(count)
      return count
    }
    output.notify()
    return taken
  }

  /// The written bytes that the transport has not accepted yet.
  var queuedByteCount: Int { state.withLock { $0.queue.count + $0.sendingByteCount } }

  var isBehind: Bool { state.withLock { $0.isBehind } }

  func consumed(_ byteCount: Int) {
    state.withLock { state in
      state.unreadByteCount = max(0, state.unreadByteCount - byteCount)
      if state.unreadByteCount <= limits.externalAccessoryHighMark / 2 { state.isBehind = false }
    }
    room.notify()
  }

  /// Ends the session. Nothing more is sent, and bytes that have arrived are still read.
  func finish() {
    state.withLock { $0.isEnding = true }
    for signal in [ending, output, room] { signal.notify() }
  }

  /// Moves bytes until `finish`, or the end of the connection that runs it, then ends the stream.
  ///
  /// - Parameters:
  ///   - progress: Called when the transport has accepted bytes.
  ///   - failed: Called when the transport fails.
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

  /// Moves received bytes into the stream.
  ///
  /// - Returns: False if the transport fails.
  private func read() async -> Bool {
    while true {
      do {
        // A message of the peer that ends the session follows.
        guard let bytes = try await transport.receive() else { return true }
        stream.append(bytes)
        let isBehind = state.withLock { state in
          state.unreadByteCount += bytes.count
          if state.unreadByteCount > limits.externalAccessoryHighMark { state.isBehind = true }
          return state.isBehind
        }
        stream.notifyReader(isBehind: isBehind)
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
      // The queue has room again, so the next bytes can be written while these are sent.
      await progress()
      do { try await transport.send(batch) } catch { return isEnding || error == .closed }
      state.withLock { $0.sendingByteCount = 0 }
      await progress()
    }
    return true
  }
}
