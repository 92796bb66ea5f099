// swift-iap2 · Apache-2.0

import Basics

extension PropertyValue {
  /// The binary form, version 00. Keys are sorted, so equal values have equal bytes, except that +0 and -0 differ.
  public var binary: [UInt8] {
    var writer = BinaryPropertyListWriter()
    _ = writer.number(of: self)
    return writer.finish()
  }
}

/// A writer of the binary form of property lists. Equal values share one object, except for real numbers and
/// containers: NaN is never equal, and +0 equals -0.
private struct BinaryPropertyListWriter {
  private struct Object {
    var value: PropertyValue
    /// The numbers of the members: of a dictionary, those of the keys and then those of the values.
    var members: [Int] = []
  }

  private var objects: [Object] = []
  private var numbers: [PropertyValue: Int] = [:]

  /// Collects a value and then its members, and returns the number of the value.
  mutating func number(of value: PropertyValue) -> Int {
    let isShared = value.isShared
    if isShared, let known = numbers[value] { return known }
    let number = objects.count
    objects.append(Object(value: value))
    if isShared { numbers[value] = number }
    switch value {
    case .array(let members): objects[number].members = members.map { self.number(of: $0) }
    case .dictionary(let members):
      let sorted = members.sorted { $0.key < $1.key }
      let keys = sorted.map { self.number(of: .text($0.key)) }
      objects[number].members = keys + sorted.map { self.number(of: $0.value) }
    default: break
    }
    return number
  }

  private static func bytes(_ value: UInt64, _ size: Int) -> [UInt8] { value.bigEndianBytes.suffix(size) }

  private static func size(for value: Int) -> Int { value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8 }

  func finish() -> [UInt8] {
    let referenceSize = Self.size(for: objects.count)
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += encoded(object, referenceSize)
    }
    let table = bytes.count
    let offsetSize = Self.size(for: table)
    for offset in offsets { bytes += Self.bytes(UInt64(offset), offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [objects.count, 0, table] { bytes += Self.bytes(UInt64(number), 8) }
    return bytes
  }

  private func encoded(_ object: Object, _ referenceSize: Int) -> [UInt8] {
    let references = object.members.flatMap { Self.bytes(UInt64($0), referenceSize) }
    switch object.value {
    case .bool(let value): return [value ? 0x09 : 0x08]
    case .integer(let value): return Self.integer(value)
    case .unsigned(let value): return [0x14] + Self.bytes(0, 8) + Self.bytes(value, 8)
    case .real(let value): return [0x23] + Self.bytes(value.bitPattern, 8)
    case .data(let value): return Self.marker(0x40, value.count) + value
    case .text(let text):
      if text.utf8.allSatisfy({ $0 < 0x80 }) { return Self.marker(0x50, text.utf8.count) + text.utf8 }
      return Self.marker(0x60, text.utf16.count) + text.utf16.flatMap { Self.bytes(UInt64($0), 2) }
    case .array(let members): return Self.marker(0xA0, members.count) + references
    case .dictionary(let members): return Self.marker(0xD0, members.count) + references
    }
  }

  private static func integer(_ value: Int64) -> [UInt8] {
    guard value >= 0, value < 1 << 32 else { return [0x13] + bytes(UInt64(bitPattern: value), 8) }
    let size = size(for: Int(value))
    return [0x10 | UInt8(size.trailingZeroBitCount)] + bytes(UInt64(value), size)
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 0x0F ? [kind | UInt8(count)] : [kind | 0x0F] + integer(Int64(count))
  }
}

extension PropertyValue {
  fileprivate var isShared: Bool {
    switch self {
    case .bool, .integer, .unsigned, .text, .data: true
    case .real, .array, .dictionary: false
    }
  }
}
