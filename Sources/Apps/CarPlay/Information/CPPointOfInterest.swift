// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import MapKit
import PortingSupport

/// A place on the map of a point of interest template: a pin, a row and a card with up to two buttons.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPPointOfInterest: NSObject {
  /// The size of a pin in points. A larger image is scaled down.
  @available(iOS 16.0, *)
  public class var pinImageSize: CGSize { CarPlayModule.system.settings.imageSizes.pin }

  /// The size of the selected pin in points. A larger image is scaled down.
  @available(iOS 16.0, *)
  public class var selectedPinImageSize: CGSize { CarPlayModule.system.settings.imageSizes.selectedPin }

  /// Creates a place.
  public convenience init(
    location: MKMapItem, title: String, subtitle: String?, summary: String?, detailTitle: String?,
    detailSubtitle: String?, detailSummary: String?, pinImage: UIImage?
  ) {
    self.init(
      location: location, title: title, subtitle: subtitle, summary: summary, detailTitle: detailTitle,
      detailSubtitle: detailSubtitle, detailSummary: detailSummary, pinImage: pinImage, selectedPinImage: nil)
  }

  /// Creates a place with an image of its own for the selected pin.
  @available(iOS 16.0, *)
  public init(
    location: MKMapItem, title: String, subtitle: String?, summary: String?, detailTitle: String?,
    detailSubtitle: String?, detailSummary: String?, pinImage: UIImage?, selectedPinImage: UIImage?
  ) {
    self.location = location
    self.title = title
    self.subtitle = subtitle
    self.summary = summary
    self.detailTitle = detailTitle
    self.detailSubtitle = detailSubtitle
    self.detailSummary = detailSummary
    self.pinImage = pinImage
    self.selectedPinImage = selectedPinImage
    super.init()
    noteCreation()
  }

  /// The place on the map.
  public var location: MKMapItem { didSet { noteChange() } }

  /// The first line of the row.
  public var title: String { didSet { noteChange() } }

  /// The second line of the row.
  public var subtitle: String? { didSet { noteChange() } }

  /// The third line of the row.
  public var summary: String? { didSet { noteChange() } }

  /// The first line of the card. Without it the card shows the title.
  public var detailTitle: String? { didSet { noteChange() } }

  /// The second line of the card. Without it the card shows the subtitle.
  public var detailSubtitle: String? { didSet { noteChange() } }

  /// The third line of the card. Without it the card shows the summary.
  public var detailSummary: String? { didSet { noteChange() } }

  /// The pin. Without it the car draws its own.
  public var pinImage: UIImage? { didSet { noteChange() } }

  /// The pin while the place is selected.
  @available(iOS 16.0, *)
  public var selectedPinImage: UIImage? { didSet { noteChange() } }

  /// The first button of the card.
  public var primaryButton: CPTextButton? { didSet { noteChange() } }

  /// The second button of the card.
  public var secondaryButton: CPTextButton? { didSet { noteChange() } }

  /// A value of the app.
  public var userInfo: Any? { didSet { noteChange() } }
}

/// A map of the system with places. The car shows the first 12 places.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPPointOfInterestTemplate: CPTemplate {
  /// Creates a template. `NSNotFound` as the index selects no place.
  public init(title: String, pointsOfInterest: [CPPointOfInterest], selectedIndex: Int) {
    self.title = title
    self.pointsOfInterest = pointsOfInterest
    self.selectedIndex = selectedIndex
    super.init()
  }

  /// The title.
  public var title: String { didSet { noteChange() } }

  /// The places, uncut.
  public private(set) var pointsOfInterest: [CPPointOfInterest]

  /// The index of the selected place, or `NSNotFound`.
  public var selectedIndex: Int { didSet { noteChange() } }

  /// The receiver of the map's events. It is not retained.
  public weak var pointOfInterestDelegate: (any CPPointOfInterestTemplateDelegate)? { didSet { noteChange() } }

  /// The buttons on the leading side of the navigation bar, uncut. The car shows two.
  @available(iOS 16.0, *)
  public var leadingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The buttons on the trailing side of the navigation bar, uncut. The car shows two.
  @available(iOS 16.0, *)
  public var trailingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The back button with an action of the app.
  @available(iOS 16.0, *)
  public var backButton: CPBarButton? { didSet { noteChange() } }

  /// Replaces the places and selects one of them.
  public func setPointsOfInterest(_ pointsOfInterest: [CPPointOfInterest], selectedIndex: Int) {
    self.pointsOfInterest = pointsOfInterest
    self.selectedIndex = selectedIndex
    noteChange("setPointsOfInterest")
  }
}

@available(iOS 16.0, *)
extension CPPointOfInterestTemplate: CPBarButtonProviding {}

/// The receiver of the events of a point of interest template.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public protocol CPPointOfInterestTemplateDelegate: NSObjectProtocol {
  /// Reports the visible part of the map after each move. The app sets the places of it.
  func pointOfInterestTemplate(
    _ pointOfInterestTemplate: CPPointOfInterestTemplate, didChangeMapRegion region: MKCoordinateRegion)

  /// Reports the place that the user selected. The method is optional.
  func pointOfInterestTemplate(
    _ pointOfInterestTemplate: CPPointOfInterestTemplate, didSelectPointOfInterest pointOfInterest: CPPointOfInterest)
}

@available(iOS 14.0, *)
extension CPPointOfInterestTemplateDelegate {
  /// The default of an app without the method.
  public func pointOfInterestTemplate(
    _ pointOfInterestTemplate: CPPointOfInterestTemplate, didSelectPointOfInterest pointOfInterest: CPPointOfInterest
  ) { OptionalMethod.isMissing(in: self) }
}
