// swift-iap2 · Apache-2.0

import Dispatch
import Glibc

/// A handler for signals that would otherwise end the process.
///
/// Invariant for `@unchecked`: set once and only kept alive; Dispatch objects may be used from any thread.
package final class Signals: @unchecked Sendable {
  /// A queue of its own, because a handler must not wait for a thread that waits for it.
  private static let queue = DispatchQueue(label: "iap2.signals")

  private let sources: [any DispatchSourceSignal]

  /// Returns when all handlers are installed, so that a signal after the program's first output is handled. Until then
  /// the signals keep their disposition. Ignoring them first, as Dispatch requires on other systems, would lose
  /// signals.
  package init(_ numbers: [Int32], _ body: @escaping @Sendable (_ number: Int32) -> Void) {
    let received = DispatchSemaphore(value: 0)
    sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: Self.queue)
      source.setEventHandler { body(number) }
      source.setRegistrationHandler { received.signal() }
      source.resume()
      return source
    }
    for _ in numbers { received.wait() }
  }

  deinit { for source in sources { source.cancel() } }

  /// Returns whether the parent process set a signal to be ignored (nohup).
  package static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    _ = unsafe sigaction(number, nil, &action)
    // Functions cannot be compared, addresses can.
    let found = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    let ignoring = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
    return found == ignoring
  }
}
