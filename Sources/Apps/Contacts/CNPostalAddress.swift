// swift-iap2 · Apache-2.0

@_exported public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the street in an address.
public let CNPostalAddressStreetKey = "street"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of a part of a city in an address.
public let CNPostalAddressSubLocalityKey = "subLocality"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the city in an address.
public let CNPostalAddressCityKey = "city"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of a county in an address.
public let CNPostalAddressSubAdministrativeAreaKey = "subAdministrativeArea"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the state in an address.
public let CNPostalAddressStateKey = "state"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the postal code in an address.
public let CNPostalAddressPostalCodeKey = "postalCode"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the country in an address.
public let CNPostalAddressCountryKey = "country"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the country's code in an address.
public let CNPostalAddressISOCountryCodeKey = "ISOCountryCode"

/// A postal address. A part that is not known is empty.
open class CNPostalAddress: NSObject, NSCopying, NSMutableCopying {
  fileprivate var parts: [String: String] = [:]

  /// The street, with the number of the house; lines are separated by a line feed.
  open var street: String { part(CNPostalAddressStreetKey) }
  /// The part of the city.
  open var subLocality: String { part(CNPostalAddressSubLocalityKey) }
  /// The city.
  open var city: String { part(CNPostalAddressCityKey) }
  /// The county.
  open var subAdministrativeArea: String { part(CNPostalAddressSubAdministrativeAreaKey) }
  /// The state.
  open var state: String { part(CNPostalAddressStateKey) }
  /// The postal code.
  open var postalCode: String { part(CNPostalAddressPostalCodeKey) }
  /// The country.
  open var country: String { part(CNPostalAddressCountryKey) }
  /// The two letters of the country.
  open var isoCountryCode: String { part(CNPostalAddressISOCountryCodeKey) }

  /// Creates an empty address.
  public override required init() { super.init() }

  /// Creates an address from a dictionary with the keys of addresses. Values that are no text are left out.
  package convenience init(dictionary: [AnyHashable: Any]) {
    self.init()
    for (key, value) in dictionary {
      if let key = key as? String, let value = value as? String { parts[key] = value }
    }
  }

  /// The parts that are known, by the keys of addresses.
  package var dictionary: [String: Any] { parts.filter { !$0.value.isEmpty } }

  fileprivate func part(_ key: String) -> String { parts[key] ?? "" }

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CNPostalAddress()
    copy.parts = parts
    return copy
  }

  open func mutableCopy(with zone: NSZone? = nil) -> Any {
    let copy = CNMutablePostalAddress()
    copy.parts = parts
    return copy
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CNPostalAddress else { return false }
    return parts.filter { !$0.value.isEmpty } == other.parts.filter { !$0.value.isEmpty }
  }

  open override var hash: Int { street.hashValue ^ postalCode.hashValue }
}

/// A postal address whose parts can be set.
open class CNMutablePostalAddress: CNPostalAddress {
  open override var street: String {
    get { super.street }
    set { parts[CNPostalAddressStreetKey] = newValue }
  }
  open override var subLocality: String {
    get { super.subLocality }
    set { parts[CNPostalAddressSubLocalityKey] = newValue }
  }
  open override var city: String {
    get { super.city }
    set { parts[CNPostalAddressCityKey] = newValue }
  }
  open override var subAdministrativeArea: String {
    get { super.subAdministrativeArea }
    set { parts[CNPostalAddressSubAdministrativeAreaKey] = newValue }
  }
  open override var state: String {
    get { super.state }
    set { parts[CNPostalAddressStateKey] = newValue }
  }
  open override var postalCode: String {
    get { super.postalCode }
    set { parts[CNPostalAddressPostalCodeKey] = newValue }
  }
  open override var country: String {
    get { super.country }
    set { parts[CNPostalAddressCountryKey] = newValue }
  }
  open override var isoCountryCode: String {
    get { super.isoCountryCode }
    set { parts[CNPostalAddressISOCountryCodeKey] = newValue }
  }
}
