// swift-iap2 · Apache-2.0

import CarPlaySession
import Synchronization

/// The back-pressure of several sinks: a stream is read only if no sink presses.
final class SinkPressure: Sendable {
  private struct Place: Hashable {
    var type: StreamType
    var sink: Int
  }

  private let reactions = Mutex<[Place: @Sendable () -> Bool]>([:])

  /// Keeps the closure by which a sink returns whether there is back-pressure now.
  func set(_ isPressed: @escaping @Sendable () -> Bool, of sink: Int, on type: StreamType) {
    reactions.withLock { $0[Place(type: type, sink: sink)] = isPressed }
  }

  /// Returns whether a sink presses a stream now.
  func isPressed(_ type: StreamType) -> Bool {
    reactions.withLock { $0.filter { $0.key.type == type }.map(\.value) }.contains { $0() }
  }
}
