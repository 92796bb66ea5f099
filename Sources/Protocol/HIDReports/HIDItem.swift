// swift-iap2 · Apache-2.0

import Basics

/// An item of a report descriptor: a tag and up to four bytes of data.
struct HIDItem {
  /// The first byte without the two bits of the size.
  var tag: UInt8
  /// The bytes of the data.
  var size: Int
  /// The data as an unsigned number.
  var unsigned: UInt32
  /// The offset of the item in the descriptor.
  var offset: Int

  /// The data as a number with a sign.
  var signed: Int {
    switch size {
    case 1: Int(Int8(truncatingIfNeeded: unsigned))
    case 2: Int(Int16(truncatingIfNeeded: unsigned))
    default: Int(Int32(bitPattern: unsigned))
    }
  }

  /// The first byte of a long item, whose tag and size are in the two bytes behind it. No long item is defined.
  private static let long: UInt8 = 0xFE

  /// Reads the item at an offset, and moves the offset behind it; nil for a long item.
  ///
  /// - Precondition: The offset is in the descriptor.
  static func next(_ bytes: [UInt8], _ offset: inout Int) throws(HIDDescriptorProblem) -> HIDItem? {
    let start = offset
    let prefix = bytes[start]
    let size: Int
    if prefix == long {
      guard start + 3 <= bytes.count else { throw .truncated(offset: start) }
      size = 2 + Int(bytes[start + 1])
    } else {
      size = [0, 1, 2, 4][Int(prefix & 3)]
    }
    offset = start + 1 + size
    guard offset <= bytes.count else { throw .truncated(offset: start) }
    guard prefix != long else { return nil }
    let data = UInt32(littleEndianBytes: bytes[(start + 1)..<offset])
    return HIDItem(tag: prefix & 0xFC, size: size, unsigned: data, offset: start)
  }
}

/// The tags of the items that the parser reads and the writer writes (HID 1.11, section 6.2.2).
enum HIDItemTag {
  static let input: UInt8 = 0x80, output: UInt8 = 0x90, feature: UInt8 = 0xB0
  static let collection: UInt8 = 0xA0, endCollection: UInt8 = 0xC0
  static let usagePage: UInt8 = 0x04, logicalMinimum: UInt8 = 0x14, logicalMaximum: UInt8 = 0x24
  static let reportSize: UInt8 = 0x74, reportID: UInt8 = 0x84, reportCount: UInt8 = 0x94
  static let push: UInt8 = 0xA4, pop: UInt8 = 0xB4
  static let usage: UInt8 = 0x08, usageMinimum: UInt8 = 0x18, usageMaximum: UInt8 = 0x28, delimiter: UInt8 = 0xA8
}

/// The flags of a main item with fields.
enum HIDItemFlags {
  static let constant: UInt32 = 1, variable: UInt32 = 2, relative: UInt32 = 4
}
