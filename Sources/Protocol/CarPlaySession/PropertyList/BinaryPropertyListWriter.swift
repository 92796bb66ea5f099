// swift-iap2 · Apache-2.0

extension PropertyValue {
  /// The binary form, version 00. Keys are in the order of their letters, so equal values have equal bytes.
  public var binary: [UInt8] {
    var writer = BinaryPropertyListWriter()
    _ = writer.number(of: self)
    return writer.finish()
  }
}

/// A writer of the binary form of property lists. Equal values share one object.
private struct BinaryPropertyListWriter {
  private var objects: [PropertyValue] = []
  private var numbers: [PropertyValue: Int] = [:]

  /// Collects a value and what is inside, the outer before the inner, and returns its number.
  mutating func number(of value: PropertyValue) -> Int {
    if let known = numbers[value] { return known }
    let number = objects.count
    numbers[value] = number
    objects.append(value)
    switch value {
    case .array(let members): for member in members { _ = self.number(of: member) }
    case .dictionary(let members):
      for key in members.keys.sorted() { _ = self.number(of: .text(key)) }
      for key in members.keys.sorted() { if let member = members[key] { _ = self.number(of: member) } }
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

  private func encoded(_ value: PropertyValue, _ referenceSize: Int) -> [UInt8] {
    switch value {
    case .bool(let value): return [value ? 0x09 : 0x08]
    case .integer(let value): return Self.integer(value)
    case .unsigned(let value): return [0x14] + Self.bytes(0, 8) + Self.bytes(value, 8)
    case .real(let value): return [0x23] + Self.bytes(value.bitPattern, 8)
    case .data(let value): return Self.marker(0x40, value.count) + value
    case .text(let text):
      if text.utf8.allSatisfy({ $0 < 0x80 }) { return Self.marker(0x50, text.utf8.count) + text.utf8 }
      return Self.marker(0x60, text.utf16.count) + text.utf16.flatMap { Self.bytes(UInt64($0), 2) }
    case .array(let members):
      return Self.marker(0xA0, members.count) + members.flatMap { reference($0, referenceSize) }
    case .dictionary(let members):
      let keys = members.keys.sorted()
      return Self.marker(0xD0, keys.count) + keys.flatMap { reference(.text($0), referenceSize) }
        + keys.flatMap { key in members[key].map { reference($0, referenceSize) } ?? [] }
    }
  }

  private func reference(_ value: PropertyValue, _ size: Int) -> [UInt8] {
    guard let number = numbers[value] else { preconditionFailure("every member was collected") }
    return Self.bytes(UInt64(number), size)
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
