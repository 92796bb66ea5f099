// swift-iap2 · Apache-2.0

import IAP2
import Synchronization

/// A byte queue from a thread that may block to the one task that reads.
package final class Inbox: Sendable {
  private enum End {
    case open, over
    case failed(TransportError)
  }

  private struct State {
    var bytes: [UInt8] = []
    var end = End.open
  }

  /// The number of queued bytes at which the writer should pause. It holds several reads, so that reading and
  /// processing overlap.
  private static let limit = 1 << 19

  private let state = Mutex(State())
  private let readable = Signal()

  /// Creates an empty, open inbox.
  package init() {}

  /// Appends the bytes in any case. Returns false if the inbox is full; the writer should then pause until bytes were
  /// taken.
  package func append(_ bytes: RawSpan) -> Bool {
    let hasRoom = state.withLock { state in
      state.bytes.append(copying: bytes)
      return state.bytes.count < Self.limit
    }
    readable.notify()
    return hasRoom
  }

  /// Whether the writer should pause.
  package var isFull: Bool { state.withLock { $0.bytes.count >= Self.limit } }

  /// Returns all bytes since the last call, at least one. Returns nil after the end when no bytes are left, and when
  /// the task is cancelled.
  ///
  /// - Throws: The error given to `finish`, once no bytes are left.
  package func take() async throws(TransportError) -> [UInt8]? {
    while true {
      let (bytes, end) = state.withLock { state in
        var bytes: [UInt8] = []
        swap(&bytes, &state.bytes)
        return (bytes, state.end)
      }
      if !bytes.isEmpty { return bytes }
      switch end {
      case .over: return nil
      case .failed(let error): throw error
      case .open: if Task.isCancelled { return nil }
      }
      await readable.wait()
    }
  }

  /// Ends the queue. The first call decides whether the end is an error.
  package func finish(_ error: TransportError? = nil) {
    state.withLock { state in
      guard case .open = state.end else { return }
      state.end = error.map { .failed($0) } ?? .over
    }
    readable.notify()
  }
}
