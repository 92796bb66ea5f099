// swift-iap2 · Apache-2.0

/// A list of items with a type and a value, which is the form of pairing messages (TLV8).
///
/// A value of more than 255 bytes continues in the next items of the same type. Each of them but the last has 255
/// bytes. A separator of type 0xFF and length 0 stands between two items of equal types.
/// Source: CarPlaySession.md#tlv8-items.
public struct TLV8: Sendable, Hashable {
  /// A type of item.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// The procedure; 0 is pair-setup.
    case method = 0x00
    /// The name of a side, UTF-8.
    case identifier
    /// The salt of a password.
    case salt
    /// A public key.
    case publicKey
    /// The proof of a password.
    case proof
    /// A sealed list.
    case encryptedData
    /// The number of the message.
    case state
    /// A ``PairingError``.
    case error
    /// The time to wait before a try.
    case retryDelay
    /// A certificate.
    case certificate
    /// A signature.
    case signature
    /// The rights of a side.
    case permissions
    /// A part of a long value.
    case fragmentData
    /// The last part of a long value.
    case fragmentLast
    /// The name of a session that continues.
    case sessionID
    /// Flags of a procedure.
    case flags = 0x13
    /// A separator without a value between two items of one type.
    case separator = 0xFF
  }

  /// An item with its whole value.
  public struct Item: Sendable, Hashable {
    /// The type; an unknown one is kept.
    public var type: UInt8
    /// The value.
    public var value: [UInt8]

    /// Creates an item.
    public init(type: UInt8, value: [UInt8]) {
      self.type = type
      self.value = value
    }
  }

  /// The items in their order.
  public var items: [Item] = []

  /// Creates a list of items.
  public init(_ items: [(Kind, [UInt8])] = []) { self.items = items.map { Item(type: $0.0.rawValue, value: $0.1) } }

  /// The bytes of a continued item.
  private static let longest = 255

  /// Reads a list.
  ///
  /// - Throws: ``Problem`` for bytes that end within an item, and for a known type that is repeated without a separator
  ///   and is not a continuation.
  public init(bytes: [UInt8]) throws(Problem) {
    var index = 0
    // The type of the previous item, if the next item may continue it.
    var continues: UInt8?
    var seen: Set<UInt8> = []
    while index < bytes.count {
      guard index + 1 < bytes.count else { throw .cutOff(offset: index) }
      let (type, length) = (bytes[index], Int(bytes[index + 1]))
      let start = index + 2
      guard bytes.count - start >= length else { throw .cutOff(offset: index) }
      let value = bytes[start..<start + length]
      if continues == type, type != Kind.separator.rawValue {
        items[items.count - 1].value += value
      } else {
        if type == Kind.separator.rawValue {
          seen = []
        } else if Kind(rawValue: type) != nil, !seen.insert(type).inserted {
          throw .repeated(type: type, offset: index)
        }
        items.append(Item(type: type, value: Array(value)))
      }
      continues = length == Self.longest ? type : nil
      index = start + length
    }
  }

  /// A reason why bytes are not a list.
  public enum Problem: Error, Sendable, Hashable {
    /// An item ends beyond the bytes. The value is the offset of the item.
    case cutOff(offset: Int)
    /// A type is repeated without a separator before it.
    case repeated(type: UInt8, offset: Int)
  }

  /// The bytes of the list.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for (index, item) in items.enumerated() {
      for start in stride(from: 0, to: item.value.count, by: Self.longest) {
        let piece = item.value[start..<min(start + Self.longest, item.value.count)]
        bytes += [item.type, UInt8(piece.count)] + piece
      }
      // An empty piece ends an item that the next one would continue.
      let isContinued = items.dropFirst(index + 1).first?.type == item.type && item.type != Kind.separator.rawValue
      let isFull = item.value.count % Self.longest == 0
      if item.value.isEmpty || isFull && isContinued { bytes += [item.type, 0] }
    }
    return bytes
  }

  /// The value of the first item of a type; nil without one.
  public subscript(kind: Kind) -> [UInt8]? { items.first { $0.type == kind.rawValue }?.value }

  /// Returns the value of the first item of a type if it has one byte; nil otherwise.
  public func byte(_ kind: Kind) -> UInt8? { self[kind].flatMap { $0.count == 1 ? $0[0] : nil } }
}
