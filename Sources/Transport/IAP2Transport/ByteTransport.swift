// swift-iap2 · Apache-2.0

import IAP2

/// Moves bytes between two sides, in order. One task reads and one writes at a time.
public protocol ByteTransport: Sendable {
  /// The next bytes, at least one; nil at the end of the stream, whichever side ended it.
  func receive() async throws(TransportError) -> [UInt8]?
  /// Waits while the medium is full.
  func send(_ bytes: [UInt8]) async throws(TransportError)
  /// Sends what was accepted, then ends the stream. May be called again.
  func close() async
  var address: String { get }
  /// Where a connection's tasks run best: on the thread that moves the bytes, so that an acknowledgement costs no change
  /// of threads. Nil leaves them where they were started.
  var taskExecutor: (any TaskExecutor)? { get }
  /// The bytes of one session of an EA protocol that go beside the link (EA native transport), from now until it is
  /// closed; nil where the medium has no place for them, and they go through the link.
  ///
  /// What opens the medium, and may fail or take its time, is left to the first `receive`. Whoever gets it calls `close`;
  /// when that has returned, the next session of the protocol may have its own. It ends with the link's medium at the
  /// latest.
  ///
  /// - Parameter protocols: the names of all that the accessory has identified as native, in its order.
  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)?
}

extension ByteTransport {
  public var taskExecutor: (any TaskExecutor)? { nil }

  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? { nil }
}

/// Where connections come from: a dialled one once, a listener's one after another.
public protocol TransportSource: Sendable {
  /// The next connection; nil when there are no more.
  func next() async throws(TransportError) -> (any ByteTransport)?
  func close() async
  /// The real address, as after listening on port 0.
  var address: String { get }
}
