// swift-iap2 · Apache-2.0

/// The activity of an app that concerns the modes of a CarPlay session.
public struct PhoneActivity: Sendable, Hashable, Codable {
  /// Whether the app guides along a route.
  public var isGuiding: Bool
  /// Whether the app has a call that rings or goes on.
  public var hasCall: Bool
  /// Whether Siri is open over the app.
  public var showsSiri: Bool
  /// The words that the app spoke last; nil before it speaks.
  public var speech: Speech?

  /// Words that an app speaks.
  public struct Speech: Sendable, Hashable, Codable {
    /// The number of the words, from 1.
    public var number: Int
    /// The words.
    public var words: String
    /// Whether other sound is quieter meanwhile.
    public var ducks: Bool

    /// Creates words.
    public init(number: Int, words: String, ducks: Bool) {
      (self.number, self.words, self.ducks) = (number, words, ducks)
    }
  }

  /// Creates an activity, by default none.
  public init(isGuiding: Bool = false, hasCall: Bool = false, showsSiri: Bool = false, speech: Speech? = nil) {
    (self.isGuiding, self.hasCall, self.showsSiri, self.speech) = (isGuiding, hasCall, showsSiri, speech)
  }

  /// Adds the activity of another app, but for its words.
  package mutating func formUnion(_ other: Self) {
    isGuiding = isGuiding || other.isGuiding
    hasCall = hasCall || other.hasCall
    showsSiri = showsSiri || other.showsSiri
  }
}
