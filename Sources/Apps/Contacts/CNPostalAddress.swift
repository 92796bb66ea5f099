// swift-iap2 · Apache-2.0

@_exported public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the street in an address.
public let CNPostalAddressStreetKey = "street"
