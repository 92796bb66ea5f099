// swift-iap2 · Apache-2.0

import Basics
package import CarPlayConformance
package import CarPlayLive
package import CarPlaySession
import IAP2Transport

/// The sockets of a probe on this machine.
package final class SocketLine: ProbeLine {
  private let runner: SessionRunner<ProbeMachine>
  private let signal: Signal

  /// Creates sockets that are not connected.
  ///
  /// - Parameters:
  ///   - sign: Signs with the accessory's key; nil if it cannot.
  ///   - tap: Receives a record for all bytes; nil for none.
  ///   - keyLog: Receives the secrets; nil drops them.
  package init(
    sign: @escaping @Sendable ([UInt8]) async -> AccessoryEvidence? = { _ in nil },
    tap: (@Sendable (SocketRecord) -> Void)? = nil, keyLog: (@Sendable (AgreedSecret) -> Void)? = nil
  ) {
    let signal = Signal()
    self.signal = signal
    runner = SessionRunner(
      ProbeMachine(notify: { signal.notify() }), sign: sign, tap: tap, keyLog: keyLog, onEvent: { _ in })
  }

  /// Connects to a head unit.
  ///
  /// - Throws: The error of the system.
  package func dial(host: String, port: Int) async throws { try await runner.connect(host: host, port: port) }

  /// Waits for phones from now on.
  ///
  /// - Returns: The address with its real port.
  /// - Throws: The error of the system.
  package func listen(host: String, port: Int) async throws -> String {
    let address = try await runner.listen(host: host, port: port)
    await runner.accept()
    return address
  }

  package var now: MonotonicTime { SessionSystem.now }

  package func act(_ actions: [SessionAction]) async { await runner.act { machine, _ in machine.add(actions) } }

  package func next(until deadline: MonotonicTime) async -> [Occurrence] {
    while true {
      let occurrences = await runner.act { machine, _ in machine.takeOccurrences() }
      let left = deadline.nanoseconds - now.nanoseconds
      guard occurrences.isEmpty, left > 0, !Task.isCancelled else { return occurrences }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { do { try await Task.sleep(for: .nanoseconds(left)) } catch {} }
        group.addTask { [signal] in await signal.wait() }
        await group.next()
        group.cancelAll()
      }
    }
  }

  package func close() async { await runner.close() }
}
