// swift-iap2 · Apache-2.0

/// An input device of the head unit, as `hidDevices` of `/info` lists it. Source: CarPlaySession.md#hid-devices.
public struct InputDevice: Sendable, Hashable {
  /// The id, which each report names: the hexadecimal text of a number.
  public var uuid: String
  /// The name.
  public var name: String
  /// The id of the display that the device belongs to; nil if the head unit names none.
  public var displayUUID: String?
  /// The vendor id of USB; 0 in our devices, which have no vendor.
  public var vendorID: UInt16
  /// The product id of USB.
  public var productID: UInt16
  /// The country code of HID; 0 for a device that has no national layout.
  public var countryCode: UInt8
  /// The bytes of the report descriptor.
  public var descriptor: [UInt8]

  /// Creates a device, whose id is the hexadecimal text of a number.
  public init(
    number: UInt32, name: String, descriptor: [UInt8], displayUUID: String? = nil, vendorID: UInt16 = 0,
    productID: UInt16 = 0, countryCode: UInt8 = 0
  ) {
    (uuid, self.name, self.descriptor) = (String(number, radix: 16), name, descriptor)
    (self.displayUUID, self.vendorID, self.productID) = (displayUUID, vendorID, productID)
    self.countryCode = countryCode
  }

  /// Reads an element of `hidDevices`; nil without `uuid` or `hidDescriptor`. Another key that is absent or has no
  /// value of its type counts as nil, empty or 0.
  public init?(_ properties: PropertyValue) {
    guard let uuid = properties["uuid"]?.text, let descriptor = properties["hidDescriptor"]?.data else { return nil }
    func number<Number: FixedWidthInteger>(_ key: String) -> Number {
      properties[key]?.integer.flatMap { Number(exactly: $0) } ?? 0
    }
    (self.uuid, name, self.descriptor) = (uuid, properties["name"]?.text ?? "", descriptor)
    displayUUID = properties["displayUUID"]?.text
    (vendorID, productID) = (number("hidVendorID"), number("hidProductID"))
    countryCode = number("hidCountryCode")
  }

  /// The element of `hidDevices`.
  public var properties: PropertyValue {
    var values: [String: PropertyValue] = [
      "uuid": .text(uuid), "name": .text(name), "hidDescriptor": .data(descriptor),
      "hidVendorID": .integer(Int64(vendorID)), "hidProductID": .integer(Int64(productID)),
      "hidCountryCode": .integer(Int64(countryCode)),
    ]
    values["displayUUID"] = displayUUID.map { .text($0) }
    return .dictionary(values)
  }
}
