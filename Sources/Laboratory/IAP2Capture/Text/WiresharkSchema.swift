// swift-iap2 · Apache-2.0

import IAP2

/// The names of the protocol as a Lua table for the Wireshark dissector.
package enum WiresharkSchema {
  /// The table.
  package static var text: String {
    let bits = LinkControl.names.map { "{ name = \(quoted($0.name)), mask = \($0.bit.rawValue) }" }
    let sessionTypes = names { LinkSessionType(rawValue: $0).name }
    let operations = names { FileTransferOperation(rawValue: $0).name }
    return """
      local schema = {
        accessory = \(quoted(Side.accessory.rawValue)),
        device = \(quoted(Side.device.rawValue)),
        valid = \(quoted(DecodedLine.ChecksumState.valid.rawValue)),
        invalid = \(quoted(DecodedLine.ChecksumState.invalid.rawValue)),
        detect = "\(LinkScanner.detect.map(escape).joined())",
        header_byte_count = \(LinkHeader.byteCount),
        synchronization_byte_count = \(LinkSynchronization.fixedByteCount),
        session_byte_count = \(LinkSynchronization.sessionByteCount),
        message_header_byte_count = \(ControlHeader.byteCount),
        control_bits = { \(bits.joined(separator: ", ")) },
        session_types = \(sessionTypes),
        file_operations = \(operations),
        messages = {
      \(MessageCatalog.all.map(message).joined(separator: "\n"))
        },
      }

      """
  }

  private static func message(_ entry: CatalogEntry) -> String {
    let id = MessageCatalog.text(entry.info.id)
    let head = "    [\(id)] = { name = \(quoted(entry.name)), sender = \(quoted(entry.info.sender.rawValue)), rows = {"
    guard !entry.rows.isEmpty else { return head + "} }," }
    let prefix = WiresharkField.prefix(entry.name)
    let holdsMessages = "\(entry.info.feature)" == "Identification"
    let rows = self.rows(entry.rows, prefix, holdsMessages: holdsMessages, indent: "      ")
    return ([head] + rows + ["    } },"]).joined(separator: "\n")
  }

  private static func rows(_ rows: [ParameterRow], _ prefix: String, holdsMessages: Bool, indent: String) -> [String] {
    var taken: Set<String> = []
    return rows.flatMap { row in
      var field = prefix + "." + WiresharkField.name(row.name)
      // Sources that disagree about an id are both in the schema.
      if !taken.insert(field).inserted { field += "_\(row.id)" }
      return self.row(row, field, holdsMessages: holdsMessages, indent: indent)
    }
  }

  /// - Parameter holdsMessages: lists of this message are of message ids.
  private static func row(_ row: ParameterRow, _ field: String, holdsMessages: Bool, indent: String) -> [String] {
    var parts = ["id = \(row.id)", "name = \(quoted(row.name))"]
    if let unit = row.unit { parts.append("unit = \(quoted(unit))") }
    if row.count == .any || row.count == .some, row.shape.numberByteCount != nil { parts.append("joins = true") }
    let (shape, rows) = self.shape(row.shape, field, holdsMessages: holdsMessages)
    let head = indent + "{ " + (parts + shape).joined(separator: ", ")
    guard !rows.isEmpty else { return [head + " },"] }
    let inner = self.rows(rows, field, holdsMessages: holdsMessages, indent: indent + "  ")
    return [head + ", rows = {"] + inner + [indent + "} },"]
  }

  private static func shape(
    _ shape: ParameterShape, _ field: String, holdsMessages: Bool
  ) -> (parts: [String], rows: [ParameterRow]) {
    var parts = ["field = \(quoted(field))"]
    switch shape {
    case .packed(let element):
      parts += ["shape = \(quoted(element.name))", "packed = true"]
      if holdsMessages { parts.append("holds_message_ids = true") }
    case .enumeration(let names):
      let list = names.map { "[\($0.0)] = \(quoted("\($0.1)"))" }
      parts += ["shape = \(quoted(shape.name))", "names = { \(list.joined(separator: ", ")) }"]
    case .group(let rows): return (parts + ["shape = \(quoted(shape.name))"], rows)
    case .alternative(let stated, let other):
      let first = self.shape(stated, field, holdsMessages: holdsMessages).parts
      // The value has another type than the stated form, so it is another field.
      let name = field + "." + other.name.replacing("-", with: "_")
      let second = self.shape(other, name, holdsMessages: holdsMessages).parts
      return (first + ["other = { \(second.joined(separator: ", ")) }"], [])
    case .utf8, .u8, .u16, .u32, .u64, .i8, .i16, .i32, .i64, .bool, .blob, .void:
      parts.append("shape = \(quoted(shape.name))")
    }
    return (parts, [])
  }

  /// A Lua table of the named values of a byte.
  private static func names(_ name: (UInt8) -> String?) -> String {
    let list = (0...UInt8.max).compactMap { number in name(number).map { "[\(number)] = \(quoted($0))" } }
    return "{ \(list.joined(separator: ", ")) }"
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n") + "\""
  }

  private static func escape(_ byte: UInt8) -> String {
    let digits = String(byte)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
