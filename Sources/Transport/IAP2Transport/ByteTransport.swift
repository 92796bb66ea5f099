// swift-iap2 · Apache-2.0

import IAP2

/// A transport that moves bytes between two sides, in order. One task receives and one task sends at a time.
public protocol ByteTransport: Sendable {
  /// Returns the next bytes, at least one; nil at the end of the stream, whichever side ended it.
  func receive() async throws(TransportError) -> [UInt8]?
  /// Sends the bytes. Waits while the transport is full.
  func send(_ bytes: [UInt8]) async throws(TransportError)
  /// Sends the accepted bytes, then ends the stream. May be called more than once.
  func close() async
  /// The address of the transport as text, for messages and errors.
  var address: String { get }
  /// The executor that a connection's tasks should prefer. It runs on the thread that moves the bytes, so that an
  /// acknowledgement needs no thread switch. Nil leaves the tasks on the executor that started them.
  var taskExecutor: (any TaskExecutor)? { get }
  /// Returns a stream for one session of an EA protocol that bypasses the link (EA native transport). Returns nil if
  /// the transport cannot carry it; the session's bytes then go through the link.
  ///
  /// The first `receive` opens the stream, because opening may fail or take time. The caller must call `close`. After
  /// `close` has returned, the next session of the protocol may get its own stream. A stream ends with the link's
  /// transport at the latest.
  ///
  /// - Parameters:
  ///   - name: The name of the session's protocol.
  ///   - protocols: The names of all protocols that the accessory identified as native, in its order.
  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)?
}

extension ByteTransport {
  /// Nil, for a transport without a preference.
  public var taskExecutor: (any TaskExecutor)? { nil }

  /// Returns nil, for a transport without native streams.
  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? { nil }
}

/// A source of connections: a client gives one, a listener gives one after another.
public protocol TransportSource: Sendable {
  /// Returns the next connection; nil when there are no more.
  func next() async throws(TransportError) -> (any ByteTransport)?
  /// Ends the source; a waiting `next` returns.
  func close() async
  /// The actual address, for example with the port that was chosen for port 0.
  var address: String { get }
}
