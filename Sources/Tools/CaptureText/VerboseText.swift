// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
package import IAP2Capture

/// The bytes behind a decoder's line: offset, hexadecimal, field, value.
package enum VerboseText {
  private static let rowByteCount = 16
  private static let indent = String(repeating: " ", count: 8)

  /// Empty for lines that have no bytes of their own.
  package static func lines(_ line: DecodedLine) -> [String] {
    guard let source = line.source else { return [] }
    switch line.content {
    case .link(let header, _, _):
      return title("packet", source, line) + rows(FieldLayout(packet: source.bytes, header), source.bytes)
    case .control(_, let name, let parameters, _):
      let layout = FieldLayout(message: source.bytes, name: name, parameters)
      return title("message", source, line) + rows(layout, source.bytes)
    case .externalAccessory, .fileTransfer: return dump(source.bytes)
    case .detect, .synchronization, .error, .comment, .session: return []
    }
  }

  private static func title(_ what: String, _ source: DecodedLine.Source, _ line: DecodedLine) -> [String] {
    let place = source.offset.map { " at byte \($0) from the \(line.from.rawValue)" } ?? ""
    return [Color.dim(indent + "\(what) of \(source.bytes.count) bytes\(place)")]
  }

  private static func rows(_ layout: FieldLayout, _ bytes: [UInt8]) -> [String] {
    layout.fields.flatMap { field -> [String] in
      let words = String(repeating: "  ", count: field.depth) + field.name + (field.value.map { ": \($0)" } ?? "")
      return stride(from: field.range.lowerBound, to: field.range.upperBound, by: rowByteCount).map { start in
        let row = hex(bytes[start..<min(field.range.upperBound, start + rowByteCount)])
        guard start == field.range.lowerBound else { return indent + "\(offset(start))  \(row)" }
        return indent + "\(offset(start))  \(pad(row, to: rowByteCount * 3 - 1))  \(words.printable)"
      }
    }
  }

  /// Returns a hex dump with the bytes as characters.
  private static func dump(_ bytes: [UInt8]) -> [String] {
    stride(from: 0, to: bytes.count, by: rowByteCount).map { start in
      let row = bytes[start..<min(bytes.count, start + rowByteCount)]
      let text = String(decoding: row.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
      return indent + "\(offset(start))  \(pad(hex(row), to: rowByteCount * 3 - 1))  \(text)"
    }
  }

  private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { Hex.text([$0]) }.joined(separator: " ")
  }

  private static func offset(_ offset: Int) -> String {
    let digits = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static func pad(_ text: String, to count: Int) -> String {
    text + String(repeating: " ", count: max(0, count - text.count))
  }
}
