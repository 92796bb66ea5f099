// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
package import IAP2Capture

/// The decoder's lines for a terminal: one line per packet, its contents indented below.
extension DecodedText {
  package static func lines(_ line: DecodedLine) -> [String] {
    switch line.content {
    case .detect: return [Color.dim("\(head(line))  detect")]
    case .link(let header, let headerState, let payload):
      let damaged = headerState == .invalid || payload == .invalid
      let text =
        "\(head(line))  \(header.control.names.joined(separator: "+")) seq \(header.sequence) ack \(header.acknowledgement)"
        + " session \(header.session) \(header.byteCount) bytes" + (damaged ? " CHECKSUM WRONG" : "")
      return [damaged ? Color.red(text) : Color.dim(text)]
    case .synchronization(let parameters): return [Color.blue("    \(synchronization(parameters))")]
    case .control(let id, let name, let parameters, _):
      return [Color.green("    \(MessageCatalog.text(id)) \(name ?? "unknown message")")]
        + parameters.flatMap { node($0, indent: 6) }
    case .externalAccessory(let session, let data):
      return [Color.magenta("    external accessory session \(session): \(data.count) bytes \(short(data))")]
    case .fileTransfer(let file, let operation, let byteCount):
      return [
        Color.cyan("    file \(file) \(operation.name ?? "operation \(operation.rawValue)"): \(byteCount) bytes")
      ]
    case .comment(let text): return [Color.yellow("\(head(line))  # \(text.printable)")]
    case .session(let finding): return session(finding, line)
    case .error(let message, let offset):
      let place = line.isOfFile ? "byte \(offset) of the file" : "byte \(offset) from the \(line.from.rawValue)"
      return [Color.red("    error: \(message) (record \(line.record), \(place))")]
    }
  }

  private static func session(_ finding: SessionFinding, _ line: DecodedLine) -> [String] {
    let head = "\(head(line, connection: ""))  session \(line.flow + 1): \(finding.text.printable)"
    let colored =
      switch finding.layer {
      case .problem: Color.red(head)
      case .request, .answer: Color.green(head)
      case .discovery, .stream: Color.blue(head)
      case .data: Color.magenta(head)
      case .picture, .sound, .clock, .sealed: Color.dim(head)
      }
    return [colored] + (finding.body.map { tree($0, indent: 6) } ?? [])
  }

  /// Returns record, time and sender, and the connection if it is not the first.
  package static func head(_ line: DecodedLine) -> String {
    head(line, connection: line.flow > 0 ? "connection \(line.flow + 1)  " : "")
  }

  private static func head(_ line: DecodedLine, connection: String) -> String {
    let time = line.time.map { " \(Self.seconds($0))" } ?? ""
    guard !line.isOfFile else { return "\(line.record)\(time)  file" }
    let arrow = line.from == .accessory ? "accessory → device   " : "device    → accessory"
    return "\(line.record)\(time)  \(connection)\(arrow)"
  }
}
