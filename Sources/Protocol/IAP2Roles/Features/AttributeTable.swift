// swift-iap2 · Apache-2.0

import IAP2

/// A table of the parameters of an update message. It can be compared, filtered and merged.
///
/// An update carries only what changed, so both sides keep tables: the sender keeps the values that it has sent, the
/// receiver those that it has received. A group that occurs at most once is split into its parameters. Every other
/// parameter is one value, also one that repeats. Evidence: Sessions.md#accessory-started (high).
struct AttributeTable: Sendable, Equatable {
  /// The key of a parameter, or of one inside a group.
  struct Key: Sendable, Hashable, Comparable {
    var id: UInt16
    /// The id inside the group; -1 for a parameter of the message itself.
    var nested: Int32 = -1

    static func < (a: Key, b: Key) -> Bool { (a.id, a.nested) < (b.id, b.nested) }
  }

  /// Whole parameters with their headers. The parameters of one key are concatenated.
  private(set) var values: [Key: [UInt8]] = [:]

  init() {}

  /// - Parameter rows: The schema of the update message, which names its groups.
  init(_ message: RawSpan, rows: [ParameterRow]) throws(WireError) {
    let body = try ControlHeader.body(message)
    let groups = Set(rows.filter { $0.isTakenApart }.map(\.id))
    try message.forEachParameter(in: body) { (id, whole, value) throws(WireError) in
      guard groups.contains(id) else {
        values[Key(id: id), default: []].append(copying: message.extracting(whole))
        return
      }
      // An empty group is kept as a value.
      if value.isEmpty { values[Key(id: id), default: []].append(copying: message.extracting(whole)) }
      try message.forEachParameter(in: value) { (inner, range, _) throws(WireError) in
        values[Key(id: id, nested: Int32(inner)), default: []].append(copying: message.extracting(range))
      }
    }
  }

  var isEmpty: Bool { values.isEmpty }
  var keys: Set<Key> { Set(values.keys) }

  /// Returns the wanted values that differ from the old ones.
  func changes(since old: AttributeTable, wanted: Set<Key>) -> AttributeTable {
    var changed = AttributeTable()
    changed.values = values.filter { wanted.contains($0.key) && old.values[$0.key] != $0.value }
    return changed
  }

  /// Returns the table without the parameters that no row names, because a peer must not fill the memory with unknown
  /// ids.
  func known(_ rows: [ParameterRow]) -> AttributeTable {
    var nested: [UInt16: Set<UInt16>] = [:]
    for row in rows {
      if case .group(let inner) = row.shape { nested[row.id] = Set(inner.map(\.id)) } else { nested[row.id] = [] }
    }
    var table = AttributeTable()
    table.values = values.filter { key, _ in
      key.nested < 0 ? nested[key.id] != nil : nested[key.id]?.contains(UInt16(key.nested)) ?? false
    }
    return table
  }

  /// An upper bound for the size in bytes of the message that this table makes.
  var byteCount: Int { values.reduce(ControlHeader.byteCount) { $0 + $1.value.count + 4 } }

  /// Replaces values by those of an update.
  mutating func merge(_ update: AttributeTable) { values.merge(update.values) { _, new in new } }

  mutating func removeAll() { values = [:] }

  mutating func remove(_ key: Key) { values[key] = nil }

  /// Returns a table with the value of only this key.
  func only(_ key: Key) -> AttributeTable {
    var table = AttributeTable()
    table.values[key] = values[key]
    return table
  }

  /// Returns the table as a message, with ascending ids.
  func message(_ id: UInt16) -> [UInt8] {
    var body: [UInt8] = []
    var group: (id: UInt16, bytes: [UInt8])?
    func close() {
      guard let open = group else { return }
      body += UInt16(clamping: open.bytes.count + 4).bigEndianBytes + open.id.bigEndianBytes + open.bytes
      group = nil
    }
    for (key, bytes) in values.sorted(by: { $0.key < $1.key }) {
      if key.nested < 0 {
        close()
        // An empty group beside its own parameters is redundant.
        let isEmptyGroup = bytes.count == 4 && values.keys.contains { $0.id == key.id && $0.nested >= 0 }
        if !isEmptyGroup { body += bytes }
      } else {
        if group?.id != key.id {
          close()
          group = (key.id, [])
        }
        group?.bytes += bytes
      }
    }
    close()
    return ControlHeader.message(id, body: body)
  }
}

extension ParameterRow {
  /// Whether this is a group whose parameters change one by one.
  fileprivate var isTakenApart: Bool {
    if case .group = shape { count == .one || count == .optional } else { false }
  }
}

/// A subscription of one side to updates of the other, with the values that were sent so far.
///
/// Start names the wanted attributes and replaces an earlier Start. The next update carries all of them, later updates
/// only the changes. Stop ends the subscription.
struct Subscription<Update: ControlMessage>: Sendable {
  private var wanted: Set<AttributeTable.Key>?
  private var reported = AttributeTable()

  var isActive: Bool { wanted != nil }

  /// - Parameter start: The Start message, whose void parameters have the ids of the update's parameters.
  /// - Parameter always: Attributes that every update needs, such as the identity of a call.
  mutating func start(_ start: RawSpan, always: Set<UInt16> = []) throws(WireError) {
    wanted = try AttributeTable(start, rows: Update.rows).keys.union(always.map { AttributeTable.Key(id: $0) })
    reported.removeAll()
  }

  mutating func stop() {
    wanted = nil
    reported.removeAll()
  }

  /// Returns whether an attribute was requested; `group` is the id of the group that it is in.
  func wants(_ id: UInt16, in group: UInt16? = nil) -> Bool {
    wanted?.contains(group.map { AttributeTable.Key(id: $0, nested: Int32(id)) } ?? AttributeTable.Key(id: id)) ?? false
  }

  /// Returns the message that brings the peer up to date; nil if nothing has changed.
  ///
  /// - Parameters:
  ///   - identity: The attribute that identifies the object of the message, so that every message has it.
  ///   - part: An attribute that is repeated when another one changes, because the peer forgets it then.
  mutating func update(
    to state: Update, with identity: AttributeTable.Key? = nil,
    repeating part: (key: AttributeTable.Key, whenever: AttributeTable.Key)? = nil
  ) throws(WireError) -> [UInt8]? {
    guard var changes = try changes(to: state), !changes.isEmpty else { return nil }
    if let part, changes.values[part.whenever] != nil {
      let whole = try AttributeTable(state)
      if wanted?.contains(part.key) == true, whole.values[part.key] != nil { changes.merge(whole.only(part.key)) }
      // A value that the state does not have any more is forgotten, so that it is a change when it comes back.
      if whole.values[part.key] == nil { reported.remove(part.key) }
    }
    reported.merge(changes)
    if let identity { changes.merge(reported.only(identity)) }
    return changes.message(Update.id)
  }

  /// Returns the same as one message for each attribute, in the given order.
  mutating func updates(to state: Update, order: [UInt16]) throws(WireError) -> [[UInt8]] {
    guard let changes = try changes(to: state), !changes.isEmpty else { return [] }
    reported.merge(changes)
    let rank = { (key: AttributeTable.Key) in order.firstIndex(of: key.id) ?? order.count }
    return changes.keys.sorted { (rank($0), $0) < (rank($1), $1) }.map { changes.only($0).message(Update.id) }
  }

  private func changes(to state: Update) throws(WireError) -> AttributeTable? {
    guard let wanted else { return nil }
    return try AttributeTable(state).changes(since: reported, wanted: wanted)
  }
}

extension AttributeTable {
  /// Creates the table of a message of this side.
  ///
  /// - Throws: `WireError` if the message is too long.
  init<Message: ControlMessage>(_ message: Message) throws(WireError) {
    let bytes: [UInt8]
    do { bytes = try message.encoded() } catch { throw WireError(.badLength(0), offset: 2) }
    self = try AttributeTable(bytes.rawBytes, rows: Message.rows)
  }
}

/// The values that the peer has reported so far, collected from its updates.
struct PeerState<Update: ControlMessage>: Sendable {
  private var table = AttributeTable()
  /// An update with all values that are known.
  private(set) var value = Update()

  /// - Parameter part: An attribute that is forgotten when another one has a new value and the update lacks it.
  mutating func receive(
    _ update: RawSpan, forgetting part: (key: AttributeTable.Key, whenever: AttributeTable.Key)? = nil
  ) throws(WireError) {
    var next = table
    let changes = try AttributeTable(update, rows: Update.rows).known(Update.rows)
    if let part, let new = changes.values[part.whenever], new != table.values[part.whenever] { next.remove(part.key) }
    next.merge(changes)
    // Only a peer that fills every attribute exceeds this size. The known values stay.
    guard next.byteCount <= ControlHeader.maximumMessageByteCount else {
      throw WireError(.badLength(next.byteCount), offset: 2)
    }
    let whole = next.message(Update.id)
    value = try Update(decoding: whole.rawBytes)
    table = next
  }
}
