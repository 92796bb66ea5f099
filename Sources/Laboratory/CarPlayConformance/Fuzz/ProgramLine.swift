// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Synchronization

/// A line without a network, in virtual time: what happens on it is what a fuzz target adds.
final class ProgramLine: ProbeLine {
  private struct State {
    var now = MonotonicTime(nanoseconds: 1_000_000_000)
    var batches: [[Occurrence]] = []
    var nextPort: UInt16 = 5000
    var actionCount = 0
  }

  private let state = Mutex(State())
  /// Whether connections are accepted.
  private let accepts: Bool

  init(accepts: Bool) { self.accepts = accepts }

  /// The number of actions of the probe.
  var actionCount: Int { state.withLock { $0.actionCount } }

  /// Adds what happens next.
  func add(_ occurrences: [Occurrence]) { state.withLock { $0.batches.append(occurrences) } }

  var now: MonotonicTime { get async { state.withLock { $0.now } } }

  func act(_ actions: [SessionAction]) async {
    state.withLock { state in
      state.actionCount += actions.count
      for action in actions {
        switch action {
        case .bind(let socket, _):
          state.nextPort += 1
          state.batches.append([.bound(socket, port: state.nextPort)])
        case .connect(let socket, _): state.batches.append([accepts ? .connected(socket) : .closed(socket)])
        case .sign: state.batches.append([.signed(nil)])
        case .send, .sendDatagram, .close, .setReading, .log, .report: break
        }
      }
    }
  }

  func next(until deadline: MonotonicTime) async -> [Occurrence] {
    state.withLock { state in
      guard !state.batches.isEmpty else {
        state.now = max(state.now, deadline)
        return []
      }
      state.now = state.now.advanced(by: .milliseconds(1))
      return state.batches.removeFirst()
    }
  }

  func close() async {}
}
