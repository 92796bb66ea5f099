// swift-iap2 · Apache-2.0

package import IAP2

/// Text of decoded values for people, without colors.
package enum DecodedText {
  /// Returns the values of a SYN.
  package static func synchronization(_ value: LinkSynchronization) -> String {
    "window \(value.maxOutstandingPackets) × \(value.maxPacketLength) bytes, retransmit after"
      + " \(value.retransmissionTimeout) ms up to \(value.maxRetransmissions) times, acknowledge within"
      + " \(value.cumulativeAckTimeout) ms or \(value.maxCumulativeAcks) packets, sessions \(sessions(value.sessions))"
  }

  /// Returns the sessions of a SYN.
  package static func sessions(_ sessions: [LinkSession]) -> String {
    sessions.map { "\($0.id) \($0.type.name ?? "type \($0.type.rawValue)") v\($0.version)" }.joined(separator: ", ")
  }

  /// Returns the lines of a parameter, the members of a group indented below it.
  package static func node(_ node: ParameterNode, indent: Int) -> [String] {
    let head = String(repeating: " ", count: indent) + "\(node.id) \(node.name ?? "unknown")"
    switch node.value {
    case .text(let text): return ["\(head): \(text.quoted)"]
    case .unsigned(let number): return ["\(head): \(number)"]
    case .signed(let number): return ["\(head): \(number)"]
    case .bool(let value): return ["\(head): \(value)"]
    case .enumeration(let raw, let name): return ["\(head): \(raw) \(name ?? "(no known name)")"]
    case .void: return [head]
    case .bytes(let bytes): return ["\(head): \(short(bytes))"]
    case .list(let numbers):
      let words = node.type == "array-of-u16" ? numbers.map(messageName) : numbers.map(String.init)
      return ["\(head): \(words.joined(separator: ", "))"]
    case .signedList(let numbers): return ["\(head): \(numbers.map(String.init).joined(separator: ", "))"]
    case .group(let nodes): return [head] + nodes.flatMap { self.node($0, indent: indent + 2) }
    }
  }

  /// Returns the id and the name of a message, or the id alone if the message is unknown.
  package static func messageName(_ number: UInt64) -> String {
    guard let id = UInt16(exactly: number), let entry = MessageCatalog[id] else {
      return "0x" + String(number, radix: 16, uppercase: true)
    }
    return "\(MessageCatalog.text(id)) \(entry.name)"
  }

  /// Returns at most 48 bytes as hexadecimal digits.
  package static func short(_ bytes: [UInt8]) -> String {
    Hex.shortText(bytes)
  }

  /// Returns a time in seconds with six decimals and the unit.
  package static func seconds(_ time: Double) -> String {
    // Larger values come from damaged captures and would overflow.
    let micro = Int((max(-1e12, min(1e12, time)) * 1_000_000).rounded())
    let (whole, fraction) = abs(micro).quotientAndRemainder(dividingBy: 1_000_000)
    return "\(micro < 0 ? "-" : "")\(whole).\(String(1_000_000 + fraction).dropFirst())s"
  }
}
