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

    /// Whether the mutation changes the content that the sender means, and not its transmission.
    var isOfContent: Bool {
      switch self {
      case .bits, .truncated, .extended, .number, .messageLength, .parameterLength, .messageID, .repeated, .random: true
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
    case .truncated where !payload.isEmpty: payload.removeLast(1 + any(payload.count))
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
    case .bits, .truncated, .number, .messageLength, .messageID, .repeated: break
    }
    let count = payload.isEmpty ? LinkHeader.byteCount : LinkHeader.byteCount + payload.count + 1
    header.replaceSubrange(2..<4, with: big(min(count, 0xFFFF)))
    return header + [sum(header)] + (payload.isEmpty ? [] : payload + [sum(payload)])
  }

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

  private static func big(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
  }

  private static func sum(_ bytes: [UInt8]) -> UInt8 { 0 &- bytes.reduce(0, &+) }
}
