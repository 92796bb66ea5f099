// swift-iap2 · Apache-2.0

import Basics

extension PropertyValue {
  /// Reads the binary form, version 00.
  ///
  /// - Throws: ``PropertyListProblem``. The reader keeps to the bounds of ``PropertyListLimits`` for any bytes.
  public init(binary bytes: [UInt8]) throws(PropertyListProblem) {
    var reader = try BinaryPropertyListReader(bytes)
    self = try reader.value(reader.top, depth: 0)
  }
}

/// A reader of the binary form of property lists.
///
/// The last 32 bytes have the sizes of offsets and references, the number of objects, the outermost one, and the place
/// of the offsets. Apple has published the form in the source of CoreFoundation (CFBinaryPList.c); Foundation is the
/// oracle of the tests.
private struct BinaryPropertyListReader {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let table: Int
  /// The number of the outermost object.
  let top: Int
  private var left = PropertyListLimits.objectCount
  /// The bytes of text and data that may still be read. Each reference to an object counts its bytes again.
  private var bytesLeft = PropertyListLimits.contentByteCount

  init(_ bytes: [UInt8]) throws(PropertyListProblem) {
    guard bytes.count <= PropertyListLimits.byteCount else { throw .tooLong(byteCount: bytes.count) }
    guard bytes.starts(with: Array("bplist00".utf8)) else { throw .notBinary }
    guard bytes.count >= 8 + 32 else { throw .badTable }
    let trailer = bytes.count - 32
    (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
    func number(_ start: Int) -> Int? { Int(exactly: UInt64(bigEndianBytes: bytes[start..<start + 8])) }
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = number(trailer + 8), let top = number(trailer + 16), let table = number(trailer + 24),
      count > 0, top < count, table >= 8, table <= trailer, count <= (trailer - table) / offsetSize
    else { throw .badTable }
    (objectCount, self.top, self.table) = (count, top, table)
    self.bytes = bytes
  }

  private func number(_ start: Int, _ size: Int) -> UInt64 {
    UInt64(bigEndianBytes: bytes[start..<start + size])
  }

  /// Reads an object by its number.
  mutating func value(_ index: Int, depth: Int) throws(PropertyListProblem) -> PropertyValue {
    guard left > 0 else { throw .tooManyObjects }
    left -= 1
    guard let offset = Int(exactly: number(table + index * offsetSize, offsetSize)), offset >= 8, offset < table else {
      throw .badTable
    }
    let low = Int(bytes[offset] & 0x0F)
    switch bytes[offset] >> 4 {
    case 0x0 where low == 8 || low == 9: return .bool(low == 9)
    case 0x1: return try integer(offset, low)
    case 0x2: return try real(offset, low)
    case 0x4:
      let body = try content(offset, low, unit: 1)
      return .data(Array(bytes[body]))
    case 0x5:
      let body = try content(offset, low, unit: 1)
      guard bytes[body].allSatisfy({ $0 < 0x80 }) else { throw .badObject(offset: offset) }
      return .text(String(decoding: bytes[body], as: UTF8.self))
    case 0x6:
      let body = try content(offset, low, unit: 2)
      let units = stride(from: body.lowerBound, to: body.upperBound, by: 2).map { UInt16(number($0, 2)) }
      guard let text = String(validating: units, as: UTF16.self) else { throw .badObject(offset: offset) }
      return .text(text)
    case 0xA:
      return .array(try members(try body(offset, low, unit: referenceSize), depth))
    case 0xD: return try dictionary(offset, low, depth)
    default: throw .badObject(offset: offset)
    }
  }

  /// Returns the range of text or data, and counts its bytes toward the bound.
  private mutating func content(_ offset: Int, _ low: Int, unit: Int) throws(PropertyListProblem) -> Range<Int> {
    let body = try body(offset, low, unit: unit)
    guard body.count <= bytesLeft else { throw .tooManyObjects }
    bytesLeft -= body.count
    return body
  }

  /// Returns the range of an object's content, behind its marker and its count.
  ///
  /// - Parameter unit: The bytes of a member, or of the two references of a dictionary's member.
  private func body(_ offset: Int, _ low: Int, unit: Int) throws(PropertyListProblem) -> Range<Int> {
    var (count, start) = (low, offset + 1)
    if low == 0x0F {
      // The count is a separate object, an integer.
      guard start < table, bytes[start] >> 4 == 1, bytes[start] & 0x0F <= 3 else { throw .badObject(offset: offset) }
      let size = 1 << Int(bytes[start] & 0x0F)
      guard start + 1 + size <= table, let long = Int(exactly: number(start + 1, size)) else {
        throw .badObject(offset: offset)
      }
      (count, start) = (long, start + 1 + size)
    }
    guard count <= (table - start) / unit, start <= table else { throw .badObject(offset: offset) }
    return start..<start + count * unit
  }

  /// Reads an integer. Numbers of 1, 2 and 4 bytes are unsigned, and numbers of 8 bytes are signed. A number of 16
  /// bytes is an 8-byte number that is extended with zeros or with its sign.
  private func integer(_ offset: Int, _ low: Int) throws(PropertyListProblem) -> PropertyValue {
    let size = 1 << low
    guard low <= 4, offset + 1 + size <= table else { throw .badObject(offset: offset) }
    guard size == 16 else { return .integer(Int64(bitPattern: number(offset + 1, size))) }
    let (high, value) = (number(offset + 1, 8), number(offset + 9, 8))
    if high == 0 { return value <= Int64.max ? .integer(Int64(value)) : .unsigned(value) }
    guard high == .max, value > Int64.max else { throw .badObject(offset: offset) }
    return .integer(Int64(bitPattern: value))
  }

  private func real(_ offset: Int, _ low: Int) throws(PropertyListProblem) -> PropertyValue {
    let size = 1 << low
    guard low == 2 || low == 3, offset + 1 + size <= table else { throw .badObject(offset: offset) }
    let bits = number(offset + 1, size)
    return .real(low == 2 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits))
  }

  /// The most members for which memory is reserved, because a damaged list may claim any number of them.
  private static let reservedCount = 64

  private mutating func members(_ body: Range<Int>, _ depth: Int) throws(PropertyListProblem) -> [PropertyValue] {
    guard depth < PropertyListLimits.depth else { throw .tooDeep }
    var values: [PropertyValue] = []
    values.reserveCapacity(min(body.count / referenceSize, Self.reservedCount))
    for start in stride(from: body.lowerBound, to: body.upperBound, by: referenceSize) {
      values.append(try value(try reference(start), depth: depth + 1))
    }
    return values
  }

  private func reference(_ start: Int) throws(PropertyListProblem) -> Int {
    guard let index = Int(exactly: number(start, referenceSize)), index < objectCount else { throw .badTable }
    return index
  }

  /// Reads a dictionary: the references of all keys, then those of all values. Of two equal keys the first counts.
  private mutating func dictionary(_ offset: Int, _ low: Int, _ depth: Int) throws(PropertyListProblem)
    -> PropertyValue
  {
    guard depth < PropertyListLimits.depth else { throw .tooDeep }
    let body = try body(offset, low, unit: 2 * referenceSize)
    let middle = body.lowerBound + body.count / 2
    var values = [String: PropertyValue](minimumCapacity: min(body.count / 2 / referenceSize, Self.reservedCount))
    for start in stride(from: body.lowerBound, to: middle, by: referenceSize) {
      guard case .text(let key) = try value(try reference(start), depth: depth + 1) else {
        throw .badObject(offset: offset)
      }
      let value = try value(try reference(start + body.count / 2), depth: depth + 1)
      if let first = values.updateValue(value, forKey: key) { values[key] = first }
    }
    return .dictionary(values)
  }
}
