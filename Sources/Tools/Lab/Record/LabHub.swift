// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// A page that shows the lab.
protocol LabClient: AnyObject, Sendable {
  /// There is something new for ``LabHub/next(_:limit:)``.
  func wake()
  /// A picture. A client that has not taken the last one may drop it.
  func offer(_ picture: LabPicture)
  /// A file, as a message. Only the client that asked for it takes it.
  func deliver(_ file: String)
}

/// The position of a client in the data of the hub.
struct LabCursor: Sendable {
  fileprivate var session = -1
  fileprivate var number = 0
  fileprivate var dropped = 0
  fileprivate var state = 0
  fileprivate var message = 0
}

/// The place between a session and the pages that show it: the record, the last state, and the pictures.
///
/// A session adds on its own thread, and each client takes at its own speed.
package final class LabHub: Sendable {
  private struct State {
    /// The number of the present session, and its introduction.
    var session = 0
    var hello = ""
    var record = LabRecord()
    /// The last state as JSON, and how often it has changed.
    var state = ""
    var stateNumber = 0
    /// The last messages to all clients, and the number of earlier ones.
    var messages: [String] = []
    var messageStart = 0
    var clients: [any LabClient] = []
  }

  private let state = Mutex(State())

  /// The most messages that wait for a client that does not take them.
  private static let maximumMessages = 100

  package init() {}

  // MARK: The session

  /// Begins a session: its record is empty.
  package func begin(_ hello: LabHello) {
    change { state in
      state.session += 1
      (state.hello, state.record, state.state) = (Self.text(hello), LabRecord(), "")
    }
  }

  /// Adds entries.
  package func add(_ entries: [LabEntry]) {
    guard !entries.isEmpty else { return }
    change { $0.record.add(entries) }
  }

  /// Sets the state that the page shows.
  package func set(_ present: LabState) {
    let text = Self.text(present)
    guard state.withLock({ $0.state != text }) else { return }
    change { state in
      state.state = text
      state.stateNumber += 1
    }
  }

  /// Gives a file to the client that asked for it. It is not kept.
  package func deliver(_ name: String, _ content: LabMessage.Content) {
    let text = Self.text(LabMessage.file(name: name, content))
    for client in state.withLock({ $0.clients }) { client.deliver(text) }
  }

  /// Sends a note to all clients.
  package func send(_ message: LabMessage) {
    let text = Self.text(message)
    change { state in
      state.messages.append(text)
      if state.messages.count > Self.maximumMessages {
        state.messages.removeFirst()
        state.messageStart += 1
      }
    }
  }

  /// Shows a picture.
  package func show(_ picture: LabPicture) {
    for client in state.withLock({ $0.clients }) { client.offer(picture) }
  }

  private func change(_ body: (inout State) -> Void) {
    let clients = state.withLock { state in
      body(&state)
      return state.clients
    }
    for client in clients { client.wake() }
  }

  // MARK: Clients

  /// The most pages at once.
  private static let maximumClients = 8

  /// Adds a client. Returns nil if there are too many.
  func add(_ client: any LabClient) -> LabCursor? {
    state.withLock { state in
      guard state.clients.count < Self.maximumClients else { return nil }
      state.clients.append(client)
      var cursor = LabCursor()
      cursor.message = state.messageStart + state.messages.count
      return cursor
    }
  }

  func remove(_ client: any LabClient) { state.withLock { $0.clients.removeAll { $0 === client } } }

  /// Returns the next texts for a client, with a limit for the entries; none if it has everything.
  func next(_ cursor: inout LabCursor, limit: Int) -> [String] {
    state.withLock { state in
      var texts: [String] = []
      if cursor.session != state.session {
        let message = cursor.message
        cursor = LabCursor()
        (cursor.session, cursor.message) = (state.session, message)
        texts.append(state.hello)
      }
      if cursor.number < state.record.first, cursor.dropped < state.record.first {
        cursor.dropped = state.record.first
        texts.append(Self.text(LabMessage.dropped(before: state.record.first)))
      }
      let entries = state.record.next(cursor.number, limit: limit)
      if let last = entries.last {
        cursor.number = last.number + 1
        texts.append(Self.text(LabMessage.entries(entries)))
      }
      if cursor.state != state.stateNumber, !state.state.isEmpty {
        cursor.state = state.stateNumber
        texts.append(state.state)
      }
      texts += state.messages.dropFirst(max(0, cursor.message - state.messageStart))
      cursor.message = state.messageStart + state.messages.count
      return texts
    }
  }

  /// Returns the detail of an entry; nil for one that is not there.
  func detail(_ number: Int) -> String? {
    state.withLock { $0.record[number] }.map { Self.text(LabDetail(number, $0)) }
  }

  /// Returns entries from a number on, for a filter that takes its time.
  func entries(from number: Int, limit: Int) -> [NumberedEntry] {
    state.withLock { $0.record.next(number, limit: limit) }
  }

  // MARK: Saving

  /// The session as JSON for a page without a server.
  private struct Stored: Encodable {
    struct Picture: Encodable {
      var t: Double?
      var display: UInt8
      var png: String
    }

    var entries: [NumberedEntry]
    var details: [String: LabDetail]
    var pictures: [Picture]
  }

  /// The most entries of a saved page, the last ones, and the most bytes of their details.
  private static let maximumStored = 20_000, maximumStoredByteCount = 32 << 20

  /// Returns the session as JSON for the page without a server.
  ///
  /// - Parameter picture: The screen as PNG; nil for none.
  func stored(picture: [UInt8]?) -> String {
    let state = state.withLock { $0 }
    var entries = state.record.next(state.record.end - Self.maximumStored, limit: Self.maximumStored)[...]
    var byteCount = entries.reduce(0) { $0 + $1.entry.byteCount }
    while byteCount > Self.maximumStoredByteCount, let first = entries.first {
      byteCount -= first.entry.byteCount
      entries.removeFirst()
    }
    let details = entries.filter { $0.entry.detail != nil }.map { ("\($0.number)", LabDetail($0.number, $0.entry)) }
    let stored = Stored(
      entries: Array(entries), details: Dictionary(uniqueKeysWithValues: details),
      pictures: picture.map { [Stored.Picture(t: nil, display: 0, png: Data($0).base64EncodedString())] } ?? [])
    let text = Self.text(stored)
    return "{\"hello\":\(state.hello),\"state\":\(state.state.isEmpty ? "null" : state.state),\(text.dropFirst())"
  }

  static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    // Damaged captures may have any number as a time.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    do { return String(decoding: try encoder.encode(value), as: UTF8.self) } catch {
      preconditionFailure("a message of the lab has no JSON: \(error)")
    }
  }
}
