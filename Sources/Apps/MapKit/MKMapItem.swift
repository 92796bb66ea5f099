// swift-iap2 · Apache-2.0

@_exported public import Contacts
@_exported public import CoreLocation
@_exported public import UIKit

/// A place with a point and an address.
open class MKPlacemark: NSObject {
  /// The point.
  public let coordinate: CLLocationCoordinate2D
  /// The address, by the keys of Contacts.
  public let addressDictionary: [AnyHashable: Any]?

  /// Creates a place of a point.
  public convenience init(coordinate: CLLocationCoordinate2D) {
    self.init(coordinate: coordinate, addressDictionary: nil)
  }

  /// Creates a place of a point and an address.
  public init(coordinate: CLLocationCoordinate2D, addressDictionary: [String: Any]?) {
    self.coordinate = coordinate
    self.addressDictionary = addressDictionary
    super.init()
  }

  /// Creates a place of a point and an address.
  public convenience init(coordinate: CLLocationCoordinate2D, postalAddress: CNPostalAddress) {
    self.init(coordinate: coordinate, addressDictionary: postalAddress.dictionary)
  }

  /// The address; nil without one.
  open var postalAddress: CNPostalAddress? { addressDictionary.map { CNPostalAddress(dictionary: $0) } }

  /// The street of the address.
  package var street: String? { addressDictionary?[CNPostalAddressStreetKey] as? String }
}

/// A place on the map, such as the destination of a trip.
open class MKMapItem: NSObject {
  /// The place.
  public let placemark: MKPlacemark
  /// The name.
  open var name: String?
  /// The number of a telephone.
  open var phoneNumber: String?
  /// A page about the place.
  open var url: URL?

  /// Creates an item of a place.
  public init(placemark: MKPlacemark) {
    self.placemark = placemark
    super.init()
  }
}
