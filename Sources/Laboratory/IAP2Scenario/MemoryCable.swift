// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Runtime
import IAP2Simulation
import IAP2Transport
import Synchronization

/// A cable that is pulled and put in again: each time a pair of transports of its own.
final class MemoryCable: Sendable {
  struct Pair: Sendable {
    var accessory: MemoryTransport
    var device: any ByteTransport
    /// Around the phone's end, where something goes wrong with the cable.
    var faulty: FaultyTransport?
  }

  let pairs: AsyncStream<Pair>
  private let plugged: AsyncStream<Pair>.Continuation
  private let clock: any RuntimeClock
  private let plan: FaultPlan?
  private let current = Mutex<Pair?>(nil)
  /// The latest, also when it was pulled and its ends do not know.
  private let latest = Mutex<FaultyTransport?>(nil)
  private let count = Mutex(0)

  /// - Parameter plan: what goes wrong with it; nil: nothing.
  init(delayMilliseconds: Int, plan: FaultPlan?, clock: any RuntimeClock) {
    delay = MemoryTransport.Delay(milliseconds: delayMilliseconds, clock: clock)
    self.clock = clock
    self.plan = plan
    (pairs, plugged) = AsyncStream.makeStream()
  }

  private let delay: MemoryTransport.Delay

  private func makePair() -> Pair {
    let ends = MemoryTransport.pair(delay: delay)
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    let faulty = plan.map { FaultyTransport(ends.device, plan: $0, side: .device, connection: number, clock: clock) }
    return Pair(accessory: ends.accessory, device: faulty ?? ends.device, faulty: faulty)
  }

  /// Tells what has happened to who waits for it.
  func happened(_ event: String) { current.withLock { $0?.faulty }?.happened(event) }

  /// Pulls it, and nobody is told.
  func goHalfOpen() { current.withLock { $0?.faulty }?.goHalfOpen() }

  /// Puts a new one in; one that is in is pulled first.
  func plug() {
    cut()
    let pair = makePair()
    current.withLock { $0 = pair }
    latest.withLock { $0 = pair.faulty }
    plugged.yield(pair)
  }

  func cut() {
    current.withLock { pair in
      pair?.accessory.cut()
      pair = nil
    }
  }

  /// Who still believes in a cable that was pulled unnoticed does not any longer.
  func end() {
    cut()
    latest.withLock { $0 }?.end()
    plugged.finish()
  }
}
