// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults

/// Mutations of a link packet. Most change the payload and then correct lengths and checksums, so that the packet
/// passes the link with another content; a few change the link's own fields.
struct MessageMutation {
  enum Kind: String, Sendable, CaseIterable {
    case bits, truncated, extended, number, messageLength, parameterLength, messageID, repeated, random
    /// Changes of the packet's header, with a valid checksum.
    case control, sequence, acknowledgement, session, length
    /// A change of one bit, with a wrong checksum.
    case damage
    /// Another EA session id in the data of an EA session.
    case externalAccessoryID
    /// Changes of a datagram of a file transfer: the size in a Setup, the operation and the id.
    case fileSize, fileOperation, fileID

    /// The kinds that suit a place. Kinds that are listed twice are chosen twice as often.
    static func kinds(of place: FuzzSchedule.Place) -> [Kind] {
      let contents: [Kind] = [.bits, .truncated, .extended, .number, .repeated, .random]
      switch place {
      case .session:
        return contents + [
          .messageLength, .parameterLength, .messageID, .control, .sequence, .acknowledgement, .session, .length,
          .damage,
        ]
      case .externalAccessory:
        return contents + [.externalAccessoryID, .externalAccessoryID, .parameterLength, .session]
      case .file: return contents + [.fileSize, .fileSize, .fileSize, .fileOperation, .fileID, .session]
      }
    }

    /// Whether the mutation changes the content that the sender means, and not its transmission.
    var isOfContent: Bool {
      switch self {
      case .bits, .truncated, .extended, .number, .messageLength, .parameterLength, .messageID, .repeated, .random,
        .externalAccessoryID, .fileSize, .fileOperation, .fileID:
        true
      case .control, .sequence, .acknowledgement, .session, .length, .damage: false
      }
    }
  }

  /// Returns the changed packet. It may be unchanged if the packet has nothing for this kind to change.
  ///
  /// - Parameter packet: the bytes from FF 5A to the last checksum.
  static func apply(_ kind: Kind, to packet: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    guard packet.count >= LinkHeader.byteCount else { return packet }
    var header = Array(packet[..<8])
    var payload = packet.count > LinkHeader.byteCount + 1 ? Array(packet[9..<(packet.count - 1)]) : []
    func any(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &generator) }
    func byte() -> UInt8 { UInt8.random(in: 0...255, using: &generator) }
    switch kind {
    case .bits where !payload.isEmpty:
      for _ in 0...any(4) { payload[any(payload.count)] ^= 1 << UInt8(any(8)) }
    // Without a payload the packet would be a pure ACK, which is never acknowledged.
    case .truncated where payload.count > 1: payload.removeLast(1 + any(payload.count - 1))
    case .extended: payload += (0...any(64)).map { _ in byte() }
    case .number where payload.count >= 2:
      let place = any(payload.count - 1)
      let value = [0, 1, 0x7FFF, 0x8000, 0xFFFF][any(5)]
      payload.replaceSubrange(place..<(place + 2), with: big(value))
    case .messageLength where payload.count >= 6:
      payload.replaceSubrange(2..<4, with: big(lie(about: payload.count, using: &generator)))
    case .parameterLength:
      guard let place = parameters(of: payload).randomElement(using: &generator) else { break }
      let stated = Int(payload[place]) << 8 | Int(payload[place + 1])
      payload.replaceSubrange(place..<(place + 2), with: big(lie(about: stated, using: &generator)))
    case .messageID where payload.count >= 6:
      let ids = MessageCatalog.all.map(\.info.id)
      payload.replaceSubrange(4..<6, with: big(Int(ids[any(ids.count)])))
    case .repeated where payload.count < 20_000: payload += payload
    case .random: payload = (0...any(200)).map { _ in byte() }
    case .control: header[4] = byte()
    case .sequence: header[5] = byte()
    case .acknowledgement: header[6] = byte()
    case .session: header[7] = byte()
    case .length:
      header.replaceSubrange(2..<4, with: big(lie(about: packet.count, using: &generator)))
      return header + [sum(header)] + packet[9...]
    case .damage:
      var damaged = packet
      damaged[any(packet.count)] ^= 1 << UInt8(any(8))
      return damaged
    case .externalAccessoryID where payload.count >= 2:
      payload.replaceSubrange(0..<2, with: big([0, 0x7FFF, 0xFFFF, any(0x1_0000)][any(4)]))
    case .fileSize where payload.count >= 10 && payload[1] == setup:
      payload.replaceSubrange(2..<10, with: bytes(of: sizes[any(sizes.count)]))
    case .fileOperation where payload.count >= 2: payload[1] = byte()
    case .fileID where payload.count >= 2: payload[0] = byte()
    // A datagram that is no Setup.
    case .fileSize where !payload.isEmpty: payload[any(payload.count)] = byte()
    case .bits, .truncated, .number, .messageLength, .messageID, .repeated, .externalAccessoryID, .fileSize,
      .fileOperation, .fileID:
      break
    }
    let count = payload.isEmpty ? LinkHeader.byteCount : LinkHeader.byteCount + payload.count + 1
    header.replaceSubrange(2..<4, with: big(min(count, 0xFFFF)))
    return header + [sum(header)] + (payload.isEmpty ? [] : payload + [sum(payload)])
  }

  /// The operation of a Setup (FileTransfer.md#setup).
  private static let setup: UInt8 = 0x04

  /// Sizes of a file that need care: empty, wrong by far, and the limits of the integers that an implementation may
  /// use.
  private static let sizes: [UInt64] = [
    .max, .max, .max, .max, .max - 1, 1 << 63, UInt64(Int64.max), 1 << 32, UInt64(UInt32.max), 0,
  ]

  /// Returns the offsets of the lengths of a message's parameters.
  private static func parameters(of payload: [UInt8]) -> [Int] {
    var places: [Int] = []
    var offset = 6
    while offset + 4 <= payload.count {
      let count = Int(payload[offset]) << 8 | Int(payload[offset + 1])
      places.append(offset)
      guard count >= 4 else { break }
      offset += count
    }
    return places
  }

  /// Returns a wrong length, slightly or extremely wrong.
  private static func lie(about count: Int, using generator: inout SeededGenerator) -> Int {
    let lies = [0, 1, 3, count - 1, count + 1, count * 2, 0x7FFF, 0xFFFF].map { max(0, min($0, 0xFFFF)) }
    return lies.filter { $0 != count }.randomElement(using: &generator) ?? 0
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
  }

  private static func big(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  private static func sum(_ bytes: [UInt8]) -> UInt8 { 0 &- bytes.reduce(0, &+) }
}
