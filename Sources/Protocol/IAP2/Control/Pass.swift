// swift-iap2 · Apache-2.0

/// Properties of a declared parameter apart from its id, its name and its value.
public struct ParameterNote: Sendable {
  /// The unit of the value; nil if it has none or none is known.
  package var unit: StaticString?
  /// The confidence that the parameter is as declared.
  package var confidence: Confidence
  /// Whether a repeated parameter must occur at least once.
  package var isRequired: Bool
  /// The values that it may have; nil if its type says it all.
  package var limit: ValueLimit?

  /// Creates a note; the default is high confidence, no unit and no limit.
  @inline(__always)
  public init(
    unit: StaticString? = nil, _ confidence: Confidence = .high, isRequired: Bool = false, limit: ValueLimit? = nil
  ) {
    self.unit = unit
    self.confidence = confidence
    self.isRequired = isRequired
    self.limit = limit
  }
}

/// An operation on every parameter of a message: reading, sizing, writing or describing.
public protocol Pass: ~Copyable, ~Escapable {
  /// The error that ends the operation; `Never` if it cannot fail.
  associatedtype Failure: Error
  /// Handles one parameter. A schema calls this once for each parameter, in ascending order of the ids.
  @_lifetime(self: copy self)
  mutating func callAsFunction<Value: Parameter>(
    _ id: UInt16, _ name: StaticString, _ value: inout Value, _ note: ParameterNote
  ) throws(Failure)
}

extension Pass where Self: ~Copyable & ~Escapable {
  /// Handles one parameter of high confidence and without a unit.
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
      try value.read(id, &reader)
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
  /// Returns the error with the parameter that it is about. An error from inside a group already has its parameter and
  /// gets the id of the group.
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
        unit: note.unit.map { "\($0)" }, confidence: note.confidence, limit: note.limit))
  }
}

/// The schema of a message or group: one function names each parameter once, and reading, sizing, writing and
/// describing derive from it.
///
/// Ids are below 64 (the highest known one is 34), so that a reader keeps the ids it has found in a 64-bit mask.
public protocol ParameterSchema: Sendable, Equatable {
  /// Creates an instance with default values.
  init()
  /// The unknown parameters and the order of the bytes that the instance was read from.
  var unrepresented: UnrepresentedParameters { get set }
  /// Hands each parameter to a pass, in ascending order of the ids.
  mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure)
}

extension ParameterSchema {
  /// The parameters of the schema.
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
      unrepresented = pass.reader.unrepresented
    }
  }

  /// Reads with the quick walk; if that fails, reads again with the careful walk, which has exact errors.
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

  // A size or write pass works on `self` in place, because a copy would retain every string twice. Invariant:
  // `SizePass` and `WritePass` never store to the values that they are given.
  var bodyByteCount: Int {
    unsafe withUnsafePointer(to: self) { pointer in
      var pass = SizePass()
      unsafe UnsafeMutablePointer(mutating: pointer).pointee.parameters(&pass)
      return pass.byteCount &+ unrepresented.byteCount
    }
  }

  func writeBody(_ writer: consuming ParameterWriter) -> ParameterWriter {
    let start = writer.count
    var pass = WritePass(writer: writer)
    unsafe withUnsafePointer(to: self) { pointer in
      unsafe UnsafeMutablePointer(mutating: pointer).pointee.parameters(&pass)
    }
    var finished = pass.finish()
    if !unrepresented.isEmpty { unrepresented.restore(&finished, from: start) }
    return finished
  }
}

/// A parameter whose value is a run of parameters with ids of its own.
public protocol ParameterGroup: ParameterSchema, WireValue {}

extension ParameterGroup {
  /// A group with the parameters of this schema.
  public static var shape: ParameterShape { .group(rows) }

  /// Reads one group; throws if its parameters break the schema.
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self {
    try Self(bytes, range)
  }

  /// Appends one group, or several that one parameter joins. A new group starts where the first id occurs again
  /// (Sessions.md#joined-lists; high).
  public static func append(_ bytes: RawSpan, _ range: Range<Int>, to all: inout [Self]) throws(WireError) {
    do {
      all.append(try value(bytes, range))
    } catch {
      guard case .duplicate = error.reason else { throw error }
      try appendParts(bytes, range, error, to: &all)
    }
  }

  @inline(never)
  private static func appendParts(
    _ bytes: RawSpan, _ range: Range<Int>, _ error: WireError, to all: inout [Self]
  ) throws(WireError) {
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
  }

  /// Writes the parameters of the group without its header.
  public func put(_ writer: inout ParameterWriter) {
    var moved = unsafe ParameterWriter(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    swap(&moved, &writer)
    writer = writeBody(moved)
  }

  /// The four bytes of the header and the parameters.
  public var wireByteCount: Int { 4 &+ bodyByteCount }
}
