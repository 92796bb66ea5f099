// swift-iap2 · Apache-2.0

import Dispatch
import Foundation
import IAP2Transport
import Synchronization

/// The output of a command while a session runs. Its pieces are written on a thread of their own, so that the session
/// does not wait for a reader.
package final class OutputQueue: Sendable {
  /// The limit of bytes that wait. With more, pieces are left out. It holds some ten thousand lines. Ours.
  package static let maximumByteCount = 4 << 20

  private struct Piece: Sendable {
    var byteCount: Int
    var write: @Sendable () -> Void
    var lost: @Sendable (Int) -> Void
  }

  private struct State {
    var pieces: [Piece] = []
    var byteCount = 0
    var lostCount = 0
    /// The number of pieces that were written.
    var written = 0
    var isRunning = false
    /// Whether ``OutputQueue/drain(_:)`` has waited in vain.
    var isGivenUp = false
  }

  private let name: String
  private let state = Mutex(State())
  private let ready = DispatchSemaphore(value: 0)

  package init(_ name: String) { self.name = name }

  /// Writes a piece later, or leaves it out.
  ///
  /// - Parameters:
  ///   - count: The bytes of the piece.
  ///   - lost: Called after a piece that was written, with the number of pieces that were left out before it.
  package func add(_ count: Int, lost: @escaping @Sendable (Int) -> Void, _ write: @escaping @Sendable () -> Void) {
    let (isTaken, isFirst) = state.withLock { state in
      guard state.byteCount == 0 || state.byteCount + count <= Self.maximumByteCount else {
        state.lostCount += 1
        return (false, false)
      }
      state.byteCount += count
      state.pieces.append(Piece(byteCount: count, write: write, lost: lost))
      defer { state.isRunning = true }
      return (true, !state.isRunning)
    }
    guard isTaken else { return }
    ready.signal()
    guard isFirst, !canStartThread(name, { self.run() }) else { return }
    // Without another thread the caller writes, as without a queue.
    state.withLock { $0.isRunning = false }
    writeAll()
  }

  private func run() { while true { writeAll() } }

  private func writeAll() {
    ready.wait()
    for piece in state.withLock({ state in
      defer { state.pieces = [] }
      return state.pieces
    }) {
      piece.write()
      let lost = state.withLock { state in
        state.byteCount -= piece.byteCount
        state.written += 1
        guard state.byteCount <= Self.maximumByteCount / 2 else { return 0 }
        defer { state.lostCount = 0 }
        return state.lostCount
      }
      if lost > 0 { piece.lost(lost) }
    }
  }

  /// Waits until everything was written, or until nothing was written for a time.
  ///
  /// - Returns: Whether everything was written. After a failure, the next call does not wait.
  package func drain(_ limit: Duration) -> Bool {
    var (last, until) = (-1, ContinuousClock.now + (state.withLock(\.isGivenUp) ? .zero : limit))
    while true {
      let (byteCount, written) = state.withLock { ($0.byteCount, $0.written) }
      guard byteCount > 0 else { return true }
      guard ContinuousClock.now < until else { break }
      if written != last { (last, until) = (written, .now + limit) }
      Thread.sleep(forTimeInterval: 0.002)
    }
    state.withLock { $0.isGivenUp = true }
    return false
  }
}
