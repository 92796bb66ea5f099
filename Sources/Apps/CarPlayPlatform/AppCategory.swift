// swift-iap2 · Apache-2.0

/// A category of CarPlay apps. An entitlement in the app's signature grants it (CarPlay/Frameworks.md#categories).
public enum AppCategory: String, Sendable, Codable, Hashable, CaseIterable {
  /// Music, podcasts, radio.
  case audio
  /// Messages and calls.
  case communication
  /// Maps with routes.
  case navigation
  /// Parking.
  case parking
  /// Charging of electric cars.
  case charging
  /// Fueling.
  case fueling
  /// Quick food ordering.
  case quickOrdering
  /// Tasks of driving.
  case drivingTask
  /// Public safety. Unverified: no public source names the entitlement's key.
  case publicSafety
  /// Conversations by voice.
  case voiceConversation
  /// Apps of a car's maker, which draw their own screen.
  case automaker

  private static let prefix = "com.apple.developer."

  /// The full key of the category's entitlement.
  public var entitlement: String {
    switch self {
    case .audio: Self.prefix + "carplay-audio"
    case .communication: Self.prefix + "carplay-communication"
    case .navigation: Self.prefix + "carplay-maps"
    case .parking: Self.prefix + "carplay-parking"
    case .charging: Self.prefix + "carplay-charging"
    case .fueling: Self.prefix + "carplay-fueling"
    case .quickOrdering: Self.prefix + "carplay-quick-ordering"
    case .drivingTask: Self.prefix + "carplay-driving-task"
    // Unverified: the key's name follows the others.
    case .publicSafety: Self.prefix + "carplay-public-safety"
    case .voiceConversation: Self.prefix + "carplay-voice-based-conversation"
    case .automaker: Self.prefix + "carplay-protocols"
    }
  }

  /// The keys of the old form, which earlier iOS versions accept.
  public var oldEntitlements: [String] {
    switch self {
    case .audio: [Self.playableContentEntitlement]
    case .communication: [Self.prefix + "carplay-messaging", Self.prefix + "carplay-calling"]
    default: []
    }
  }

  /// The key of the old content API of audio apps, `MPPlayableContent`.
  public static let playableContentEntitlement = prefix + "playable-content"

  /// The first version that has the category with the CarPlay framework.
  public var firstVersion: IOSVersion {
    switch self {
    case .navigation: IOSVersion(12)
    case .audio, .communication, .parking, .charging, .quickOrdering: IOSVersion(14)
    case .fueling, .drivingTask: IOSVersion(16)
    // Unverified: no public source names the version.
    case .publicSafety: IOSVersion(16)
    case .voiceConversation: IOSVersion(26, 4)
    case .automaker: IOSVersion(9)
    }
  }

  /// The number of tabs that a tab bar of the category may have (G).
  public var maximumTabCount: Int { self == .audio ? 4 : 5 }
}

/// The categories that an app's entitlements grant on a version of iOS.
public struct AppRights: Sendable, Hashable {
  /// The categories whose entitlement is present and whose version is reached.
  public var categories: Set<AppCategory>
  /// Whether the entitlement of the old content API is present.
  public var hasPlayableContent: Bool

  /// Creates rights.
  public init(categories: Set<AppCategory>, hasPlayableContent: Bool = false) {
    self.categories = categories
    self.hasPlayableContent = hasPlayableContent
  }

  /// Creates rights from the granted entitlements: the keys whose value is true or a list.
  public init(entitlements: Set<String>, iOSVersion: IOSVersion) {
    hasPlayableContent = entitlements.contains(AppCategory.playableContentEntitlement)
    categories = Set(
      AppCategory.allCases.filter {
        entitlements.contains($0.entitlement) && iOSVersion >= $0.firstVersion
      })
  }

  /// Whether the app uses the old content API: it has that API's entitlement, and no audio category on the iOS version.
  public var usesPlayableContent: Bool { hasPlayableContent && !categories.contains(.audio) }

  /// Whether the app has no CarPlay right at all, so the car's home screen does not show it.
  public var isEmpty: Bool { categories.isEmpty && !hasPlayableContent }
}
