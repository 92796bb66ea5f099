// swift-iap2 · Apache-2.0

import Dispatch
import Glibc

/// Signals that this process hears of instead of being ended by them.
///
/// Invariant for `@unchecked`: set once and only kept alive; Dispatch objects may be used from any thread.
final class Signals: @unchecked Sendable {
  /// Threads of its own: it must not wait for one that waits for it.
  private static let queue = DispatchQueue(label: "iap2.signals")

  private let sources: [any DispatchSourceSignal]

  /// Returns when each is heard: whoever is told afterwards that the program is there can end it at once. Until then they
  /// do what they did before; ignoring them, as Dispatch wants it on other systems, would lose what comes meanwhile.
  init(_ numbers: [Int32], _ body: @escaping @Sendable (_ number: Int32) -> Void) {
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

  /// Whether somebody said that a signal is nothing to this program (nohup).
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    _ = unsafe sigaction(number, nil, &action)
    // Functions cannot be compared, addresses can.
    let found = unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    let ignoring = unsafe unsafeBitCast(SIG_IGN, to: Int.self)
    return found == ignoring
  }
}
