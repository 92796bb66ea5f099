// swift-iap2 · Apache-2.0

import Glibc
import IAP2Runtime
import Synchronization

/// Ctrl-C: the first ends orderly, the second at once. What comes together is one: `timeout` signals its command, and then
/// the group that it is in. A terminal that is closed counts, unless it was said to be nothing to this program (nohup).
///
/// `finish` is for work that has no connection: it is cancelled, and what it has come to by then is its result.
///
/// Invariant for `@unchecked`: `signals` is set once in the initializer and only kept alive.
final class StopSignal: @unchecked Sendable {
  private struct State {
    /// The first of them.
    var requested: ContinuousClock.Instant?
    var isLeft = false
  }

  private let state = Mutex(State())
  private var signals: Signals?
  private let note: String

  var isRequested: Bool { state.withLock { $0.requested != nil || $0.isLeft } }

  /// - Parameters:
  ///   - whenUnread: also when nobody reads what we say any more, where ending at once would leave something behind.
  ///   - body: ends the work in order.
  init(
    note: String = "ending the connection; again ends at once", whenUnread: Bool = false,
    _ body: @escaping @Sendable () async -> Void
  ) {
    self.note = note
    if whenUnread {
      Output.whenUnread { [weak self] in self?.leave(body) }
      // Where little happens, the next line that nobody reads may be far.
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

  /// For work whose result is told however far it came.
  static let noteOfWork = "ending with what there is; again ends at once"

  /// - Parameters:
  ///   - ending: what the work waits for beside its being cancelled.
  ///   - work: begins when signals are listened for: what it says may be answered with one.
  /// - Returns: what the work came to, and whether it was ended before its end.
  static func finish<Result: Sendable>(
    whenUnread: Bool = false, ending: @escaping @Sendable () async -> Void = {},
    _ work: @escaping @Sendable () async -> Result
  ) async -> (result: Result, isInterrupted: Bool) {
    let (start, listening) = AsyncStream<Never>.makeStream()
    let task = Task {
      for await _ in start {}
      return await work()
    }
    let stop = StopSignal(note: noteOfWork, whenUnread: whenUnread) {
      task.cancel()
      await ending()
    }
    listening.finish()
    let result = await task.value
    return (result, stop.isRequested)
  }

  /// Nobody is there any more who could ask again.
  private func leave(_ body: @escaping @Sendable () async -> Void) {
    let isFirst = state.withLock { state in
      defer { state.isLeft = true }
      return !state.isLeft && state.requested == nil
    }
    if isFirst { Task { await body() } }
  }

  /// Shorter than anybody presses keys.
  private static let togetherTime = Duration.milliseconds(100)

  private func request(_ body: @escaping @Sendable () async -> Void) {
    let now = ContinuousClock.now
    let first = state.withLock { state in
      defer { state.requested = state.requested ?? now }
      return state.requested
    }
    if let first {
      // At once: whoever does not read what we say must not keep us.
      if now - first > Self.togetherTime { _exit(ExitStatus.interrupted.rawValue) }
      return
    }
    Task { [note] in
      Output.note(note)
      await body()
    }
  }
}
