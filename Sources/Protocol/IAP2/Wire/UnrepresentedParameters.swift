// swift-iap2 · Apache-2.0

/// The part of received bytes that a typed message does not represent: unknown parameters, and an order of ids that
/// does not ascend. It is empty and allocates nothing for ordinary messages. The writer restores both.
public struct UnrepresentedParameters: Sendable, Equatable {
  enum Entry: Sendable, Equatable {
    case known(UInt16)
    case unknown([UInt8])
  }

  private(set) var entries: [Entry] = []

  /// Creates an empty value.
  public init() {}

  /// Whether the message had only known parameters in ascending order.
  public var isEmpty: Bool { entries.isEmpty }

  /// The ids of the unknown parameters, in wire order.
  package var unknownIDs: [UInt16] {
    entries.compactMap { if case .unknown(let bytes) = $0 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) } else { nil } }
  }

  /// The bytes of the unknown parameters, headers included.
  var byteCount: Int {
    entries.reduce(0) { if case .unknown(let bytes) = $1 { $0 + bytes.count } else { $0 } }
  }

  mutating func addKnown(_ id: UInt16) { entries.append(.known(id)) }
  mutating func addUnknown(_ bytes: RawSpan) { entries.append(.unknown([UInt8](copying: bytes))) }

  /// Replaces the bytes written since `start`, which are in declared order, by the same parameters in the original
  /// order.
  func restore(_ writer: inout ParameterWriter, from start: Int) {
    var byID: [UInt16: [[UInt8]]] = [:]
    var order: [UInt16] = []
    let written = writer.written(from: start)
    var offset = 0
    while offset < written.count {
      let length = Int(written[offset]) << 8 | Int(written[offset + 1])
      let id = UInt16(written[offset + 2]) << 8 | UInt16(written[offset + 3])
      if byID[id] == nil { order.append(id) }
      byID[id, default: []].append(Array(written[offset..<(offset + length)]))
      offset += length
    }
    writer.rewind(to: start)
    func put(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe writer.put($0) } }
    for entry in entries {
      switch entry {
      case .unknown(let bytes): put(bytes)
      case .known(let id):
        guard byID[id]?.isEmpty == false, let first = byID[id]?.removeFirst() else { continue }
        put(first)
      }
    }
    // Parameters that were set after the message was read come last.
    for id in order { for bytes in byID[id] ?? [] { put(bytes) } }
  }
}
