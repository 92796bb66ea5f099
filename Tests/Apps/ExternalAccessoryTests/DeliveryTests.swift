// swift-iap2 · Apache-2.0

import AccessoryPlatform
import Foundation
import Synchronization
import Testing

/// The deliveries of one thread, which schedules and takes all turns.
private final class TurnCounter: Sendable {
  private struct State {
    var rest: Int
    var delivery: EventDelivery?
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(rest: count)) }

  var rest: Int { state.withLock { $0.rest } }

  /// Takes the turns, each of which requests the next one.
  func run() {
    let delivery = EventDelivery(.current, .default) { [weak self] in self?.turn() }
    state.withLock { $0.delivery = delivery }
    delivery.request()
    while rest > 0, RunLoop.current.run(mode: .default, before: .distantFuture) {}
    delivery.cancel()
  }

  private func turn() {
    let delivery = state.withLock { state in
      state.rest -= 1
      return state.delivery
    }
    delivery?.request()
  }
}

@Suite struct DeliveryTests {
  /// A turn that needs more stack than the one before ends the process here.
  @Test func manyTurnsNeedNoMoreStackThanOne() async {
    let counter = TurnCounter(20_000)
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let thread = Thread {
        counter.run()
        done.resume()
      }
      thread.stackSize = 1 << 18
      thread.start()
    }
    #expect(counter.rest == 0)
  }
}
