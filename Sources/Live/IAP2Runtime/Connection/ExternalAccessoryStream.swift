// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Roles
import IAP2Transport
import Synchronization

/// An open EA session as a stream of bytes.
///
/// At most one task reads and one task writes at a time. A reader that stops slows the peer's session down and loses it
/// at the limit. Other sessions continue. If all sessions of the connection together exceed their limit, the session
/// with the most unread bytes ends, and its reader does not receive these bytes.
public final class ExternalAccessoryStream: Sendable {
  /// The id of the session, which the device chose.
  public let session: UInt16
  /// The name of the EA protocol.
  public let protocolName: String

  struct State: Sendable {
    private(set) var chunks: [[UInt8]] = []
    /// The bytes of ``chunks``.
    private(set) var unreadByteCount = 0
    /// Whether the session has lost its unread bytes. Later bytes are dropped.
    private(set) var isDiscarded = false
    var isOpen = true
    var isWriting = false
    var isDraining = false
    var bytesSent = 0
    var bytesReceived = 0
    /// Bytes have arrived since the reader was last woken.
    var hasNews = false
    var isBehind = false
    /// The bytes that were read and not yet reported to the connection.
    var unreportedByteCount = 0

    /// Appends bytes and joins small pieces, so that a peer that sends single bytes does not cost more memory than
    /// them.
    mutating func append(_ chunk: [UInt8]) {
      bytesReceived += chunk.count
      hasNews = true
      guard !isDiscarded else { return }
      unreadByteCount += chunk.count
      if let last = chunks.indices.last, chunks[last].count + chunk.count <= Self.joinedByteCount {
        chunks[last] += chunk
      } else {
        chunks.append(chunk)
      }
    }

    static let joinedByteCount = 4096

    /// Returns the next piece, and the number of bytes to report to the connection now.
    mutating func take(reportingFrom threshold: Int) -> (chunk: [UInt8]?, report: Int) {
      guard !chunks.isEmpty else { return (nil, 0) }
      let chunk = chunks.removeFirst()
      unreadByteCount -= chunk.count
      unreportedByteCount += chunk.count
      guard isBehind || unreportedByteCount >= threshold else { return (chunk, 0) }
      defer { unreportedByteCount = 0 }
      return (chunk, unreportedByteCount)
    }

    /// Drops the unread bytes and returns how many.
    mutating func discard() -> Int {
      defer { unreadByteCount = 0 }
      chunks = []
      isDiscarded = true
      return unreadByteCount
    }
  }

  let state = Mutex(State())
  let readable = Signal()
  let writable = Signal()
  private let host: any ExternalAccessoryHost
  /// The unread bytes of all sessions of the connection.
  private let unread: UnreadByteCount
  /// The bytes that are read before they are reported to the connection. A hop to the connection's actor for each piece
  /// would cost more than the piece.
  private let reportingByteCount: Int

  init(
    session: UInt16, protocolName: String, host: any ExternalAccessoryHost, unread: UnreadByteCount,
    reportingByteCount: Int
  ) {
    self.session = session
    self.protocolName = protocolName
    self.host = host
    self.unread = unread
    self.reportingByteCount = reportingByteCount
  }

  deinit { unread.add(-state.withLock { $0.unreadByteCount }) }

  /// Returns the next bytes, as soon as there are some; nil when the session has ended and everything was read.
  public func read() async -> [UInt8]? {
    while true {
      let (next, isOpen) = state.withLock { ($0.take(reportingFrom: reportingByteCount), $0.isOpen) }
      if let chunk = next.chunk {
        unread.add(-chunk.count)
        if next.report > 0 { await host.consumed(next.report, of: session) }
        return chunk
      }
      guard isOpen, !Task.isCancelled else { return nil }
      await VirtualParty.wait(for: "bytes from the other end of \(protocolName)") { await readable.wait() }
    }
  }

  /// Waits for the end of the session without reading, as a reader that has stopped.
  package func waitUntilClosed() async {
    while isOpen, !Task.isCancelled { await readable.wait() }
  }

  /// Returns when all bytes are queued. While the session's queue is full, it waits.
  ///
  /// - Throws: ``ExternalAccessoryError/sessionEnded`` if the session ends before. A part of the bytes may be sent
  ///   then.
  public func write(_ bytes: [UInt8]) async throws(ExternalAccessoryError) { try await write(bytes, draining: false) }

  /// Returns when all bytes were sent: when they have left the queue of written bytes, or the session has ended then.
  ///
  /// - Throws: as ``write(_:)``.
  package func send(_ bytes: [UInt8]) async throws(ExternalAccessoryError) {
    // One call of the connection. A write and a drain would be three.
    try await write(bytes, draining: true)
    while state.withLock({ $0.isDraining && $0.isOpen }), !Task.isCancelled { await writable.wait() }
  }

  private func write(_ bytes: [UInt8], draining: Bool) async throws(ExternalAccessoryError) {
    var rest = bytes
    while !rest.isEmpty {
      guard isOpen, !Task.isCancelled, let taken = await host.send(rest, in: session, draining: draining) else {
        throw .sessionEnded
      }
      if taken == rest.count { return }
      rest.removeFirst(taken)
      await VirtualParty.wait(for: "the other end of \(protocolName) to read what was written") {
        await writable.wait()
      }
    }
  }

  /// Waits until the queue of written bytes is empty, or the session has ended.
  package func drain() async {
    while isOpen, !Task.isCancelled, await host.isQueued(session) { await writable.wait() }
  }

  /// Whether written bytes wait to be sent, or the peer has not acknowledged everything that the connection sent.
  package var hasUndelivered: Bool { get async { isOpen ? await host.hasUndelivered(session) : false } }

  /// Ends the session in order and returns when it has ended. Written bytes are sent first, within
  /// `Limits.externalAccessoryCloseMilliseconds`.
  public func close() async {
    await VirtualParty.wait(for: "the end of its session of \(protocolName)") { await host.close(session) }
  }

  /// Reports that the service of the session has returned.
  func serviceEnded() async { await host.serviceEnded() }

  /// The bytes that were written and queued so far.
  public var bytesSent: Int { state.withLock { $0.bytesSent } }
  /// The bytes that have arrived so far, read or not.
  public var bytesReceived: Int { state.withLock { $0.bytesReceived } }
  /// Whether neither side nor the end of the connection has ended the session.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Appends bytes that have arrived.
  func append(_ bytes: [UInt8]) {
    let isKept = state.withLock { state in
      state.append(bytes)
      return !state.isDiscarded
    }
    if isKept { unread.add(bytes.count) }
  }

  /// The bytes that have arrived and were not read.
  var unreadByteCount: Int { state.withLock { $0.unreadByteCount } }

  /// Drops the bytes that were not read. The reader sees the end of the session next.
  func discard() { unread.add(-state.withLock { $0.discard() }) }

  /// Wakes the reader if bytes have arrived.
  ///
  /// - Parameter isBehind: The sender is held back, so every piece that the reader takes is reported.
  func notifyReader(isBehind: Bool) {
    let hasNews = state.withLock { state in
      defer { state.hasNews = false }
      state.isBehind = isBehind
      return state.hasNews
    }
    if hasNews { readable.notify() }
  }

  func end() {
    state.withLock { $0.isOpen = false }
    readable.notify()
    writable.notify()
  }
}

/// The unread bytes of all EA sessions of a connection, open or closed. Readers and the connection count them.
final class UnreadByteCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }
  func add(_ byteCount: Int) { count.wrappingAdd(byteCount, ordering: .relaxed) }
}

/// The error of a call on an EA session.
public enum ExternalAccessoryError: Error, Equatable, Sendable {
  /// Either side closed the session, or there is no connection, or its end was decided.
  case sessionEnded
  /// The accessory cannot be asked for a session of this protocol; the name of the protocol and the reason.
  case notPossible(String, ExternalAccessoryOpenProblem)
  /// The accessory closed the session instead of opening it, or did not answer within
  /// `Limits.externalAccessoryOpenMilliseconds`; the name of the protocol.
  case refused(String)
}

/// The calls of an EA stream on its connection.
protocol ExternalAccessoryHost: Sendable {
  /// Reports that bytes were read.
  func consumed(_ byteCount: Int, of session: UInt16) async
  /// Queues bytes and returns their number; nil if the session is not open.
  ///
  /// - Parameter draining: Whether the writer is woken when the queue is empty, if it waits for that after all bytes.
  func send(_ bytes: [UInt8], in session: UInt16, draining: Bool) async -> Int?
  /// Returns whether bytes wait in the queue of the session. If so, its writer is woken when the queue is empty.
  func isQueued(_ session: UInt16) async -> Bool
  /// Returns whether bytes of the session wait to be sent or acknowledged.
  func hasUndelivered(_ session: UInt16) async -> Bool
  /// Ends the session in order. Returns when it has ended.
  func close(_ session: UInt16) async
  /// Reports that a service has returned, after its session closed.
  func serviceEnded() async
}
