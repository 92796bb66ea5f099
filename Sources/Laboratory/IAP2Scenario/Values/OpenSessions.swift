// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization

/// The open EA sessions of the phone, which steps write to and read from: those that steps and running apps have
/// opened.
final class OpenSessions: Sendable {
  /// An open session, and the bytes that no step has taken yet.
  final class Entry: Sendable {
    let stream: ExternalAccessoryStream
    let closed = Signal()
    private let bytes = Mutex<(unread: ArraySlice<UInt8>, taken: [UInt8])>(([], []))

    /// The bytes of earlier expectations that are kept for an explanation.
    private static let keptByteCount = 4096

    init(_ stream: ExternalAccessoryStream) { self.stream = stream }

    /// Returns the bytes that were read and not taken; nil without any.
    func takeUnread() -> ArraySlice<UInt8>? {
      bytes.withLock { bytes in
        defer { bytes.unread = [] }
        return bytes.unread.isEmpty ? nil : bytes.unread
      }
    }

    /// Puts bytes back that come after those of an expectation.
    func putBack(_ rest: ArraySlice<UInt8>, taken: ArraySlice<UInt8>) {
      bytes.withLock { bytes in
        bytes.unread = rest
        bytes.taken = Array((bytes.taken + taken).suffix(Self.keptByteCount))
      }
    }

    /// Returns whether bytes that earlier expectations have taken contain the pattern.
    func hasTaken(_ pattern: DataPattern) -> Bool {
      var search = DataPattern.Search(pattern)
      return bytes.withLock { search.end(in: $0.taken[...]) != nil }
    }
  }

  /// The reason why a session was not found.
  enum Problem: Error {
    case none
    case several([String])
  }

  private let entries = Mutex<[Entry]>([])
  /// Notified when a session was opened.
  let changed = Signal()

  @discardableResult
  func add(_ stream: ExternalAccessoryStream) -> Entry {
    let entry = Entry(stream)
    entries.withLock { $0.append(entry) }
    changed.notify()
    return entry
  }

  /// Keeps the session of a running app until it ends.
  ///
  /// - Parameter discards: whether no step reads from it, so that its bytes are dropped.
  func hold(_ stream: ExternalAccessoryStream, discards: Bool) async {
    let entry = add(stream)
    if discards { while await stream.read() != nil {} } else { await entry.closed.wait() }
    remove(entry)
  }

  /// Reports an event of the phone. A session that has closed wakes the one that holds it.
  func handle(_ event: RoleEvent) {
    guard case .externalAccessoryClosed(_, let session, _, _) = event else { return }
    for entry in entries.withLock({ $0 }) where entry.stream.session == session { entry.closed.notify() }
  }

  func remove(_ entry: Entry) { entries.withLock { $0.removeAll { $0 === entry } } }

  /// Forgets all sessions. Their connection holds its services, and those hold this object.
  func removeAll() { entries.withLock { $0 = [] } }

  /// Returns the last opened session of a protocol, or the only open session.
  func find(_ name: String?) throws(Problem) -> Entry {
    let all = entries.withLock { $0 }
    // A session that has ended may still have unread bytes.
    let named = name.map { name in all.filter { $0.stream.protocolName == name } } ?? all
    guard let entry = named.last(where: { $0.stream.isOpen }) ?? named.last else { throw .none }
    let names = Set(named.filter(\.stream.isOpen).map(\.stream.protocolName))
    guard names.count < 2 else { throw .several(names.sorted()) }
    return entry
  }
}
