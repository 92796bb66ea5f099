// swift-iap2 · Apache-2.0

package import IAP2

/// A generator of message bytes from the rows of the catalog alone, with a different value in every place.
package struct DistinctBytes {
  private var number: UInt64 = 0

  /// Creates a generator.
  package init() {}

  /// Returns a whole message with every parameter of its rows; those that may repeat appear twice.
  package mutating func message(_ entry: CatalogEntry) -> [UInt8] {
    ControlHeader.message(entry.info.id, body: parameters(entry.rows))
  }

  /// Returns the parameters of the rows, in the same way.
  package mutating func parameters(_ rows: [ParameterRow]) -> [UInt8] {
    rows.flatMap { row in
      let times = row.count == .any || row.count == .some ? 2 : 1
      return (0..<times).flatMap { _ in
        let value = value(row.shape)
        return Self.big(UInt64(value.count + 4), 2) + Self.big(UInt64(row.id), 2) + value
      }
    }
  }

  private mutating func value(_ shape: ParameterShape) -> [UInt8] {
    number += 1
    switch shape {
    case .utf8: return Array("text \(number)".utf8) + [0]
    case .u8, .i8: return Self.big(number, 1)
    case .u16, .i16: return Self.big(number, 2)
    case .u32, .i32: return Self.big(number, 4)
    case .u64, .i64: return Self.big(number, 8)
    case .bool: return [1]
    case .blob: return [0xB1, 0x0B] + Self.big(number, 4)
    case .void: return []
    case .packed(let element): return value(element) + value(element)
    // This includes values without a name.
    case .enumeration: return [UInt8(truncatingIfNeeded: number)]
    case .group(let rows): return parameters(rows)
    case .alternative(let stated, _): return value(stated)
    }
  }

  private static func big(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64(count - 1 - $0))) }
  }
}
