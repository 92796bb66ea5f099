// swift-iap2 · Apache-2.0

/// Returns the bytes of a hexadecimal text.
package func hex(_ text: String) -> [UInt8] {
  let digits = text.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
  return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Returns a link packet by the layout of Link.md#packet, without the library's own writer.
package func packet(
  _ control: UInt8, _ sequence: UInt8, _ acknowledgement: UInt8, session: UInt8 = 0, _ payload: [UInt8] = []
) -> [UInt8] {
  let length = payload.isEmpty ? 9 : 10 + payload.count
  let head: [UInt8] = [
    0xFF, 0x5A, UInt8(length >> 8), UInt8(length & 255), control, sequence, acknowledgement, session,
  ]
  let tail: [UInt8] = payload.isEmpty ? [] : payload + [0 &- payload.reduce(0, &+)]
  return head + [0 &- head.reduce(0, &+)] + tail
}

/// Returns a synchronization payload: window, packet length, two timeouts, two counts, sessions.
package func synchronization(
  _ window: UInt8 = 32, _ length: UInt16 = 4096, _ retransmission: UInt16 = 2000, _ cumulative: UInt16 = 22,
  _ retransmissions: UInt8 = 30, _ acknowledgements: UInt8 = 3,
  sessions: [[UInt8]] = [[1, 0, 2], [2, 1, 2], [3, 2, 1]]
) -> [UInt8] {
  var bytes: [UInt8] = [1, window]
  for number in [length, retransmission, cumulative] { bytes += [UInt8(number >> 8), UInt8(number & 255)] }
  bytes += [retransmissions, acknowledgements]
  for session in sessions { bytes += session }
  return bytes
}

/// Returns a control message by its layout, without the library's own writer.
package func controlMessage(_ id: UInt16, _ parameters: [UInt8]) -> [UInt8] {
  let count = parameters.count + 6
  return [0x40, 0x40, UInt8(count >> 8), UInt8(count & 255), UInt8(id >> 8), UInt8(id & 255)] + parameters
}

/// Returns a parameter of a control message.
package func parameter(_ id: UInt16, _ value: [UInt8]) -> [UInt8] {
  let count = value.count + 4
  return [UInt8(count >> 8), UInt8(count & 255), UInt8(id >> 8), UInt8(id & 255)] + value
}
