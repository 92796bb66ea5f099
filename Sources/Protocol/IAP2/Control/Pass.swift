// swift-iap2 · Apache-2.0

/// What a declaration says of a parameter beside its id, name and property.
public struct ParameterNote: Sendable {
  public var unit: StaticString?
  public var confidence: Confidence
  /// The parameter repeats and must come at least once.
  public var isRequired: Bool

  @inline(__always)
  public init(unit: StaticString? = nil, _ confidence: Confidence = .high, isRequired: Bool = false) {
    self.unit = unit
    self.confidence = confidence
    self.isRequired = isRequired
  }
}

/// Something that is done with every parameter of a message: reading, sizing, writing, describing.
public protocol Pass: ~Copyable, ~Escapable {
  associatedtype Failure: Error
  @_lifetime(self: copy self)
  mutating func callAsFunction<Value: Parameter>(
    _ id: UInt16, _ name: StaticString, _ value: inout Value, _ note: ParameterNote
  ) throws(Failure)
}

extension Pass where Self: ~Copyable & ~Escapable {
  @_lifetime(self: copy self)
  @inline(__always)
  public mutating func callAsFunction<Value: Parameter>(
    _ id: UInt16, _ name: StaticString, _ value: inout Value
  ) throws(Failure) {
    try self(id, name, &value, ParameterNote())
  }
}

struct ReadPass: Pass, ~Copyable, ~Escapable {
  var reader: ParameterReader

  @_lifetime(copy reader)
  init(_ reader: consuming ParameterReader) { self.reader = reader }

  @_lifetime(self: copy self)
  @inline(__always)
  mutating func callAsFunction<Value: Parameter>(
    _ id: UInt16, _ name: StaticString, _ value: inout Value, _ note: ParameterNote
  ) throws(WireError) {
    reader.known |= 1 &<< UInt64(id)
    let before = reader.cursor
    do {
      value = try Value.read(id, &reader)
    } catch {
      if error.reason == .needsCarefulWalk { throw error }
      throw Self.placed(error, id, Value.self)
    }
    if note.isRequired, reader.isQuick ? reader.cursor == before : reader.present & (1 &<< UInt64(id)) == 0 {
      throw reader.missing(id)
    }
  }
}

extension ReadPass {
  /// The error with the parameter it is about; one from inside a group has that already, and is told the group.
  @inline(never)
  private static func placed<Value: Parameter>(_ error: WireError, _ id: UInt16, _ type: Value.Type) -> WireError {
    var placed = error
    if error.parameter == nil {
      placed.parameter = id
    } else if case .group = Value.shape {
      placed.group = id
    }
    return placed
  }
}

struct SizePass: Pass, ~Copyable {
  var byteCount = 0

  @inline(__always)
  mutating func callAsFunction<Value: Parameter>(
    _ id: UInt16, _ name: StaticString, _ value: inout Value, _ note: ParameterNote
  ) throws(Never) {
    byteCount &+= value.wireByteCount
  }
}

struct WritePass: Pass, ~Copyable {
  var writer: ParameterWriter

  consuming func finish() -> ParameterWriter { writer }

  @inline(__always)
  mutating func callAsFunction<Value: Parameter>(
    _ id: UInt16, _ name: StaticString, _ value: inout Value, _ note: ParameterNote
  ) throws(Never) {
    value.write(id, &writer)
  }
}

struct DescribePass: Pass, ~Copyable {
  var rows: [ParameterRow] = []

  mutating func callAsFunction<Value: Parameter>(
    _ id: UInt16, _ name: StaticString, _ value: inout Value, _ note: ParameterNote
  ) throws(Never) {
    rows.append(
      ParameterRow(
        id: id, name: "\(name)", count: note.isRequired ? .some : Value.count, shape: Value.shape,
        unit: note.unit.map { "\($0)" }, confidence: note.confidence))
  }
}

/// A message or a group: one function names each parameter once, and everything else derives from it.
///
/// Ids are below 64 (the highest known is 34), so that a walk needs no memory.
public protocol ParameterSchema: Sendable, Equatable {
  init()
  var residue: Residue { get set }
  mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure)
}

extension ParameterSchema {
  /// The schema's lines.
  public static var rows: [ParameterRow] {
    var value = Self()
    var pass = DescribePass()
    value.parameters(&pass)
    return pass.rows
  }

  @inline(__always)
  init(_ reader: consuming ParameterReader) throws(WireError) {
    self.init()
    var pass = ReadPass(reader)
    try parameters(&pass)
    if pass.reader.isQuick {
      guard pass.reader.cursor == pass.reader.end else { throw .needsCarefulWalk }
    } else {
      residue = pass.reader.residue
    }
  }

  /// Quick first, carefully if anything is unusual.
  @inline(__always)
  init(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) {
    do {
      self = try Self(ParameterReader(quick: bytes, range))
    } catch {
      self = try Self(carefully: bytes, range)
    }
  }

  @inline(never)
  private init(carefully bytes: RawSpan, _ range: Range<Int>) throws(WireError) {
    self = try Self(try ParameterReader(careful: bytes, range))
  }

  // A pass that only reads sees `self` in place: a copy would retain every string twice. Invariant: `SizePass` and
  // `WritePass` never store to the value they are given.
  var bodyByteCount: Int {
    unsafe withUnsafePointer(to: self) { pointer in
      var pass = SizePass()
      unsafe UnsafeMutablePointer(mutating: pointer).pointee.parameters(&pass)
      return pass.byteCount &+ residue.byteCount
    }
  }

  func writeBody(_ writer: consuming ParameterWriter) -> ParameterWriter {
    let start = writer.count
    var pass = WritePass(writer: writer)
    unsafe withUnsafePointer(to: self) { pointer in
      unsafe UnsafeMutablePointer(mutating: pointer).pointee.parameters(&pass)
    }
    var finished = pass.finish()
    if !residue.isEmpty { residue.restore(&finished, from: start) }
    return finished
  }
}

/// A parameter whose value is again a list of parameters, with ids of its own.
public protocol ParameterGroup: ParameterSchema, WireValue {}

extension ParameterGroup {
  public static var shape: ParameterShape { .group(rows) }

  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self {
    try Self(bytes, range)
  }

  /// Groups written one after the other in one parameter: a new one begins where the first id comes again.
  public static func joined(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> [Self] {
    do {
      return [try value(bytes, range)]
    } catch {
      guard case .duplicate = error.reason else { throw error }
      return try split(bytes, range, error)
    }
  }

  private static func split(_ bytes: RawSpan, _ range: Range<Int>, _ error: WireError) throws(WireError) -> [Self] {
    var all: [Self] = []
    var start = range.lowerBound
    let firstID = bytes.bigEndian16(start + 2)
    var offset = start + Int(bytes.bigEndian16(start))
    while offset < range.upperBound {
      if bytes.bigEndian16(offset + 2) == firstID {
        all.append(try value(bytes, start..<offset))
        start = offset
      }
      offset += Int(bytes.bigEndian16(offset))
    }
    guard start > range.lowerBound else { throw error }
    all.append(try value(bytes, start..<range.upperBound))
    return all
  }

  public func put(_ writer: inout ParameterWriter) {
    var moved = unsafe ParameterWriter(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    swap(&moved, &writer)
    writer = writeBody(moved)
  }

  public var wireByteCount: Int { 4 &+ bodyByteCount }
}
