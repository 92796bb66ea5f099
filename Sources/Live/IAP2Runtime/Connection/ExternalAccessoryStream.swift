// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Roles
import IAP2Transport
import Synchronization

/// An open EA session as a stream of bytes: what an accessory protocol or an app sees.
///
/// One task reads and one writes at a time. A reader that stops slows its peer's session and, at the limit, loses it;
/// other sessions go on.
public final class ExternalAccessoryStream: Sendable {
  public let session: UInt16
  public let protocolName: String

  struct State: Sendable {
    var chunks: [[UInt8]] = []
    var isOpen = true
    var isWriting = false
    var isDraining = false
    var bytesSent = 0
    var bytesReceived = 0
    /// Arrived since the reader was last woken.
    var hasNews = false
    var isBehind = false
    /// Read, and not yet told to the connection.
    var unreportedByteCount = 0

    /// Small pieces are joined: a peer that sends single bytes must not cost more than its bytes.
    mutating func append(_ chunk: [UInt8]) {
      bytesReceived += chunk.count
      hasNews = true
      if let last = chunks.indices.last, chunks[last].count + chunk.count <= Self.joinedByteCount {
        chunks[last] += chunk
      } else {
        chunks.append(chunk)
      }
    }

    static let joinedByteCount = 4096

    /// The next piece, and how many bytes the connection should hear of now.
    mutating func take(reportingFrom threshold: Int) -> (chunk: [UInt8]?, report: Int) {
      guard !chunks.isEmpty else { return (nil, 0) }
      let chunk = chunks.removeFirst()
      unreportedByteCount += chunk.count
      guard isBehind || unreportedByteCount >= threshold else { return (chunk, 0) }
      defer { unreportedByteCount = 0 }
      return (chunk, unreportedByteCount)
    }
  }

  let state = Mutex(State())
  let readable = Signal()
  let writable = Signal()
  private let host: any ExternalAccessoryHost
  /// Bytes read before the connection hears of them: a hop for each piece would cost more than the piece.
  private let reportingByteCount: Int

  init(session: UInt16, protocolName: String, host: any ExternalAccessoryHost, reportingByteCount: Int) {
    self.session = session
    self.protocolName = protocolName
    self.host = host
    self.reportingByteCount = reportingByteCount
  }

  /// The next bytes; nil when the session has ended and everything was read.
  public func read() async -> [UInt8]? {
    while true {
      let (next, isOpen) = state.withLock { ($0.take(reportingFrom: reportingByteCount), $0.isOpen) }
      if let chunk = next.chunk {
        if next.report > 0 { await host.consumed(next.report, of: session) }
        return chunk
      }
      guard isOpen, !Task.isCancelled else { return nil }
      await readable.wait()
    }
  }

  /// Waits for the session's end without reading: a reader that has stopped.
  package func waitUntilClosed() async {
    while isOpen, !Task.isCancelled { await readable.wait() }
  }

  /// Waits until all bytes are queued; throws when the session has ended.
  public func write(_ bytes: [UInt8]) async throws(ExternalAccessoryError) {
    var rest = bytes
    while !rest.isEmpty {
      guard isOpen, !Task.isCancelled, let taken = await host.send(rest, in: session) else { throw .sessionEnded }
      if taken == rest.count { return }
      rest.removeFirst(taken)
      await writable.wait()
    }
  }

  /// Waits until everything that was written has left the queue, or the session has ended.
  package func drain() async {
    while isOpen, !Task.isCancelled, await host.isQueued(session) { await writable.wait() }
  }

  /// Ends the session in order: what was written is sent first, for as long as ``Limits`` says. Returns when it has ended.
  public func close() async { await host.close(session) }

  public var bytesSent: Int { state.withLock { $0.bytesSent } }
  public var bytesReceived: Int { state.withLock { $0.bytesReceived } }
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Wakes the reader if there is something new.
  ///
  /// - Parameter isBehind: its sender is held back, so that every piece it reads counts.
  func tellReader(isBehind: Bool) {
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

public enum ExternalAccessoryError: Error, Equatable, Sendable {
  /// The session was closed, by either side, or the connection is gone.
  case sessionEnded
  /// It cannot be asked for: the accessory has not identified the protocol, or does not take the request.
  case notPossible(String, PhonePolicy.OpenProblem)
  /// The accessory closed the session instead of opening it.
  case refused(String)
}

/// What an EA stream needs of its connection.
protocol ExternalAccessoryHost: Sendable {
  func consumed(_ byteCount: Int, of session: UInt16) async
  /// How many bytes were taken; nil when the session is not open.
  func send(_ bytes: [UInt8], in session: UInt16) async -> Int?
  /// Whether bytes wait in its queue; then its writer is woken when none do.
  func isQueued(_ session: UInt16) async -> Bool
  func close(_ session: UInt16) async
}
