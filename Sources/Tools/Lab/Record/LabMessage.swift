// swift-iap2 · Apache-2.0

import Foundation

/// A message of the lab to its pages.
package enum LabMessage: Encodable, Sendable {
  /// Entries in their order.
  case entries([NumberedEntry])
  /// The entries before a number are no longer kept.
  case dropped(before: Int)
  /// A line for the user.
  case note(String, level: LabEntry.Level)
  /// A file that the page offers.
  case file(name: String, Content)
  /// The entries that match a filter, or its problem.
  case filter(id: Int, problem: String?, numbers: [Int], isFirst: Bool)

  /// The content of a file.
  package enum Content: Sendable {
    case text(String)
    case bytes([UInt8])
  }

  private enum Key: String, CodingKey {
    case type, entries, before, text, level, name, base64, id, problem, numbers, isFirst
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    switch self {
    case .entries(let entries):
      try values.encode("entries", forKey: .type)
      try values.encode(entries, forKey: .entries)
    case .dropped(let before):
      try values.encode("dropped", forKey: .type)
      try values.encode(before, forKey: .before)
    case .note(let text, let level):
      try values.encode("note", forKey: .type)
      try values.encode(text, forKey: .text)
      try values.encode(level, forKey: .level)
    case .file(let name, let content):
      try values.encode("file", forKey: .type)
      try values.encode(name, forKey: .name)
      switch content {
      case .text(let text): try values.encode(text, forKey: .text)
      case .bytes(let bytes): try values.encode(Data(bytes).base64EncodedString(), forKey: .base64)
      }
    case .filter(let id, let problem, let numbers, let isFirst):
      try values.encode("filter", forKey: .type)
      try values.encode(id, forKey: .id)
      try values.encode(problem, forKey: .problem)
      try values.encode(numbers, forKey: .numbers)
      try values.encode(isFirst, forKey: .isFirst)
    }
  }
}

/// A picture of a display.
package struct LabPicture: Sendable {
  /// The displays of the car.
  package enum Display: UInt8, Sendable, CaseIterable { case screen, dashboard, cluster }

  /// The format of a picture.
  package enum Format: UInt8, Sendable { case png, keyFrame, nextFrame }

  package var display: Display
  package var format: Format
  package var number: UInt32
  package var bytes: [UInt8]

  package init(_ display: Display, _ format: Format, number: UInt32, bytes: [UInt8]) {
    (self.display, self.format, self.number, self.bytes) = (display, format, number, bytes)
  }

  /// The eight bytes before the picture.
  var header: [UInt8] {
    [1, display.rawValue, format.rawValue, 0] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}

extension LabRequest.Product {
  /// Returns the kind of a file that a session gives. A capture has the name of its file, which may be any.
  init(_ name: String, _ content: LabMessage.Content) {
    switch content {
    case .text: self = name.hasSuffix(".yaml") ? .yaml : name.hasSuffix(".swift") ? .swift : .html
    case .bytes(let bytes): self = bytes.starts(with: Self.pngSignature) ? .picture : .capture
    }
  }

  private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
}
