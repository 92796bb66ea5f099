// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Transport
import Synchronization

/// A source of successive connections with one peer. A listening transport stays open; any other transport is closed
/// and opened again for each connection.
package final class ReopenedSource: Sendable {
  private struct State: Sendable {
    var source: (any TransportSource)?
    var isClosed = false
  }

  private let address: AnyTransportAddress
  private let side: Side
  private let waiting: @Sendable (String) -> Void
  private let report: @Sendable (TransportNotice) -> Void
  private let state = Mutex(State())

  /// Creates a source. The first connection opens the transport.
  ///
  /// - Parameters:
  ///   - side: The side that this program plays.
  ///   - waiting: Called with the opened address when the peer needs to know it.
  ///   - report: Called for each event of the transport, on any thread.
  package init(
    _ address: AnyTransportAddress, as side: Side, waiting: @escaping @Sendable (String) -> Void,
    report: @escaping @Sendable (TransportNotice) -> Void
  ) {
    (self.address, self.side, self.waiting, self.report) = (address, side, waiting, report)
  }

  /// Returns the next connection; nil after ``close()`` and if the peer cannot connect again.
  ///
  /// - Throws: The reason why the transport cannot be opened.
  package func next() async throws(TransportError) -> (any ByteTransport)? {
    try await opened()?.next()
  }

  private func opened() async throws(TransportError) -> (any TransportSource)? {
    let (last, isClosed) = state.withLock { ($0.source, $0.isClosed) }
    if isClosed { return nil }
    if let last, address.isListening { return last }
    await last?.close()
    let opened = try await address.open(once: true, as: side, report: report)
    let isLate = state.withLock { state in
      state.source = opened
      return state.isClosed
    }
    if isLate {
      await opened.close()
      return nil
    }
    if address.isWaiting { waiting(opened.address) }
    return opened
  }

  /// Closes the transport. A waiting ``next()`` returns nil.
  package func close() async {
    let source = state.withLock { state in
      state.isClosed = true
      return state.source
    }
    await source?.close()
  }
}
