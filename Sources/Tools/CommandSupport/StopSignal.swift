// swift-iap2 · Apache-2.0

import Glibc
import IAP2Runtime
import Synchronization

/// A handler for Ctrl-C: the first ends the work in order, the second ends the process at once. Signals within 100 ms
/// count as one, because `timeout` signals its command and then the command's process group. A closed terminal also
/// counts, unless its signal is ignored (nohup).
///
/// `finish` is for work without a connection: the work is cancelled, and its result so far is returned.
///
/// Invariant for `@unchecked`: `signals` is set once in the initializer and only kept alive.
package final class StopSignal: @unchecked Sendable {
  private struct State {
    /// The time of the first request.
    var requested: ContinuousClock.Instant?
    var isLeft = false
  }

  private let state = Mutex(State())
  private var signals: Signals?
  private let note: String?

  package var isRequested: Bool { state.withLock { $0.requested != nil || $0.isLeft } }

  /// - Parameters:
  ///   - whenUnread: whether a standard output without a reader also ends the work in order.
  ///   - body: ends the work in order.
  package init(
    note: String? = "ending the connection; press again to end at once", whenUnread: Bool = false,
    _ body: @escaping @Sendable () async -> Void
  ) {
    self.note = note
    if whenUnread {
      Output.whenUnread { [weak self] in self?.leave(body) }
      // With few events, the next failing write may be much later.
      Task { [weak self] in
        await StandardTransport.waitUntilUnread()
        self?.leave(body)
      }
    }
    // A shell and the kernel both send SIGHUP when a terminal is closed.
    signals = Signals([SIGINT, SIGTERM] + (Signals.isIgnored(SIGHUP) ? [] : [SIGHUP])) { [weak self] number in
      if number == SIGHUP { self?.leave(body) } else { self?.request(body) }
    }
  }

  /// The notice for work whose partial result is printed.
  package static let noteOfWork = "ending with the results so far; press again to end at once"

  /// - Parameters:
  ///   - note: printed after Ctrl-C; nil if it is the usual end.
  ///   - ending: called after the work was cancelled, to release what it waits for.
  ///   - work: the work. It begins when the handlers are installed, because its output may be answered with a signal.
  /// - Returns: the result, and whether the work was interrupted.
  package static func finish<Result: Sendable>(
    note: String? = noteOfWork, whenUnread: Bool = false, ending: @escaping @Sendable () async -> Void = {},
    _ work: @escaping @Sendable () async -> Result
  ) async -> (result: Result, isInterrupted: Bool) {
    let (start, listening) = AsyncStream<Never>.makeStream()
    let task = Task {
      for await _ in start {}
      return await work()
    }
    let stop = StopSignal(note: note, whenUnread: whenUnread) {
      task.cancel()
      await ending()
    }
    listening.finish()
    let result = await task.value
    return (result, stop.isRequested)
  }

  /// Ends the work in order; no second request can follow, so the process is not ended at once.
  private func leave(_ body: @escaping @Sendable () async -> Void) {
    let isFirst = state.withLock { state in
      defer { state.isLeft = true }
      return !state.isLeft && state.requested == nil
    }
    if isFirst { Task { await body() } }
  }

  /// The time within which signals count as one, shorter than two key presses.
  private static let togetherTime = Duration.milliseconds(100)

  private func request(_ body: @escaping @Sendable () async -> Void) {
    let now = ContinuousClock.now
    let first = state.withLock { state in
      defer { state.requested = state.requested ?? now }
      return state.requested
    }
    if let first {
      // Exit without writing, because an unread output would block.
      if now - first > Self.togetherTime { _exit(ExitStatus.interrupted.rawValue) }
      return
    }
    Task { [note] in
      if let note { Output.note(note) }
      await body()
    }
  }
}
