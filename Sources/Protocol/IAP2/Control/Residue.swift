// swift-iap2 · Apache-2.0

/// What a typed message cannot say about the bytes it came from: parameters nobody knows, and an order that is not
/// ascending. Empty, and without memory, for ordinary messages; the writer puts both back.
public struct Residue: Sendable, Equatable {
  enum Entry: Sendable, Equatable {
    case known(UInt16)
    case unknown([UInt8])
  }

  private(set) var entries: [Entry] = []

  public init() {}

  public var isEmpty: Bool { entries.isEmpty }

  /// The ids of the parameters nobody knows, in wire order.
  public var unknownIDs: [UInt16] {
    entries.compactMap { if case .unknown(let bytes) = $0 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) } else { nil } }
  }

  /// Bytes of the parameters nobody knows.
  var byteCount: Int {
    entries.reduce(0) { if case .unknown(let bytes) = $1 { $0 + bytes.count } else { $0 } }
  }

  mutating func addKnown(_ id: UInt16) { entries.append(.known(id)) }
  mutating func addUnknown(_ bytes: RawSpan) { entries.append(.unknown([UInt8](copying: bytes))) }

  /// Rearranges what was written in declared order since `start`.
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
    // What was added since it was read.
    for id in order { for bytes in byID[id] ?? [] { put(bytes) } }
  }
}
