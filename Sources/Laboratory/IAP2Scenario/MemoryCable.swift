// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Runtime
import IAP2Simulation
import IAP2Transport
import Synchronization

/// A cable that can be pulled and plugged in again. Each plug creates a new pair of transports.
final class MemoryCable: Sendable {
  struct Pair: Sendable {
    var accessory: MemoryTransport
    var device: any ByteTransport
    /// The phone's end with injected faults; nil without a fault plan.
    var faulty: FaultyTransport?
  }

  let pairs: AsyncStream<Pair>
  private let plugged: AsyncStream<Pair>.Continuation
  private let clock: any RuntimeClock
  private let plan: Mutex<FaultPlan?>
  private let current = Mutex<Pair?>(nil)
  /// The faulty end of the last pair, also after the cable was pulled.
  private let latest = Mutex<FaultyTransport?>(nil)
  private let count = Mutex(0)

  /// - Parameters:
  ///   - delayMilliseconds: the delay in each direction.
  ///   - plan: the faults of the cable; nil for none.
  ///   - clock: the clock of the delays and the faults.
  init(delayMilliseconds: Int, plan: FaultPlan?, clock: any RuntimeClock) {
    delay = MemoryTransport.Delay(milliseconds: delayMilliseconds, clock: clock)
    self.clock = clock
    self.plan = Mutex(plan)
    (pairs, plugged) = AsyncStream.makeStream()
  }

  private let delay: MemoryTransport.Delay

  private func makePair() -> Pair {
    let ends = MemoryTransport.pair(delay: delay)
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    let faulty = plan.withLock { $0 }.map {
      FaultyTransport(ends.device, plan: $0, side: .device, connection: number, clock: clock)
    }
    return Pair(accessory: ends.accessory, device: faulty ?? ends.device, faulty: faulty)
  }

  /// Reports an event to the fault plan, because faults may start at events.
  func happened(_ event: String) { current.withLock { $0?.faulty }?.happened(event) }

  /// Pulls the cable while both transports stay open.
  func goHalfOpen() { current.withLock { $0?.faulty }?.goHalfOpen() }

  /// Changes the conditions of this cable and of later ones. Without a plan nothing changes.
  func change(_ change: ConditionChange) {
    plan.withLock { $0?.change(change) }
    current.withLock { $0?.faulty }?.change(change)
  }

  /// Pulls the current cable, if any, and plugs in a new one.
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

  /// Pulls the cable, ends a half-open transport too, and finishes ``pairs``.
  func end() {
    cut()
    latest.withLock { $0 }?.end()
    plugged.finish()
  }
}
