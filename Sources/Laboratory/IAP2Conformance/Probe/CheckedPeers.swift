// swift-iap2 · Apache-2.0

package import IAP2Transport

/// The connections to a live peer, one for each check.
///
/// A transport that dials is dialed for each check. A line is opened once and shared by all checks. A listening
/// transport is opened once and accepts a connection for each check.
package actor CheckedPeers {
  private let clock: any RuntimeClock
  private let isDialed: Bool
  private let isLine: Bool
  private let open: @Sendable () async throws(TransportError) -> any TransportSource
  private var source: (any TransportSource)?
  private var line: SharedLine?
  private var isClosed = false
  private var wasConnected = false

  /// Creates the connections. The first call of ``next()`` opens the transport.
  ///
  /// - Parameters:
  ///   - clock: The clock on whose executor a line is read.
  ///   - isDialed: Whether this side calls the peer.
  ///   - isLine: Whether the transport is a line without connections, such as a serial one.
  ///   - open: Opens the transport.
  package init(
    clock: any RuntimeClock, isDialed: Bool, isLine: Bool,
    open: @escaping @Sendable () async throws(TransportError) -> any TransportSource
  ) {
    (self.clock, self.isDialed, self.isLine, self.open) = (clock, isDialed, isLine, open)
  }

  /// Returns the connection of the next check; nil after ``close()`` and after the end of the transport.
  ///
  /// - Throws: The reason why the transport cannot be opened, or why the first connection fails.
  package func next() async throws(TransportError) -> (any ByteTransport)? {
    if let line { return line.connection() }
    if isDialed { return try await dial() }
    if source == nil { source = try await open() }
    guard !isClosed, let next = try await source?.next() else { return nil }
    guard isLine else { return next }
    let shared = SharedLine(next, clock: clock)
    line = shared
    return shared.connection()
  }

  /// Dials. After the first connection, it dials repeatedly until the peer listens again or the suite closes the
  /// source.
  private func dial() async throws(TransportError) -> (any ByteTransport)? {
    while !isClosed {
      do throws(TransportError) {
        let dialed = try await open().next()
        wasConnected = true
        return dialed
      } catch { if !wasConnected { throw error } }
      do { try await Task.sleep(for: .milliseconds(Self.redialMilliseconds)) } catch { return nil }
    }
    return nil
  }

  private static let redialMilliseconds = 200

  /// Closes the transport. A waiting ``next()`` returns nil.
  package func close() async {
    isClosed = true
    await source?.close()
    await line?.close()
  }
}
