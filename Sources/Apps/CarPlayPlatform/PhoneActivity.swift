// swift-iap2 · Apache-2.0

/// What an app does that concerns the modes of a CarPlay session.
public struct PhoneActivity: Sendable, Hashable, Codable {
  /// Whether the app guides along a route.
  public var isGuiding: Bool
  /// Whether the app has a call that rings or goes on.
  public var hasCall: Bool
  /// Whether Siri is open over the app.
  public var showsSiri: Bool

  /// Creates an activity, by default none.
  public init(isGuiding: Bool = false, hasCall: Bool = false, showsSiri: Bool = false) {
    (self.isGuiding, self.hasCall, self.showsSiri) = (isGuiding, hasCall, showsSiri)
  }

  /// Adds the activity of another app.
  package mutating func formUnion(_ other: Self) {
    isGuiding = isGuiding || other.isGuiding
    hasCall = hasCall || other.hasCall
    showsSiri = showsSiri || other.showsSiri
  }
}
