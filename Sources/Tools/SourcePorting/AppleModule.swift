// swift-iap2 · Apache-2.0

/// The modules of Apple's systems that no toolchain for Linux has.
enum AppleModule {
  /// Returns the reason why an import of a module cannot be carried over; nil for any other module.
  ///
  /// - Parameter isCarPlay: Whether the source is that of an app for CarPlay.
  static func reason(_ name: String, isCarPlay: Bool = false) -> String? {
    if isCarPlay, shapes.contains(name) { return nil }
    let ofCarPlay = shapes.contains(name) || places[name] != nil ? "; for an app with CarPlay, give --carplay" : ""
    if let known = advice[name] { return known + ofCarPlay }
    return others.contains(name) ? "\(name) does not exist on Linux; keep its code in another target\(ofCarPlay)" : nil
  }

  /// The modules that this project has for apps for CarPlay.
  static let shapes: Set<String> = [
    "AVFoundation", "CallKit", "CarPlay", "Contacts", "CoreLocation", "Intents", "MapKit", "MediaPlayer", "UIKit",
    "UserNotifications",
  ]

  /// The modules whose names another module of this project has.
  static let places = ["AVFAudio": "AVFoundation"]

  /// The modules whose loggers LogSupport has, for every app.
  static let logs: Set<String> = ["os", "OSLog"]

  /// Returns whether a name is one of these modules that LogSupport does not have.
  static func isBesideLogs(_ name: String) -> Bool {
    name.hasPrefix("os_") && name != "os_log" || name.hasPrefix("OSSignpost") || name.hasPrefix("OSLogEntry")
      || ["OSAllocatedUnfairLock", "OSLogStore", "OSLogCoder"].contains(name)
  }

  /// The modules with views, whose names begin with the same letters.
  static let ofViews: Set<String> = ["UIKit", "SwiftUI", "AppKit"]

  private static let advice = [
    "UIKit": "UIKit does not exist on Linux; keep views in another target",
    "AppKit": "AppKit does not exist on Linux; keep views in another target",
    "SwiftUI": "SwiftUI does not exist on Linux; keep views in another target",
    "os": "os does not exist on Linux, and LogSupport has its loggers alone; use Synchronization for locks",
    "OSLog": "OSLog does not exist on Linux, and LogSupport has its loggers alone; use Synchronization for locks",
    "Darwin": "Darwin does not exist on Linux; import Glibc there",
    "CryptoKit": "CryptoKit does not exist on Linux; the package swift-crypto has the same names",
  ]

  private static let others: Set<String> = [
    "ARKit", "AVFAudio", "AVFoundation", "AVKit", "Accelerate", "Accounts", "AdSupport", "AppIntents",
    "AssetsLibrary", "AudioToolbox", "AuthenticationServices", "BackgroundTasks", "CallKit", "CarPlay", "CloudKit",
    "Contacts", "CoreAudio", "CoreBluetooth", "CoreData", "CoreGraphics", "CoreImage", "CoreLocation", "CoreMIDI",
    "CoreMedia", "CoreMotion", "CoreNFC", "CoreTelephony", "CoreText", "CoreVideo", "EventKit", "GameController",
    "HealthKit", "HomeKit", "IOKit", "Intents", "LocalAuthentication", "MapKit", "MediaPlayer", "MessageUI", "Metal",
    "MobileCoreServices", "MultipeerConnectivity", "NaturalLanguage", "Network", "NetworkExtension", "ObjectiveC",
    "PassKit", "Photos", "PhotosUI", "PushKit", "QuartzCore", "SceneKit", "Security", "Speech",
    "SpriteKit", "StoreKit", "SwiftData", "SystemConfiguration", "UniformTypeIdentifiers", "UserNotifications",
    "Vision", "WatchConnectivity", "WatchKit", "WebKit", "WidgetKit",
  ]
}
