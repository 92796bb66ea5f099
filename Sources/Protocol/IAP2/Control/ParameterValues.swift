// swift-iap2 · Apache-2.0

/// A big-endian number of its natural size.
public protocol WireInteger: WireValue, FixedWidthInteger, BitwiseCopyable {}

extension WireInteger {
  @inline(__always)
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self {
    guard range.count == MemoryLayout<Self>.size else { throw wrongSize(MemoryLayout<Self>.size, range) }
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.byteCount)
    return Self(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: range.lowerBound, as: Self.self))
  }

  public static func joined(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> [Self] {
    let size = MemoryLayout<Self>.size
    guard range.count > size, range.count % size == 0 else { return [try value(bytes, range)] }
    var all: [Self] = []
    for start in stride(from: range.lowerBound, to: range.upperBound, by: size) {
      all.append(try value(bytes, start..<(start + size)))
    }
    return all
  }

  @inline(__always) public func put(_ writer: inout ParameterWriter) { writer.put(self) }
  @inline(__always) public var wireByteCount: Int { 4 &+ MemoryLayout<Self>.size }

  @inline(__always)
  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    writer.header(id, byteCount: 4 &+ MemoryLayout<Self>.size)
    writer.put(self)
  }
}

@inline(never)
private func wrongSize(_ expected: Int, _ range: Range<Int>) -> WireError {
  WireError(.wrongSize(expected: expected, found: range.count), offset: range.lowerBound - 4)
}

extension UInt8: WireInteger { public static var shape: ParameterShape { .u8 } }
extension UInt16: WireInteger { public static var shape: ParameterShape { .u16 } }
extension UInt32: WireInteger { public static var shape: ParameterShape { .u32 } }
extension UInt64: WireInteger { public static var shape: ParameterShape { .u64 } }
extension Int8: WireInteger { public static var shape: ParameterShape { .i8 } }
extension Int16: WireInteger { public static var shape: ParameterShape { .i16 } }
extension Int32: WireInteger { public static var shape: ParameterShape { .i32 } }
extension Int64: WireInteger { public static var shape: ParameterShape { .i64 } }

/// One byte; anything but 0 reads as true.
extension Bool: WireValue {
  public static var shape: ParameterShape { .bool }

  @inline(__always)
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Bool {
    try UInt8.value(bytes, range) != 0
  }

  @inline(__always) public func put(_ writer: inout ParameterWriter) { writer.put((self ? 1 : 0) as UInt8) }
  @inline(__always) public var wireByteCount: Int { 5 }
}

/// A one-byte enumeration that keeps values it has no name for.
public protocol OpenEnumeration: WireValue, RawRepresentable, Hashable where RawValue == UInt8 {
  init(rawValue: UInt8)
  static var names: [(UInt8, StaticString)] { get }
}

extension OpenEnumeration {
  public static var shape: ParameterShape { .enumeration(names) }

  @inline(__always)
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self {
    Self(rawValue: try UInt8.value(bytes, range))
  }

  public static func joined(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> [Self] {
    try UInt8.joined(bytes, range).map { Self(rawValue: $0) }
  }

  @inline(__always) public func put(_ writer: inout ParameterWriter) { writer.put(rawValue) }
  @inline(__always) public var wireByteCount: Int { 5 }

  /// The protocol's name; nil for a value nobody has described.
  public var name: String? { Self.names.first { $0.0 == rawValue }.map { "\($0.1)" } }
}

/// UTF-8 with a final NUL, which may be missing when read.
extension String: WireValue {
  public static var shape: ParameterShape { .utf8 }

  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> String {
    var end = range.upperBound
    if end > range.lowerBound, bytes.byte(end - 1) == 0 { end -= 1 }
    let text = bytes.extracting(range.lowerBound..<end)
    do {
      return String(copying: try UTF8Span(validating: Span<UInt8>(_bytes: text)))
    } catch {
      throw WireError(.invalidText, offset: range.lowerBound + error.byteOffsets.lowerBound)
    }
  }

  public static func joined(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> [String] {
    var all: [String] = []
    var start = range.lowerBound
    for offset in range where bytes.byte(offset) == 0 {
      all.append(try value(bytes, start..<offset))
      start = offset + 1
    }
    if start < range.upperBound || range.isEmpty { all.append(try value(bytes, start..<range.upperBound)) }
    return all
  }

  public func put(_ writer: inout ParameterWriter) {
    var text = self
    text.withUTF8 { unsafe writer.put(UnsafeRawBufferPointer($0)) }
    writer.put(0 as UInt8)
  }

  @inline(__always) public var wireByteCount: Int { 5 &+ utf8.count }
}

/// Bytes without a meaning of their own.
public struct Blob: WireValue, ExpressibleByArrayLiteral {
  public var bytes: [UInt8]
  public init(_ bytes: [UInt8] = []) { self.bytes = bytes }
  public init(arrayLiteral elements: UInt8...) { bytes = elements }

  public static var shape: ParameterShape { .blob }

  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Blob {
    Blob([UInt8](copying: bytes.extracting(range)))
  }

  public func put(_ writer: inout ParameterWriter) { unsafe bytes.withUnsafeBytes { unsafe writer.put($0) } }
  @inline(__always) public var wireByteCount: Int { 4 &+ bytes.count }
}

/// Several numbers in one parameter; read also from several parameters.
public struct Packed<Element: WireInteger>: WireValue, ExpressibleByArrayLiteral {
  public var elements: [Element]
  public init(_ elements: [Element] = []) { self.elements = elements }
  public init(arrayLiteral elements: Element...) { self.elements = elements }

  public static var shape: ParameterShape { .packed(Element.shape) }

  @_lifetime(reader: copy reader)
  public static func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) -> Packed {
    var header = try reader.another(id, after: -1)
    guard header >= 0 else { throw reader.missing(id) }
    var all = try value(reader.bytes, reader.value(at: header))
    while true {
      header = try reader.another(id, after: header)
      guard header >= 0 else { return all }
      all.elements += try value(reader.bytes, reader.value(at: header)).elements
    }
  }

  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Packed {
    let size = MemoryLayout<Element>.size
    guard range.count % size == 0 else { throw wrongSize(range.count / size * size, range) }
    var elements: [Element] = []
    elements.reserveCapacity(range.count / size)
    var start = range.lowerBound
    while start < range.upperBound {
      elements.append(try Element.value(bytes, start..<(start &+ size)))
      start &+= size
    }
    return Packed(elements)
  }

  public func put(_ writer: inout ParameterWriter) { for element in elements { writer.put(element) } }
  @inline(__always) public var wireByteCount: Int { 4 &+ elements.count &* MemoryLayout<Element>.size }
}
