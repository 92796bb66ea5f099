// swift-iap2 · Apache-2.0

import IAP2

/// The name and the services that a controller announces for its host in an inquiry (Bluetooth Core, volume 3, part C,
/// section 8).
package struct ExtendedInquiryResponse: Sendable, Equatable {
  /// The name, complete or shortened; nil if it is absent.
  package var name: String?
  /// Every UUID of 128 bits, in the byte order of the standard.
  package var uuids: [BluetoothUUID] = []

  /// The announced services of this protocol, in either byte order.
  package var services: [BluetoothService] { uuids.compactMap { BluetoothService(announced: $0) } }

  /// Reads structures of a length, a type and data until the first of length 0. A truncated structure ends the reading;
  /// the structures before it count.
  package init(reading bytes: RawSpan) {
    var offset = 0
    while offset + 1 < bytes.byteCount {
      let length = Int(bytes.byte(offset))
      let end = offset + 1 + length
      guard length > 0, end <= bytes.byteCount else { return }
      let data = [UInt8](copying: bytes.extracting(offset + 2..<end))
      switch bytes.byte(offset + 1) {
      // Types 06 and 07: an incomplete or a complete list of UUIDs of 128 bits.
      case 0x06, 0x07:
        for start in stride(from: 0, through: data.count - 16, by: 16) {
          if let uuid = BluetoothUUID(bytes: data[start..<(start + 16)].reversed()) { uuids.append(uuid) }
        }
      // Types 08 and 09: a shortened or a complete name.
      case 0x08, 0x09: name = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
      default: break
      }
      offset = end
    }
  }
}
