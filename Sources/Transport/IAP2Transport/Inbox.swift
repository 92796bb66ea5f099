// swift-iap2 · Apache-2.0

import IAP2
import Synchronization

/// Bytes on their way from a thread that may block to the one task that reads them.
package final class Inbox: Sendable {
  private enum End {
    case open, over
    case failed(TransportError)
  }

  private struct State {
    var bytes: [UInt8] = []
    var end = End.open
  }

  /// Bytes that may wait: a few reads, so that reading and handling overlap.
  private static let limit = 1 << 19

  private let state = Mutex(State())
  private let readable = Signal()

  package init() {}

  /// Keeps them; false when enough wait and the writer should pause until something was taken.
  package func append(_ bytes: RawSpan) -> Bool {
    let hasRoom = state.withLock { state in
      state.bytes.append(copying: bytes)
      return state.bytes.count < Self.limit
    }
    readable.notify()
    return hasRoom
  }

  /// Enough wait.
  package var isFull: Bool { state.withLock { $0.bytes.count >= Self.limit } }

  /// What has come since the last call, at least one byte; nil once it is over and everything was taken.
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

  /// Nothing more will come; the first call says why.
  package func finish(_ error: TransportError? = nil) {
    state.withLock { state in
      guard case .open = state.end else { return }
      state.end = error.map { .failed($0) } ?? .over
    }
    readable.notify()
  }
}
