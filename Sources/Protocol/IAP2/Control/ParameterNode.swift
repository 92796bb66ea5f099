// swift-iap2 · Apache-2.0

/// A parameter as it lies on the wire, with its name if the schema has it. A list of nodes keeps every parameter in
/// wire order and merges none.
public struct ParameterNode: Sendable, Equatable {
  /// The value of a parameter, read as its type.
  public indirect enum Value: Sendable, Equatable {
    /// A text.
    case text(String)
    /// An unsigned number.
    case unsigned(UInt64)
    /// A signed number.
    case signed(Int64)
    /// A truth value.
    case bool(Bool)
    /// A value of an enumeration; the name is nil for a value that is not described.
    case enumeration(UInt8, name: String?)
    /// No value: the parameter's presence is its value.
    case void
    /// A blob, an unknown parameter, or a value that its schema does not allow.
    case bytes([UInt8])
    /// Several unsigned numbers in one parameter.
    case list([UInt64])
    /// Several signed numbers in one parameter.
    case signedList([Int64])
    /// The parameters of a group.
    case group([ParameterNode])
  }

  /// The parameter id.
  public var id: UInt16
  /// The name; nil if the schema does not have the id.
  public var name: String?
  /// The name of the type (Sessions.md#types); `unknown` if the schema does not have the id.
  package var type: String
  /// The value.
  public var value: Value
  /// The offset of the parameter's header in bytes from the start of the message.
  package var offset: Int

  /// Creates a node.
  package init(id: UInt16, name: String?, type: String, value: Value, offset: Int) {
    self.id = id
    self.name = name
    self.type = type
    self.value = value
    self.offset = offset
  }

  static let maximumDepth = 8

  /// Returns the parameters of one whole message, and the errors in its bytes. A parameter with an error is returned as
  /// bytes.
  package static func nodes(of message: RawSpan, rows: [ParameterRow]) -> (nodes: [ParameterNode], errors: [WireError])
  {
    var errors: [WireError] = []
    do {
      let body = try ControlHeader.body(message)
      return (nodes(message, body, rows, depth: 0, &errors), errors)
    } catch {
      return ([], [error])
    }
  }

  private static func nodes(
    _ bytes: RawSpan, _ range: Range<Int>, _ rows: [ParameterRow], depth: Int, _ errors: inout [WireError]
  ) -> [ParameterNode] {
    var all: [ParameterNode] = []
    var offset = range.lowerBound
    while offset < range.upperBound {
      let left = range.upperBound - offset
      let length = left >= 4 ? Int(bytes.bigEndian16(offset)) : 0
      guard left >= 4, length >= 4, length <= left else {
        errors.append(WireError(left >= 4 && length < 4 ? .badLength(length) : .truncated, offset: offset))
        if left >= 4 { all.append(cut(bytes, offset..<range.upperBound, rows)) }
        return all
      }
      let id = bytes.bigEndian16(offset + 2)
      let value = (offset + 4)..<(offset + length)
      if let row = rows.first(where: { $0.id == id }) {
        let read = self.joined(bytes, value, row) ?? self.value(bytes, value, row, depth: depth, &errors)
        all.append(ParameterNode(id: id, name: row.name, type: row.shape.name, value: read, offset: offset))
      } else {
        let raw = Value.bytes([UInt8](copying: bytes.extracting(value)))
        all.append(ParameterNode(id: id, name: nil, type: "unknown", value: raw, offset: offset))
      }
      offset += length
    }
    return all
  }

  /// Returns a parameter whose length is wrong: its value is all bytes to the end of the run.
  private static func cut(_ bytes: RawSpan, _ range: Range<Int>, _ rows: [ParameterRow]) -> ParameterNode {
    let id = bytes.bigEndian16(range.lowerBound + 2)
    let row = rows.first { $0.id == id }
    return ParameterNode(
      id: id, name: row?.name, type: row?.shape.name ?? "unknown",
      value: .bytes([UInt8](copying: bytes.extracting((range.lowerBound + 4)..<range.upperBound))),
      offset: range.lowerBound)
  }

  /// Reads several numbers in one parameter that may repeat, because some implementations join repeated parameters
  /// (Sessions.md#joined-lists; high).
  private static func joined(_ bytes: RawSpan, _ range: Range<Int>, _ row: ParameterRow) -> Value? {
    guard row.count == .any || row.count == .some, let size = row.shape.numberByteCount, range.count > size,
      range.count % size == 0
    else { return nil }
    do {
      return switch row.shape {
      case .i16: .signedList(try Int16.all(bytes, range).map(Int64.init))
      case .u16: .list(try UInt16.all(bytes, range).map(UInt64.init))
      case .u64: .list(try UInt64.all(bytes, range))
      default: .list(try UInt8.all(bytes, range).map(UInt64.init))
      }
    } catch { return nil }
  }

  private static func value(
    _ bytes: RawSpan, _ range: Range<Int>, _ row: ParameterRow, depth: Int, _ errors: inout [WireError]
  ) -> Value {
    let before = errors.count
    do {
      let value = try value(bytes, range, row.shape, depth: depth, &errors)
      // The errors within a group name the outermost one.
      if depth == 0 { for index in before..<errors.count { errors[index].group = row.id } }
      return value
    } catch {
      errors.append(WireError(error.reason, offset: error.offset, parameter: row.id))
      return .bytes([UInt8](copying: bytes.extracting(range)))
    }
  }

  private static func value(
    _ bytes: RawSpan, _ range: Range<Int>, _ shape: ParameterShape, depth: Int, _ errors: inout [WireError]
  ) throws(WireError) -> Value {
    return switch shape {
    case .utf8: .text(try String.value(bytes, range))
    case .u8: .unsigned(UInt64(try UInt8.value(bytes, range)))
    case .u16: .unsigned(UInt64(try UInt16.value(bytes, range)))
    case .u32: .unsigned(UInt64(try UInt32.value(bytes, range)))
    case .u64: .unsigned(try UInt64.value(bytes, range))
    case .i8: .signed(Int64(try Int8.value(bytes, range)))
    case .i16: .signed(Int64(try Int16.value(bytes, range)))
    case .i32: .signed(Int64(try Int32.value(bytes, range)))
    case .i64: .signed(try Int64.value(bytes, range))
    case .bool: .bool(try Bool.value(bytes, range))
    case .blob: .bytes([UInt8](copying: bytes.extracting(range)))
    case .void: try void(range)
    case .packed(let element): .list(try list(bytes, range, element))
    case .enumeration(let names): try enumeration(bytes, range, names)
    case .group(let rows): try group(bytes, range, rows, depth: depth, &errors)
    case .alternative(let stated, let other): try either(bytes, range, stated, other, depth: depth, &errors)
    }
  }

  private static func either(
    _ bytes: RawSpan, _ range: Range<Int>, _ stated: ParameterShape, _ other: ParameterShape, depth: Int,
    _ errors: inout [WireError]
  ) throws(WireError) -> Value {
    do { return try value(bytes, range, stated, depth: depth, &errors) } catch {
      return try value(bytes, range, other, depth: depth, &errors)
    }
  }

  private static func void(_ range: Range<Int>) throws(WireError) -> Value {
    guard range.isEmpty else {
      throw WireError(.wrongSize(expected: 0, found: range.count), offset: range.lowerBound - 4)
    }
    return .void
  }

  private static func enumeration(
    _ bytes: RawSpan, _ range: Range<Int>, _ names: [(UInt8, StaticString)]
  ) throws(WireError) -> Value {
    let raw = try UInt8.value(bytes, range)
    return .enumeration(raw, name: names.first { $0.0 == raw }.map { "\($0.1)" })
  }

  private static func list(_ bytes: RawSpan, _ range: Range<Int>, _ element: ParameterShape) throws(WireError)
    -> [UInt64]
  {
    if case .u64 = element { return try Packed<UInt64>.value(bytes, range).elements }
    return try Packed<UInt16>.value(bytes, range).elements.map(UInt64.init)
  }

  private static func group(
    _ bytes: RawSpan, _ range: Range<Int>, _ rows: [ParameterRow], depth: Int, _ errors: inout [WireError]
  ) throws(WireError) -> Value {
    guard depth < maximumDepth else { throw WireError(.tooDeep(limit: maximumDepth), offset: range.lowerBound - 4) }
    return .group(nodes(bytes, range, rows, depth: depth + 1, &errors))
  }
}

extension ParameterShape {
  /// The size in bytes of a number that may be joined with others in one parameter; nil for any other type.
  package var numberByteCount: Int? {
    switch self {
    case .u8, .enumeration: 1
    case .u16, .i16: 2
    case .u64: 8
    default: nil
    }
  }
}
