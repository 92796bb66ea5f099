// swift-iap2 · Apache-2.0

import Basics

/// A writer of report descriptors.
package struct HIDDescriptorWriter {
  package private(set) var bytes: [UInt8] = []

  /// Creates a writer without bytes.
  package init() {}

  /// Writes an item in the shortest form of its number.
  private mutating func item(_ tag: UInt8, unsigned value: UInt32) {
    if let byte = UInt8(exactly: value) {
      bytes += [tag | 1, byte]
    } else if let word = UInt16(exactly: value) {
      bytes += [tag | 2] + word.littleEndianBytes
    } else {
      bytes += [tag | 3] + value.littleEndianBytes
    }
  }

  /// Writes an item in the shortest form that keeps the sign of its number.
  private mutating func item(_ tag: UInt8, signed value: Int32) {
    if let byte = Int8(exactly: value) {
      bytes += [tag | 1, UInt8(bitPattern: byte)]
    } else if let word = Int16(exactly: value) {
      bytes += [tag | 2] + UInt16(bitPattern: word).littleEndianBytes
    } else {
      bytes += [tag | 3] + UInt32(bitPattern: value).littleEndianBytes
    }
  }

  /// The kinds of a collection.
  package enum CollectionKind: UInt32 {
    case application = 1
    case logical
  }

  /// Writes a collection with its page, its usage and its content.
  package mutating func collection(
    _ kind: CollectionKind, _ page: UInt16, _ usage: UInt16, content: (inout Self) -> Void
  ) {
    self.page(page)
    self.usage(usage)
    item(HIDItemTag.collection, unsigned: kind.rawValue)
    content(&self)
    bytes.append(HIDItemTag.endCollection)
  }

  /// Writes the usage page.
  package mutating func page(_ page: UInt16) { item(HIDItemTag.usagePage, unsigned: UInt32(page)) }

  /// Writes a usage of the page.
  package mutating func usage(_ id: UInt16) { item(HIDItemTag.usage, unsigned: UInt32(id)) }

  /// Writes a usage of another page, in four bytes.
  package mutating func usage(_ page: UInt16, _ id: UInt16) {
    item(HIDItemTag.usage, unsigned: UInt32(page) << 16 | UInt32(id))
  }

  /// Writes the logical range of the fields that follow.
  package mutating func range(_ range: ClosedRange<Int32>) {
    item(HIDItemTag.logicalMinimum, signed: range.lowerBound)
    item(HIDItemTag.logicalMaximum, signed: range.upperBound)
  }

  /// Writes fields with one usage each. The usages that precede the fields apply to them.
  package mutating func variables(_ count: UInt32 = 1, bits: UInt32, isRelative: Bool = false) {
    input(count, bits, HIDItemFlags.variable | (isRelative ? HIDItemFlags.relative : 0))
  }

  /// Writes a field that selects one of the usages before it.
  package mutating func array(bits: UInt32) { input(1, bits, 0) }

  /// Writes bits without a meaning.
  package mutating func padding(bits: UInt32) { input(1, bits, HIDItemFlags.constant) }

  private mutating func input(_ count: UInt32, _ bits: UInt32, _ flags: UInt32) {
    item(HIDItemTag.reportSize, unsigned: bits)
    item(HIDItemTag.reportCount, unsigned: count)
    item(HIDItemTag.input, unsigned: flags)
  }
}
