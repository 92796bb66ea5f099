// swift-iap2 · Apache-2.0

import CarSupport
import Contacts
import CoreLocation
import Foundation
import MapKit
import Synchronization
import Testing

/// An app that records what it is told of locations.
private final class Recorder: NSObject, CLLocationManagerDelegate {
  var events: [String] = []

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    events.append("at " + locations.map { "\(Int($0.coordinate.latitude))" }.joined(separator: " "))
  }
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
    events.append("error \((error as NSError).code)")
  }
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    events.append("authorization \(manager.authorizationStatus.rawValue)")
  }
}

/// The phone is at one place, so these tests run one after the other, and none while a car uses it.
@MainActor @Suite(.serialized, .onlyCar) struct LocationTests {
  private let manager = CLLocationManager()
  private let recorder = Recorder()
  private let place = CLLocation(latitude: 52, longitude: 13)

  init() {
    LocationFeed.reset()
    manager.delegate = recorder
  }

  /// Waits for what the main queue has to do now.
  private func settle() async { await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } } }

  @Test func theAccuraciesOfAnAppAreInOrder() {
    let accuracies = [
      kCLLocationAccuracyBestForNavigation, kCLLocationAccuracyBest, kCLLocationAccuracyNearestTenMeters,
      kCLLocationAccuracyHundredMeters, kCLLocationAccuracyKilometer, kCLLocationAccuracyThreeKilometers,
      kCLLocationAccuracyReduced,
    ]
    #expect(accuracies == accuracies.sorted() && accuracies[2...5] == [10, 100, 1000, 3000])
    #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
    #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(52.5, 13.4)))
  }

  @Test func `a manager tells locations from its start to its stop`() async {
    LocationFeed.setAuthorization(.authorizedWhenInUse)
    LocationFeed.send(place)
    manager.startUpdatingLocation()
    await settle()
    LocationFeed.send(CLLocation(latitude: 53, longitude: 13))
    manager.stopUpdatingLocation()
    LocationFeed.send(CLLocation(latitude: 54, longitude: 13))
    #expect(recorder.events == ["authorization 4", "at 52", "at 53"])
    #expect(manager.location?.coordinate.latitude == 54)
  }

  @Test func `without the user's leave there is no location`() async {
    manager.startUpdatingLocation()
    LocationFeed.send(place)
    await settle()
    #expect(recorder.events.isEmpty)
    #expect(manager.location == nil)
  }

  @Test func `a refusal is an error of a manager that starts`() async {
    LocationFeed.setAuthorization(.denied)
    manager.startUpdatingLocation()
    await settle()
    #expect(recorder.events == ["authorization 2", "error 1"])
  }

  @Test func `the question for leave waits on the phone until the user answers`() {
    let asked = Mutex<[CLAuthorizationStatus]>([])
    LocationFeed.setRequestHandler { status in asked.withLock { $0.append(status) } }
    manager.requestAlwaysAuthorization()
    #expect(asked.withLock { $0 } == [.authorizedAlways])
    #expect(recorder.events.isEmpty)
    LocationFeed.setAuthorization(.authorizedAlways)
    manager.requestWhenInUseAuthorization()
    #expect(asked.withLock { $0 }.count == 1)
    #expect(recorder.events == ["authorization 3"])
  }

  @Test func `released managers are not told`() {
    LocationFeed.setAuthorization(.authorizedWhenInUse)
    for _ in 0..<100 { _ = CLLocationManager() }
    manager.startUpdatingLocation()
    LocationFeed.send(place)
    #expect(recorder.events.contains("at 52"))
  }

  /// The distance of two airports as public great-circle calculators give it: 5837 km with the ellipsoid.
  @Test func `a distance is along the surface of the earth`() {
    let newYork = CLLocation(latitude: 40.6413, longitude: -73.7781)
    let paris = CLLocation(latitude: 49.0097, longitude: 2.5479)
    #expect(abs(newYork.distance(from: paris) / 1000 - 5837) < 25)
    #expect(paris.distance(from: paris) == 0)
  }

  @Test func `an address is copied, compared and passed to a place`() throws {
    let address = CNMutablePostalAddress()
    (address.street, address.city, address.isoCountryCode) = ("Test Street 1", "Test Town", "DE")
    let copy = try #require(address.copy() as? CNPostalAddress)
    address.city = "Other Town"
    #expect(copy.city == "Test Town" && address.city == "Other Town" && copy != address)
    let place = MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2), postalAddress: copy)
    #expect(place.postalAddress == copy && place.street == "Test Street 1")
    let other = try #require(copy.mutableCopy() as? CNMutablePostalAddress)
    other.city = ""
    #expect(other != copy && MKPlacemark(coordinate: place.coordinate).postalAddress == nil)
  }

  @Test(arguments: [
    (0.0, "0 m"), (7, "10 m"), (240, "250 m"), (960, "950 m"), (980, "1 km"), (1250, "1.3 km"), (9_960, "10 km"),
    (25_400, "25 km"), (-5, "0 m"), (.nan, "0 m"), (.infinity, "0 m"),
  ])
  func `a distance is short`(meters: Double, text: String) {
    let formatter = MKDistanceFormatter()
    formatter.units = .metric
    #expect(formatter.string(fromDistance: meters) == text)
  }

  @Test func `a distance has the units of the locale, and its text can be read`() {
    let formatter = MKDistanceFormatter()
    for (locale, text) in [("de_DE", "100 m"), ("en_US", "350 ft"), ("en_GB", "100 yd")] {
      formatter.locale = Locale(identifier: locale)
      #expect(formatter.string(fromDistance: locale == "en_US" ? 107 : 95) == text)
    }
    formatter.units = .imperial
    formatter.unitStyle = .full
    #expect(formatter.string(fromDistance: 1609.344) == "1 mile" && formatter.string(fromDistance: 3000) == "1.9 miles")
    #expect(formatter.distance(from: "1.5 kilometers") == 1500 && formatter.distance(from: "far away") == -1)
  }

  @Test(arguments: [(0.0, 1.0), (60, 2)])
  func `a region in meters is wider in degrees toward the poles`(latitude: Double, degrees: Double) {
    let region = MKCoordinateRegion(
      center: CLLocationCoordinate2D(latitude: latitude, longitude: 0), latitudinalMeters: 111_195,
      longitudinalMeters: 111_195)
    #expect(abs(region.span.latitudeDelta - 1) < 0.001)
    #expect(abs(region.span.longitudeDelta - degrees) < 0.001)
  }

  @Test func `a map item has the address of its place`() {
    let point = CLLocationCoordinate2D(latitude: 1, longitude: 2)
    let item = MKMapItem(
      placemark: MKPlacemark(coordinate: point, addressDictionary: [CNPostalAddressStreetKey: "Test Street 1"]))
    item.name = "Garage"
    #expect(item.placemark.street == "Test Street 1")
    #expect(item.placemark.postalAddress?.street == "Test Street 1" && item.placemark.postalAddress?.city == "")
    #expect(item.placemark.coordinate.longitude == 2)
    #expect(item.placemark.coordinate.isValid)
    #expect(!CLLocationCoordinate2D(latitude: 91, longitude: 0).isValid)
  }
}
