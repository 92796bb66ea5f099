// swift-iap2 · Apache-2.0

public import Foundation

/// The direction in which the phone points. No car provides one, so no manager reports a heading.
///
/// Invariant for `@unchecked Sendable`: all properties are constant.
open class CLHeading: NSObject, @unchecked Sendable {
  /// The direction relative to the magnetic north pole.
  public let magneticHeading: CLLocationDirection
  /// The direction relative to the geographic north pole; negative if it is not known.
  public let trueHeading: CLLocationDirection
  /// The largest error of ``magneticHeading``, in degrees; negative if the heading is not valid.
  public let headingAccuracy: CLLocationDirection
  /// The time.
  public let timestamp: Date

  /// Creates a heading, for tests of code that takes one.
  package init(
    magneticHeading: CLLocationDirection, trueHeading: CLLocationDirection, headingAccuracy: CLLocationDirection,
    timestamp: Date
  ) {
    self.magneticHeading = magneticHeading
    self.trueHeading = trueHeading
    self.headingAccuracy = headingAccuracy
    self.timestamp = timestamp
    super.init()
  }
}
