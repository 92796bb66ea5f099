// swift-iap2 · Apache-2.0

import IAP2Runtime
import Synchronization

/// A cable that is pulled and put in again: each time a pair of transports of its own.
final class MemoryCable: Sendable {
  typealias Pair = (accessory: MemoryTransport, device: MemoryTransport)

  let pairs: AsyncStream<Pair>
  private let plugged: AsyncStream<Pair>.Continuation
  private let makePair: @Sendable () -> Pair
  private let current = Mutex<MemoryTransport?>(nil)

  init(_ makePair: @escaping @Sendable () -> Pair) {
    self.makePair = makePair
    (pairs, plugged) = AsyncStream.makeStream()
  }

  /// Puts a new one in; one that is in is pulled first.
  func plug() {
    cut()
    let pair = makePair()
    current.withLock { $0 = pair.accessory }
    plugged.yield(pair)
  }

  func cut() {
    current.withLock { transport in
      transport?.cut()
      transport = nil
    }
  }

  func end() {
    cut()
    plugged.finish()
  }
}
