// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// All that is known about an entry, as the page shows it beside the ladder.
struct LabDetail: Encodable {
  /// A field among the bytes.
  struct Field: Encodable {
    var name: String
    var value: String?
    var depth: Int
    /// The places of its first byte and behind its last one.
    var start, end: Int
  }

  let type = "detail"
  var n: Int
  var title: String
  var hex: String?
  var fields: [Field]?
  var lines: [String]?

  /// The most bytes that are shown. A packet has fewer; data of an app may have more.
  private static let maximumByteCount = 65_536

  init(_ number: Int, _ entry: LabEntry) {
    n = number
    title = entry.name
    switch entry.detail {
    case .lines(let lines): self.lines = (entry.text.isEmpty ? [] : [entry.text]) + lines
    case .line(let line): show(line)
    case nil: lines = entry.text.isEmpty ? nil : [entry.text]
    }
  }

  private mutating func show(_ line: DecodedLine) {
    lines = ["record \(line.record)" + (line.time.map { ", \(DecodedText.seconds($0))" } ?? "")]
    switch line.content {
    case .control(let id, let name, let parameters, let bytes):
      title = "\(name ?? "unknown message") \(MessageCatalog.text(id))"
      show(bytes, FieldLayout(message: bytes, name: name, parameters))
    case .link(let header, let headerState, let payloadState):
      lines?.append("checksums: header \(headerState.rawValue), payload \(payloadState.rawValue)")
      guard let bytes = line.source?.bytes else { return }
      show(bytes, FieldLayout(packet: bytes, header))
    case .externalAccessory(_, let data): show(data, nil)
    case .synchronization(let value): lines?.append(DecodedText.synchronization(value))
    case .error(let message, let offset): lines? += [message, "at byte \(offset)"]
    case .comment(let text): lines?.append(text)
    case .session(let finding):
      title = finding.text
      lines? += finding.body.map { DecodedText.tree($0, indent: 0) } ?? []
    case .detect, .fileTransfer: if let bytes = line.source?.bytes { show(bytes, nil) }
    }
  }

  private mutating func show(_ bytes: [UInt8], _ layout: FieldLayout?) {
    hex = Hex.text(Array(bytes.prefix(Self.maximumByteCount)))
    if bytes.count > Self.maximumByteCount {
      lines?.append("the first \(Self.maximumByteCount) of \(bytes.count) bytes")
    }
    fields = layout?.fields.map {
      Field(name: $0.name, value: $0.value, depth: $0.depth, start: $0.range.lowerBound, end: $0.range.upperBound)
    }
  }
}
