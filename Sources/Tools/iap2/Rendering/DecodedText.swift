// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// The decoder's lines for people: one line a packet, what it carries indented below.
enum DecodedText {
  static func lines(_ line: DecodedLine) -> [String] {
    switch line.content {
    case .detect: return [Colour.dim("\(head(line))  detect")]
    case .link(let header, let headerState, let payload):
      let damaged = headerState == .invalid || payload == .invalid
      let text =
        "\(head(line))  \(header.control.names.joined(separator: "+")) seq \(header.sequence) ack \(header.acknowledgement)"
        + " session \(header.session) \(header.byteCount) bytes" + (damaged ? " CHECKSUM WRONG" : "")
      return [damaged ? Colour.red(text) : Colour.dim(text)]
    case .synchronization(let parameters): return [Colour.blue("    \(synchronization(parameters))")]
    case .control(let id, let name, let parameters, _):
      return [Colour.green("    \(MessageCatalog.text(id)) \(name ?? "unknown message")")]
        + parameters.flatMap { node($0, indent: 6) }
    case .externalAccessory(let session, let data):
      return [Colour.magenta("    external accessory session \(session): \(data.count) bytes \(short(data))")]
    case .fileTransfer(let file, let operation, let byteCount):
      return [
        Colour.cyan("    file \(file) \(operation.name ?? "operation \(operation.rawValue)"): \(byteCount) bytes")
      ]
    case .comment(let text): return [Colour.yellow("\(head(line))  # \(printable(text))")]
    case .error(let message, let offset):
      let place = line.isOfFile ? "byte \(offset) of the file" : "byte \(offset) from the \(line.from.rawValue)"
      return [Colour.red("    error: \(message) (record \(line.record), \(place))")]
    }
  }

  /// Where and when, and who sent it; the connection where it is not the first.
  static func head(_ line: DecodedLine) -> String {
    let time = line.time.map { " \(Self.seconds($0))" } ?? ""
    let connection = line.flow > 0 ? "connection \(line.flow + 1)  " : ""
    guard !line.isOfFile else { return "\(line.record)\(time)  file" }
    let arrow = line.from == .accessory ? "accessory → device   " : "device    → accessory"
    return "\(line.record)\(time)  \(connection)\(arrow)"
  }

  static func synchronization(_ value: LinkSynchronization) -> String {
    let sessions = value.sessions.map { "\($0.id) \($0.type.name ?? "type \($0.type.rawValue)") v\($0.version)" }
    return "window \(value.maxOutstandingPackets) × \(value.maxPacketLength) bytes, retransmit after"
      + " \(value.retransmissionTimeout) ms up to \(value.maxRetransmissions) times, acknowledge within"
      + " \(value.cumulativeAckTimeout) ms or \(value.maxCumulativeAcks) packets, sessions \(sessions.joined(separator: ", "))"
  }

  static func node(_ node: ParameterNode, indent: Int) -> [String] {
    let head = String(repeating: " ", count: indent) + "\(node.id) \(node.name ?? "unknown")"
    switch node.value {
    case .text(let text): return ["\(head): \"\(printable(text))\""]
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

  /// Text of a peer, without what would move a terminal's cursor or turn the direction of its text.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          let turns = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
          return turns || scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
        }))
  }

  static func messageName(_ number: UInt64) -> String {
    guard let id = UInt16(exactly: number), let entry = MessageCatalog[id] else {
      return "0x" + String(number, radix: 16, uppercase: true)
    }
    return "\(MessageCatalog.text(id)) \(entry.name)"
  }

  static func short(_ bytes: [UInt8]) -> String {
    bytes.count <= 48 ? Hex.text(bytes) : Hex.text(Array(bytes.prefix(48))) + "… (\(bytes.count) bytes)"
  }

  static func seconds(_ time: Double) -> String {
    // Beyond this there is nothing to read.
    let micro = Int((max(-1e12, min(1e12, time)) * 1_000_000).rounded())
    let fraction = String(abs(micro) % 1_000_000)
    return (micro < 0 ? "-" : "") + "\(abs(micro) / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count)
      + fraction + "s"
  }
}
