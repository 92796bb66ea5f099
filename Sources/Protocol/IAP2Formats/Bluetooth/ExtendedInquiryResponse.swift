// swift-iap2 · Apache-2.0

import IAP2

/// What a controller tells of its host to whoever asks who is there: name and services (Bluetooth Core, volume 3, part
/// C, section 8).
package struct ExtendedInquiryResponse: Sendable, Equatable {
  /// Complete, or as much of it as had room.
  package var name: String?
  /// Every UUID of 128 bits, as the standard orders its bytes.
  package var uuids: [BluetoothUUID] = []

  /// The ones that belong to this protocol, in whichever order their bytes are.
  package var services: [BluetoothService] { uuids.compactMap { BluetoothService(announced: $0) } }

  /// Reads structures of a length, a type and data until the first of length 0. One that is cut off ends it: what came
  /// before counts.
  package init(reading bytes: RawSpan) {
    var offset = 0
    while offset + 1 < bytes.byteCount {
      let length = Int(bytes.byte(offset))
      let end = offset + 1 + length
      guard length > 0, end <= bytes.byteCount else { return }
      let data = [UInt8](copying: bytes.extracting(offset + 2..<end))
      switch bytes.byte(offset + 1) {
      // Some of the UUIDs of 128 bits, or all of them.
      case 0x06, 0x07:
        for start in stride(from: 0, through: data.count - 16, by: 16) {
          if let uuid = BluetoothUUID(bytes: data[start..<(start + 16)].reversed()) { uuids.append(uuid) }
        }
      // A shortened name, or the whole.
      case 0x08, 0x09: name = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
      default: break
      }
      offset = end
    }
  }
}
