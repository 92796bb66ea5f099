// swift-iap2 · Apache-2.0

import IAP2

/// The target for all messages of the catalog: a message that can be decoded is encoded with all its values, and the
/// shown parameters lie within the message.
///
/// Input: one whole message with its header. An unknown id selects a known one.
enum CatalogTarget {
  private static let typed = MessageCatalog.all.filter { $0.type != nil }

  static func check(_ bytes: [UInt8]) throws(Finding) {
    guard bytes.count >= 6 else { return }
    let given = UInt16(bytes[4]) << 8 | UInt16(bytes[5])
    let known = MessageCatalog[given].flatMap { $0.type == nil ? nil : $0 }
    let entry = known ?? typed[Int(given) % typed.count]
    let id = entry.info.id
    let body = Array(bytes.dropFirst(6))
    let count = 6 + body.count
    let message =
      [0x40, 0x40, UInt8(count >> 8), UInt8(count & 255), UInt8(id >> 8), UInt8(id & 255)] as [UInt8] + body
    if let type = entry.type { try check(type, entry, message) }
    // The same bytes are decoded as an unknown message, and with their own id by the rows of this message.
    try examine(message, rows: [])
    try examine(bytes, rows: entry.rows)
  }

  private static func check<M: ControlMessage>(
    _ type: M.Type, _ entry: CatalogEntry, _ message: [UInt8]
  ) throws(Finding) {
    let errors = try examine(message, rows: entry.rows)
    let read: M
    do { read = try M(decoding: unsafe message.span.bytes) } catch {
      try require(error.reason != .needsCarefulWalk, "\(entry.name): an internal reason was reported")
      try require(error.offset <= message.count, "\(entry.name): an error at \(error.offset) of \(message.count)")
      return
    }
    try require(errors.isEmpty, "\(entry.name) can be read, and is said to have \(errors)")
    // Bytes after the message are not part of it.
    let longer = message + [0xFF]
    do {
      let again = try M(decoding: unsafe longer.span.bytes)
      try require(again == read, "\(entry.name): what is behind it is read")
    } catch let error as WireError { throw Finding("\(entry.name): what is behind it is read: \(error)") } catch {
      throw error as? Finding ?? Finding("\(error)")
    }
    try rewrite(read, entry, message)
  }

  private static func rewrite<M: ControlMessage>(
    _ read: M, _ entry: CatalogEntry, _ message: [UInt8]
  ) throws(Finding) {
    let written: [UInt8]
    do { written = try read.encoded() } catch {
      // Joined values need more room if each has a header of its own.
      guard case .messageTooLong(_, let needed) = error else { return }
      try require(needed > 0xFFFF, "\(entry.name): \(needed) bytes are too many")
      return
    }
    let again: M
    do { again = try M(decoding: unsafe written.span.bytes) } catch {
      throw Finding("\(entry.name): what we write cannot be read: \(error) in \(written)")
    }
    try require(written != message || again == read, "\(entry.name): read as \(read), then as \(again)")
    let (before, after) = (values(message, entry.rows), values(written, entry.rows))
    try require(before == after, "\(entry.name): \(before) read, \(after) written")
    do {
      let twice = try again.encoded()
      try require(twice == written, "\(entry.name): written twice, \(written) and \(twice)")
    } catch { throw error as? Finding ?? Finding("\(entry.name): \(error)") }
  }

  /// Returns the shown values in order, by the ids that lead to them. A list as one parameter equals a list as several:
  /// some accessories join them, this project does not.
  private static func values(_ message: [UInt8], _ rows: [ParameterRow]) -> [[UInt16]: [ParameterNode.Value]] {
    var all: [[UInt16]: [ParameterNode.Value]] = [:]
    func add(_ nodes: [ParameterNode], _ path: [UInt16]) {
      for node in nodes {
        let place = path + [node.id]
        switch node.value {
        case .group(let inner): add(inner, place)
        case .list(let numbers): for number in numbers { all[place, default: []].append(.unsigned(number)) }
        case .signedList(let numbers): for number in numbers { all[place, default: []].append(.signed(number)) }
        case .text(let text):
          for part in text.split(separator: "\0", omittingEmptySubsequences: false) {
            all[place, default: []].append(.text(String(part)))
          }
        // Enumerated values count as numbers, as in a list.
        case .enumeration(let number, _): all[place, default: []].append(.unsigned(UInt64(number)))
        case .unsigned, .signed, .bool, .void, .bytes: all[place, default: []].append(node.value)
        }
      }
    }
    add(ParameterNode.nodes(of: unsafe message.span.bytes, rows: rows).nodes, [])
    return all
  }

  /// Checks the shown parameters: each appears once, in order and within the message.
  @discardableResult
  private static func examine(_ message: [UInt8], rows: [ParameterRow]) throws(Finding) -> [WireError] {
    let (nodes, errors) = ParameterNode.nodes(of: unsafe message.span.bytes, rows: rows)
    try require(nodes.map(\.offset) == nodes.map(\.offset).sorted(), "parameters out of order")
    try require(nodes.count <= message.count / 4, "\(nodes.count) parameters in \(message.count) bytes")
    try require(nodes.allSatisfy { $0.offset + 4 <= message.count }, "a parameter behind the end")
    try require(errors.allSatisfy { $0.offset <= message.count }, "an error behind the end")
    return errors
  }
}
