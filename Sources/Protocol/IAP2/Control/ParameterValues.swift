// swift-iap2 · Apache-2.0

// The functions `value` are not marked `@inline(__always)`. With the mark, Swift 6.3 leaves the calls in `read` as
// calls through a witness table, which halves the speed of small messages. Without it, they are inlined.

/// A big-endian integer of its natural size.
public protocol WireInteger: WireValue, FixedWidthInteger, BitwiseCopyable {}

extension WireInteger {
  /// Reads one number; throws `wrongSize` if the range has another size.
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self {
    guard range.count == MemoryLayout<Self>.size else { throw wrongSize(MemoryLayout<Self>.size, range) }
    return Self(bytes, at: range.lowerBound)
  }

  /// Reads the number at an offset.
  ///
  /// - Precondition: the number's bytes lie at the offset.
  @inline(__always)
  init(_ bytes: RawSpan, at offset: Int) {
    precondition(offset >= 0 && offset &+ MemoryLayout<Self>.size <= bytes.byteCount)
    self.init(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Self.self))
  }

  /// Appends the numbers that fill one parameter.
  public static func append(_ bytes: RawSpan, _ range: Range<Int>, to all: inout [Self]) throws(WireError) {
    let size = MemoryLayout<Self>.size
    guard range.count > 0, range.count % size == 0 else { throw wrongSize(size, range) }
    for start in stride(from: range.lowerBound, to: range.upperBound, by: size) {
      all.append(try value(bytes, start..<(start + size)))
    }
  }

  /// Writes the number without a header.
  @inline(__always) public func put(_ writer: inout ParameterWriter) { writer.put(self) }
  /// The four bytes of the header and the size of the number.
  @inline(__always) public var wireByteCount: Int { 4 &+ MemoryLayout<Self>.size }

  /// Writes one parameter in a single step, since its length is known.
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

/// A truth value of one byte. Every value but 0 reads as true.
extension Bool: WireValue {
  /// A truth value.
  public static var shape: ParameterShape { .bool }

  /// Reads one byte; throws `wrongSize` if the range has another size.
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Bool {
    try UInt8.value(bytes, range) != 0
  }

  /// Writes 1 for true and 0 for false.
  @inline(__always) public func put(_ writer: inout ParameterWriter) { writer.put((self ? 1 : 0) as UInt8) }
  /// The four bytes of the header and one byte.
  @inline(__always) public var wireByteCount: Int { 5 }
}

/// A one-byte enumeration that keeps values without a name.
public protocol OpenEnumeration: WireValue, RawRepresentable, Hashable where RawValue == UInt8 {
  /// Creates a value, with or without a name.
  init(rawValue: UInt8)
  /// The byte on the wire.
  var rawValue: UInt8 { get }
  /// The known values and their names.
  static var names: [(UInt8, StaticString)] { get }
}

extension OpenEnumeration {
  /// An enumeration with the known names.
  public static var shape: ParameterShape { .enumeration(names) }

  /// Reads one byte; throws `wrongSize` if the range has another size. Every byte is accepted.
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self {
    Self(rawValue: try UInt8.value(bytes, range))
  }

  /// Appends the values that fill one parameter, one byte each.
  public static func append(_ bytes: RawSpan, _ range: Range<Int>, to all: inout [Self]) throws(WireError) {
    guard !range.isEmpty else { throw wrongSize(1, range) }
    for offset in range { all.append(Self(rawValue: bytes.byte(offset))) }
  }

  /// Writes one byte.
  @inline(__always) public func put(_ writer: inout ParameterWriter) { writer.put(rawValue) }
  /// The four bytes of the header and one byte.
  @inline(__always) public var wireByteCount: Int { 5 }

  /// The name of the value; nil for a value that is not described.
  public var name: String? { Self.names.first { $0.0 == rawValue }.map { "\($0.1)" } }
}

/// A text in UTF-8 with a final NUL. A text without the NUL is read too (Sessions.md#utf8-tolerance; low).
extension String: WireValue {
  /// A text.
  public static var shape: ParameterShape { .utf8 }

  /// Reads a text; throws `invalidText` with the offset of the first byte that is not UTF-8.
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

  /// Appends the texts of one parameter, each with its NUL.
  public static func append(_ bytes: RawSpan, _ range: Range<Int>, to all: inout [String]) throws(WireError) {
    var start = range.lowerBound
    for offset in range where bytes.byte(offset) == 0 {
      all.append(try value(bytes, start..<offset))
      start = offset + 1
    }
    if start < range.upperBound || range.isEmpty { all.append(try value(bytes, start..<range.upperBound)) }
  }

  /// Writes the text and a NUL.
  public func put(_ writer: inout ParameterWriter) {
    var text = self
    text.withUTF8 { unsafe writer.put(UnsafeRawBufferPointer($0)) }
    writer.put(0 as UInt8)
  }

  /// The four bytes of the header, the text and its NUL.
  @inline(__always) public var wireByteCount: Int { 5 &+ utf8.count }
}

/// Raw bytes.
public struct Blob: WireValue, ExpressibleByArrayLiteral {
  /// The bytes.
  public var bytes: [UInt8]
  /// Creates a blob from bytes.
  public init(_ bytes: [UInt8] = []) { self.bytes = bytes }
  /// Creates a blob from bytes.
  public init(arrayLiteral elements: UInt8...) { bytes = elements }

  /// A blob.
  public static var shape: ParameterShape { .blob }

  /// Copies the bytes of the range.
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Blob {
    Blob([UInt8](copying: bytes.extracting(range)))
  }

  /// Writes the bytes.
  public func put(_ writer: inout ParameterWriter) { unsafe bytes.withUnsafeBytes { unsafe writer.put($0) } }
  /// The four bytes of the header and the bytes.
  @inline(__always) public var wireByteCount: Int { 4 &+ bytes.count }
}

/// Several numbers in one parameter. The reader also accepts them in several parameters.
public struct Packed<Element: WireInteger>: WireValue, ExpressibleByArrayLiteral {
  /// The numbers, in wire order.
  public var elements: [Element]
  /// Creates a list of numbers.
  public init(_ elements: [Element] = []) { self.elements = elements }
  /// Creates a list of numbers.
  public init(arrayLiteral elements: Element...) { self.elements = elements }

  /// Packed numbers.
  public static var shape: ParameterShape { .packed(Element.shape) }

  /// Reads the numbers of every parameter with this id; throws if there is none.
  @_lifetime(reader: copy reader)
  public mutating func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) {
    var header = try reader.another(id, after: -1)
    guard header >= 0 else { throw reader.missing(id) }
    while header >= 0 {
      try append(reader.bytes, reader.value(at: header))
      header = try reader.another(id, after: header)
    }
  }

  /// Reads the numbers of one parameter; throws `wrongSize` if its size is not a multiple of a number's.
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Packed {
    var packed = Packed()
    try packed.append(bytes, range)
    return packed
  }

  private mutating func append(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) {
    let size = MemoryLayout<Element>.size
    guard range.count % size == 0 else { throw wrongSize(range.count / size * size, range) }
    let start = range.lowerBound
    elements.append(addingCapacity: range.count / size) { output in
      for index in 0..<(range.count / size) { output.append(Element(bytes, at: start &+ index &* size)) }
    }
  }

  /// Writes the numbers without a header.
  public func put(_ writer: inout ParameterWriter) { for element in elements { writer.put(element) } }
  /// The four bytes of the header and the numbers.
  @inline(__always) public var wireByteCount: Int { 4 &+ elements.count &* MemoryLayout<Element>.size }
}
