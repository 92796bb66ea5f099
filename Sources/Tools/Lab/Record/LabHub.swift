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
  /// The last state as JSON, and its number.
  fileprivate var state = ""
  fileprivate var stateNumber = 0
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
    /// The last state, and the number of states so far.
    var present: LabState?
    var stateNumber = 0
    /// The last messages to all clients, and the number of earlier ones.
    var messages: [String] = []
    var messageStart = 0
    var clients: [any LabClient] = []
    /// The files that clients wait for, in the order of their requests.
    var awaited: [Awaited] = []
    /// The record up to the last restart.
    var earlier: (lineCount: Int, files: [LabMessage]) = (0, [])

    /// Returns the data that a client does not have yet, with a limit for the entries, and moves its cursor.
    func news(_ cursor: inout LabCursor, limit: Int) -> News {
      let isOther = cursor.session != session
      if isOther {
        let message = cursor.message
        cursor = LabCursor()
        (cursor.session, cursor.message) = (session, message)
      }
      let hasDropped = cursor.number < record.first && cursor.dropped < record.first
      if hasDropped { cursor.dropped = record.first }
      let entries = record.next(cursor.number, limit: limit)
      if let last = entries.last { cursor.number = last.number + 1 }
      let isChanged = cursor.stateNumber != stateNumber
      cursor.stateNumber = stateNumber
      let others = messages.dropFirst(max(0, cursor.message - messageStart))
      cursor.message = messageStart + messages.count
      return News(
        hello: isOther ? hello : nil, dropped: hasDropped ? record.first : nil, entries: entries,
        state: isChanged ? present : nil, messages: others)
    }
  }

  /// The data that a client does not have yet.
  private struct News {
    var hello: String?
    /// The number of the first entry that is kept, after some were dropped.
    var dropped: Int?
    var entries: [NumberedEntry]
    var state: LabState?
    var messages: ArraySlice<String>
  }

  /// A file that a client has asked for.
  private struct Awaited {
    var product: LabRequest.Product
    var client: any LabClient
    var deadline: ContinuousClock.Instant
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
      var hello = hello
      hello.earlierLines = state.earlier.lineCount
      (state.hello, state.record, state.present) = (Self.text(hello), LabRecord(), nil)
    }
  }

  /// Adds entries.
  package func add(_ entries: [LabEntry]) {
    guard !entries.isEmpty else { return }
    change { $0.record.add(entries) }
  }

  /// Keeps the recording of a session that a restart ends. Call it before the next session begins.
  ///
  /// - Parameters:
  ///   - lineCount: The number of its lines.
  ///   - files: The recording as files: their names and contents.
  func keep(lineCount: Int, files: [(name: String, text: String)]) {
    state.withLock { $0.earlier = (lineCount, files.map { LabMessage.file(name: $0.name, .text($0.text)) }) }
  }

  /// Returns the file with the recording of the session before the last restart; nil if there was none.
  func earlier(_ product: LabRequest.Product) -> LabMessage? {
    state.withLock(\.earlier).files.first { message in
      if case .file(let name, let content) = message { LabRequest.Product(name, content) == product } else { false }
    }
  }

  /// Sets the state that the page shows. It becomes JSON when a client takes it: a session has more states than a page
  /// shows.
  package func set(_ present: LabState) {
    change { state in
      state.present = present
      state.stateNumber += 1
    }
  }

  /// The most files that a client waits for.
  private static let maximumAwaited = 8
  /// The time after which a client no longer waits for a file that the session did not give.
  private static let awaitedTime = Duration.seconds(30)

  /// Notes that a client asks the session for a file. Returns false if it waits for too many.
  func awaitFile(_ product: LabRequest.Product, for client: any LabClient) -> Bool {
    state.withLock { state in
      let now = ContinuousClock.now
      state.awaited.removeAll { $0.deadline < now }
      guard state.awaited.count(where: { $0.client === client }) < Self.maximumAwaited else { return false }
      state.awaited.append(Awaited(product: product, client: client, deadline: now + Self.awaitedTime))
      return true
    }
  }

  /// Gives a file to one client: the first of those that wait for this product. A session answers requests in their
  /// order, so each client gets the file of its own request. The file is not kept.
  package func deliver(_ name: String, _ content: LabMessage.Content) {
    let product = LabRequest.Product(name, content)
    let client = state.withLock { state in
      state.awaited.firstIndex { $0.product == product }.map { state.awaited.remove(at: $0).client }
    }
    client?.deliver(Self.text(LabMessage.file(name: name, content)))
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

  /// Removes a client. The files that it still waits for stay in their order, so that no other client gets them.
  func remove(_ client: any LabClient) { state.withLock { $0.clients.removeAll { $0 === client } } }

  /// Returns the next texts for a client, with a limit for the entries; none if it has everything.
  func next(_ cursor: inout LabCursor, limit: Int) -> [String] {
    let news = state.withLock { $0.news(&cursor, limit: limit) }
    // The session adds entries meanwhile, so nothing becomes JSON while the hub is locked.
    var texts: [String] = []
    if let hello = news.hello { texts.append(hello) }
    if let first = news.dropped { texts.append(Self.text(LabMessage.dropped(before: first))) }
    if !news.entries.isEmpty { texts.append(Self.text(LabMessage.entries(news.entries))) }
    if let text = news.state.map({ Self.text($0) }), text != cursor.state {
      cursor.state = text
      texts.append(text)
    }
    return texts + news.messages
  }

  /// Returns the number of entries that a client does not have yet.
  func count(after cursor: LabCursor) -> Int {
    state.withLock { $0.record.end - max($0.record.first, cursor.session == $0.session ? cursor.number : 0) }
  }

  /// Whether a session has begun that a client does not know yet.
  func hasBegun(after cursor: LabCursor) -> Bool { state.withLock { $0.session != cursor.session } }

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
    return "{\"hello\":\(state.hello),\"state\":\(state.present.map { Self.text($0) } ?? "null"),\(text.dropFirst())"
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
