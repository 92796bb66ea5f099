// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Transport
import Synchronization

/// A transfer in one EA session: it sends an input, passes on what arrives, and decides when the transfer is over.
///
/// Without ``expectsEcho``, the transfer is over when no byte has arrived for ``lingerMilliseconds`` after everything
/// was sent. With it, the transfer is over when as many bytes have arrived as were sent. The end of the session ends
/// any transfer.
package struct ExternalAccessoryTransfer: Sendable {
  /// Whether the peer is expected to send back what it receives. The bytes are then compared.
  package var expectsEcho: Bool
  /// The time without a byte that ends the transfer, once everything was sent; nil for no limit, or for
  /// ``standardLinger`` after an echo that differs.
  package var lingerMilliseconds: Int?
  /// Whether the transfer closes the session when it is over. Otherwise bytes are passed on until the session ends.
  package var closesSession: Bool
  /// The clock that measures the silence.
  package var clock: any RuntimeClock

  /// The result of a transfer.
  package struct Report: Sendable, Equatable {
    /// The number of bytes that were sent.
    package var sentByteCount = 0
    /// The number of bytes that have arrived.
    package var receivedByteCount = 0
    /// Whether the whole input was sent.
    package var isSent = false
    /// Whether the transfer was over before the session ended.
    package var isOver = false
    /// The first byte that differs from the one that was sent; nil without one, and if no echo is expected.
    package var difference: EchoDifference?
  }

  /// The usual time without a byte that ends a transfer, in milliseconds.
  package static let standardLinger = 2000
  /// The bytes that an echo may be behind. The input waits until the peer has sent some of them back.
  static let echoByteCount = 64 << 20

  /// The time between two looks at the delivery, in milliseconds.
  private static let deliveryInterval = 20

  /// Creates a transfer.
  package init(expectsEcho: Bool, lingerMilliseconds: Int?, closesSession: Bool, clock: any RuntimeClock) {
    self.expectsEcho = expectsEcho
    self.lingerMilliseconds = lingerMilliseconds
    self.closesSession = closesSession
    self.clock = clock
  }

  /// Runs the transfer until it is over, or until the session has ended.
  ///
  /// - Parameters:
  ///   - stream: The session.
  ///   - input: Returns the next bytes to send; nil at the end and after the task was cancelled.
  ///   - output: Takes the bytes that have arrived.
  /// - Throws: The error of `output`. The session stays open then.
  package func run(
    on stream: ExternalAccessoryStream, input: @escaping @Sendable () async -> [UInt8]?,
    output: ([UInt8]) throws -> Void
  ) async throws -> Report {
    let progress = TransferProgress(expectsEcho: expectsEcho, start: clock.now)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await send(input, on: stream, progress) }
      group.addTask { await watch(stream, progress) }
      defer { group.cancelAll() }
      while let bytes = await stream.read() {
        try output(bytes)
        if progress.received(bytes, at: clock.now) { await finish(stream, progress) }
      }
      return progress.report
    }
  }

  private func send(
    _ input: @Sendable () async -> [UInt8]?, on stream: ExternalAccessoryStream, _ progress: TransferProgress
  ) async {
    while let bytes = await input() {
      progress.send(bytes)
      // The reading task sees the end of the session.
      do { try await stream.write(bytes) } catch { return }
      while progress.echoIsBehind, stream.isOpen, !Task.isCancelled { await progress.returned.wait() }
    }
    guard !Task.isCancelled else { return }
    await stream.drain()
    guard stream.isOpen else { return }
    if progress.isSent(at: clock.now) { await finish(stream, progress) }
  }

  /// Ends the transfer after the silence. Bytes that the peer has not acknowledged yet do not count as silence.
  private func watch(_ stream: ExternalAccessoryStream, _ progress: TransferProgress) async {
    await progress.sent.wait()
    // An echo may be late, but one that differs may never be complete.
    if lingerMilliseconds == nil { await progress.differed.wait() }
    let linger = lingerMilliseconds ?? Self.standardLinger
    while !Task.isCancelled, stream.isOpen, let last = progress.lastByte {
      let deadline = last.adding(milliseconds: linger)
      if deadline > clock.now {
        do { try await clock.sleep(until: deadline) } catch { return }
      } else if await stream.hasUndelivered {
        progress.waitAgain(at: clock.now)
        do { try await clock.sleep(until: clock.now.adding(milliseconds: Self.deliveryInterval)) } catch { return }
      } else {
        return await finish(stream, progress)
      }
    }
  }

  private func finish(_ stream: ExternalAccessoryStream, _ progress: TransferProgress) async {
    progress.finish()
    if closesSession { await stream.close() }
  }
}

/// The first byte of an echo that differs from the one that was sent.
package struct EchoDifference: Sendable, Equatable {
  /// The offset of the byte, from 0.
  package var offset: Int
  /// The byte that was sent; nil if the peer sent more than it had received.
  package var sent: UInt8?
  /// The byte that arrived.
  package var received: UInt8
}

/// A comparison of received bytes with those that were sent before. It keeps the bytes that have not come back.
struct EchoComparison: Sendable {
  private var waiting: [ArraySlice<UInt8>] = []
  /// The number of elements of `waiting` that have come back.
  private var head = 0
  private(set) var waitingByteCount = 0
  private var receivedByteCount = 0
  private(set) var difference: EchoDifference?

  mutating func send(_ bytes: [UInt8]) {
    guard difference == nil, !bytes.isEmpty else { return }
    waiting.append(bytes[...])
    waitingByteCount += bytes.count
  }

  mutating func receive(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while difference == nil, !rest.isEmpty {
      guard head < waiting.count else {
        return differ(at: receivedByteCount, sent: nil, received: rest[rest.startIndex])
      }
      let count = min(rest.count, waiting[head].count)
      let expected = waiting[head].prefix(count)
      let found = rest.prefix(count)
      guard Self.areEqual(expected, found) else {
        for (index, (sent, received)) in zip(expected, found).enumerated() where sent != received {
          return differ(at: receivedByteCount + index, sent: sent, received: received)
        }
        return
      }
      rest = rest.dropFirst(count)
      waiting[head] = waiting[head].dropFirst(count)
      waitingByteCount -= count
      receivedByteCount += count
      if waiting[head].isEmpty { removeFirst() }
    }
  }

  /// Compares slices of one length. The loop has no early exit, so that the compiler compares whole vectors; `==` of
  /// slices took a fifth of the CPU of an echo.
  private static func areEqual(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Bool {
    unsafe a.withUnsafeBufferPointer { a in
      unsafe b.withUnsafeBufferPointer { b in
        var difference: UInt8 = 0
        for index in 0..<a.count { unsafe difference |= a[index] ^ b[index] }
        return difference == 0
      }
    }
  }

  private mutating func removeFirst() {
    waiting[head] = []
    head += 1
    guard head == waiting.count || head >= 1024 else { return }
    waiting.removeFirst(head)
    head = 0
  }

  private mutating func differ(at offset: Int, sent: UInt8?, received: UInt8) {
    difference = EchoDifference(offset: offset, sent: sent, received: received)
    waiting = []
    head = 0
    waitingByteCount = 0
  }
}

/// The progress of a transfer, which its tasks share.
private final class TransferProgress: Sendable {
  fileprivate struct State {
    var report = ExternalAccessoryTransfer.Report()
    var echo: EchoComparison?
    var lastByte: MonotonicTime
  }

  private let state: Mutex<State>
  /// Notified when everything was sent.
  let sent = Signal()
  /// Notified when an echo differs.
  let differed = Signal()
  /// Notified when bytes have come back.
  let returned = Signal()

  init(expectsEcho: Bool, start: MonotonicTime) {
    state = Mutex(State(echo: expectsEcho ? EchoComparison() : nil, lastByte: start))
  }

  var report: ExternalAccessoryTransfer.Report { state.withLock { $0.report } }

  /// The time of the last byte, or of the last byte sent if it was later; nil once the transfer is over.
  var lastByte: MonotonicTime? { state.withLock { $0.report.isOver ? nil : $0.lastByte } }

  var echoIsBehind: Bool {
    state.withLock { $0.echo?.waitingByteCount ?? 0 > ExternalAccessoryTransfer.echoByteCount }
  }

  func send(_ bytes: [UInt8]) {
    state.withLock { state in
      state.report.sentByteCount += bytes.count
      state.echo?.send(bytes)
    }
  }

  /// Returns whether the echo is complete.
  func isSent(at now: MonotonicTime) -> Bool {
    defer { sent.notify() }
    return state.withLock { state in
      state.report.isSent = true
      state.lastByte = max(state.lastByte, now)
      return state.isReturned
    }
  }

  /// Returns whether the echo is complete.
  func received(_ bytes: [UInt8], at now: MonotonicTime) -> Bool {
    defer { returned.notify() }
    return state.withLock { state in
      state.report.receivedByteCount += bytes.count
      state.lastByte = max(state.lastByte, now)
      state.echo?.receive(bytes)
      if state.report.difference == nil, let difference = state.echo?.difference {
        state.report.difference = difference
        differed.notify()
      }
      return state.isReturned
    }
  }

  func waitAgain(at now: MonotonicTime) { state.withLock { $0.lastByte = max($0.lastByte, now) } }

  func finish() { state.withLock { $0.report.isOver = true } }
}

extension TransferProgress.State {
  /// Whether as many bytes have come back as were sent.
  fileprivate var isReturned: Bool {
    echo != nil && report.isSent && report.receivedByteCount >= report.sentByteCount
  }
}
