// swift-iap2 · Apache-2.0

package import Basics
package import CarPlaySession

/// An event on a socket of a probe.
package enum Occurrence: Sendable, Hashable {
  /// A socket was bound; the port is nil if the system refused.
  case bound(SessionSocket, port: UInt16?)
  /// A TCP connection is established.
  case connected(SessionSocket)
  /// Bytes of a connection, or a datagram from a port.
  case received(SessionSocket, [UInt8], port: UInt16)
  /// A connection ended or could not be made.
  case closed(SessionSocket)
  /// Whether a connection accepts more bytes.
  case writable(SessionSocket, Bool)
  /// The coprocessor signed; nil if it did not.
  case signed(AccessoryEvidence?)
}

/// The sockets of a probe and its time: those of the system, or those of a network in memory.
package protocol ProbeLine: Sendable {
  /// The present time.
  var now: MonotonicTime { get async }
  /// Performs actions in their order.
  func act(_ actions: [SessionAction]) async
  /// Returns what has happened since the last call, and waits for the first of it until a time. After a cancellation it
  /// returns at once.
  func next(until deadline: MonotonicTime) async -> [Occurrence]
  /// Closes every socket.
  func close() async
}

/// The sockets of a probe as a session, so that every owner of sessions can drive them: it decides nothing, and keeps
/// what happens for ``ProbeLine/next(until:)``.
package struct ProbeMachine: SessionMachine {
  /// The events that were not taken yet.
  private var occurrences: [Occurrence] = []
  /// The bytes of connections among them, and the connections whose reading is stopped.
  private var byteCount = 0
  private var paused: Set<SessionSocket> = []
  /// The number of bytes that were not taken at which a connection is not read any more. Ours: a probe takes bytes many
  /// times in a second.
  private static let maximumByteCount = 4 << 20
  private var actions: [SessionAction] = []
  /// Called when something happened.
  private let notify: @Sendable () -> Void

  /// Creates a machine without sockets.
  package init(notify: @escaping @Sendable () -> Void = {}) { self.notify = notify }

  /// Adds actions for the owner.
  package mutating func add(_ actions: [SessionAction]) { self.actions += actions }

  /// Removes and returns what has happened.
  package mutating func takeOccurrences() -> [Occurrence] {
    defer { (occurrences, byteCount) = ([], 0) }
    for socket in paused { actions.append(.setReading(socket, true)) }
    paused = []
    return occurrences
  }

  private mutating func note(_ occurrence: Occurrence) {
    occurrences.append(occurrence)
    notify()
  }

  package mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime) {
    note(.bound(socket, port: port))
  }

  package mutating func connected(_ socket: SessionSocket, at time: MonotonicTime) { note(.connected(socket)) }

  package mutating func receive(
    _ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime
  ) {
    byteCount += bytes.count
    guard byteCount <= Self.maximumByteCount || !socket.isDatagram else { return }
    note(.received(socket, bytes, port: port))
    guard byteCount > Self.maximumByteCount, paused.insert(socket).inserted else { return }
    actions.append(.setReading(socket, false))
  }

  package mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime) {
    note(.writable(socket, isWritable))
  }

  package mutating func closed(_ socket: SessionSocket, at time: MonotonicTime) { note(.closed(socket)) }

  package mutating func stop(_ end: SessionEnd, at time: MonotonicTime) {}

  package mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime) { note(.signed(evidence)) }

  package mutating func handleDeadline(at time: MonotonicTime) {}

  package var nextDeadline: MonotonicTime? { nil }

  package mutating func takeActions(into taken: inout [SessionAction]) {
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &actions)
  }
}
