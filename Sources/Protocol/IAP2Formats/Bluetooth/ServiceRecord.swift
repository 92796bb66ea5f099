// swift-iap2 · Apache-2.0

import IAP2

/// A service record that a host publishes over SDP.
package struct ServiceRecord: Sendable, Equatable {
  /// The usual name in the records of accessories (Bluetooth.md#record-name; high: WIO, CAT, SAIL).
  package static let linkName = "Wireless iAP"

  /// The service.
  package var service: BluetoothService
  /// The RFCOMM channel; nil for a record that only announces the service.
  package var channel: UInt8?
  /// The name of the service.
  package var name: String

  /// Creates a record.
  package init(_ service: BluetoothService, channel: UInt8?, name: String = Self.linkName) {
    self.service = service
    self.channel = channel
    self.name = name
  }

  // MARK: Reading

  private static let classes: UInt64 = 0x0001
  private static let protocols: UInt64 = 0x0004
  private static let rfcomm: UInt64 = 0x0003
  /// The server channels of RFCOMM.
  package static let channelNumbers: ClosedRange<UInt8> = 1...30

  /// Returns the RFCOMM channels of the records that have one of the services.
  ///
  /// - Parameters:
  ///   - isList: Whether the bytes are a sequence of records instead of one record.
  ///   - services: The UUIDs to look for; a record with any of them counts.
  package static func channels(_ bytes: RawSpan, isList: Bool, of services: Set<BluetoothUUID>) -> [UInt8] {
    guard let whole = ServiceElement(bytes, 0..<bytes.byteCount), whole.isSequence else { return [] }
    let records = isList ? whole.elements(bytes) : [whole]
    return records.compactMap { record in record.isSequence ? channel(bytes, record, services) : nil }
  }

  private static func channel(_ bytes: RawSpan, _ record: ServiceElement, _ services: Set<BluetoothUUID>) -> UInt8? {
    var isOurs = false
    var number: UInt8?
    var id: UInt64?
    for element in record.elements(bytes) {
      // An attribute list alternates between ids and values.
      guard let attribute = id else {
        id = element.number(bytes)
        guard id != nil else { return nil }
        continue
      }
      id = nil
      if attribute == classes { isOurs = element.elements(bytes).contains { isService(bytes, $0, services) } }
      if attribute == protocols { number = element.elements(bytes).compactMap { rfcommChannel(bytes, $0) }.first }
    }
    return isOurs ? number : nil
  }

  private static func isService(
    _ bytes: RawSpan, _ element: ServiceElement, _ services: Set<BluetoothUUID>
  ) -> Bool {
    guard element.kind == .uuid,
      let uuid = BluetoothUUID(bytes: [UInt8](copying: bytes.extracting(element.content)))
    else { return false }
    return services.contains(uuid)
  }

  /// Returns the channel in RFCOMM's entry of a protocol list; nil for any other entry.
  private static func rfcommChannel(_ bytes: RawSpan, _ element: ServiceElement) -> UInt8? {
    let parts = element.elements(bytes)
    guard parts.count >= 2, parts[0].kind == .uuid, parts[0].number(bytes) == rfcomm else { return nil }
    return parts[1].number(bytes).flatMap { UInt8(exactly: $0) }.flatMap { channelNumbers.contains($0) ? $0 : nil }
  }

  // MARK: Writing

  /// The record as XML for BlueZ, with the attributes of a real head unit's record (Bluetooth.md#record; high).
  ///
  /// BlueZ assigns attribute 0000, the handle. Attribute 0009 names the serial port profile in version 1.0, as WIO
  /// does; CAT and SAIL have 1.2 (Bluetooth.md#record-attributes).
  package var xml: String {
    let english: UInt16 = 0x656E
    let utf8: UInt16 = 0x006A
    var attributes: [(UInt16, XMLElement)] = [
      (0x0001, .sequence([.uuid("\(service.uuid)")])),
      (0x0005, .sequence([.uuid("0x1002")])),
      (0x0006, .sequence([.uint16(english), .uint16(utf8), .uint16(0x0100)])),
      (0x0100, .text(name)),
    ]
    if let channel {
      attributes += [
        (0x0002, .uint32(0)),
        (0x0004, .sequence([.sequence([.uuid("0x0100")]), .sequence([.uuid("0x0003"), .uint8(channel)])])),
        (0x0008, .uint8(0xFF)),
        (0x0009, .sequence([.sequence([.uuid("0x1101"), .uint16(0x0100)])])),
      ]
    }
    let lines = attributes.sorted { $0.0 < $1.0 }.map { id, value in
      #"<attribute id="\#(XMLElement.hex(id))">\#(value.text)</attribute>"#
    }
    return #"<?xml version="1.0" encoding="UTF-8"?><record>\#(lines.joined())</record>"#
  }
}

/// A data element in BlueZ's XML.
private indirect enum XMLElement {
  case sequence([XMLElement])
  case uuid(String)
  case uint8(UInt8)
  case uint16(UInt16)
  case uint32(UInt32)
  case text(String)

  var text: String {
    switch self {
    case .sequence(let elements): "<sequence>\(elements.map(\.text).joined())</sequence>"
    case .uuid(let uuid): #"<uuid value="\#(uuid)"/>"#
    case .uint8(let number): #"<uint8 value="\#(Self.hex(number))"/>"#
    case .uint16(let number): #"<uint16 value="\#(Self.hex(number))"/>"#
    case .uint32(let number): #"<uint32 value="\#(Self.hex(number))"/>"#
    case .text(let text): #"<text value="\#(Self.escaped(text))"/>"#
    }
  }

  static func hex<Number: FixedWidthInteger>(_ number: Number) -> String {
    let digits = String(number, radix: 16)
    return "0x" + String(repeating: "0", count: Number.bitWidth / 4 - digits.count) + digits
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
  }
}
