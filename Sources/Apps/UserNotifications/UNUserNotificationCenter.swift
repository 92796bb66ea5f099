// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// The ways of a notification that the app asks for.
public struct UNAuthorizationOptions: OptionSet, Sendable {
  /// The flags.
  public let rawValue: UInt

  /// Creates a set of flags.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// A number at the icon.
  public static let badge = UNAuthorizationOptions(rawValue: 1 << 0)
  /// A sound.
  public static let sound = UNAuthorizationOptions(rawValue: 1 << 1)
  /// A banner.
  public static let alert = UNAuthorizationOptions(rawValue: 1 << 2)
  /// A banner in the car.
  public static let carPlay = UNAuthorizationOptions(rawValue: 1 << 3)
}

/// The user's answer.
public enum UNAuthorizationStatus: Int, Sendable {
  /// The app has not asked.
  case notDetermined = 0
  /// The user has refused.
  case denied = 1
  /// The user has agreed.
  case authorized = 2
}

/// A setting of the user.
public enum UNNotificationSetting: Int, Sendable {
  /// The app has not asked for it.
  case notSupported = 0
  /// The user has switched it off.
  case disabled = 1
  /// It is on.
  case enabled = 2
}

/// The settings of the user for the app's notifications.
open class UNNotificationSettings: NSObject, @unchecked Sendable {
  // Invariant for `@unchecked Sendable`: all properties are constant.
  /// The user's answer.
  public let authorizationStatus: UNAuthorizationStatus
  /// Banners in the car.
  public let carPlaySetting: UNNotificationSetting

  init(_ status: UNAuthorizationStatus, carPlay: UNNotificationSetting) {
    authorizationStatus = status
    carPlaySetting = carPlay
    super.init()
  }
}

/// The center of the app's notifications. Any thread may use it; its closures are called in the main queue.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  /// A notification of the app as a value.
  package struct Posted: Sendable, Hashable {
    package var title, body: String
    /// The category that the app has set; nil for an unknown one.
    package var allowsCar: Bool?
    package var intents: [String]
  }

  private struct State {
    var options: UNAuthorizationOptions?
    var categories: Set<UNNotificationCategory> = []
    var isOffInCar = false
    var observer: (@Sendable (Posted) -> Void)?
  }

  private static let center = UNUserNotificationCenter()
  private let state = Mutex(State())

  private override init() { super.init() }

  /// Returns the center.
  open class func current() -> UNUserNotificationCenter { center }

  /// Asks the user, who agrees.
  @preconcurrency
  open func requestAuthorization(
    options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    state.withLock { $0.options = options }
    DispatchQueue.main.async { completionHandler(true, nil) }
  }

  /// Sets the kinds of notifications.
  open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
    state.withLock { $0.categories = categories }
  }

  /// Gives the settings of the user to the closure.
  @preconcurrency
  open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
    let settings = settings
    DispatchQueue.main.async { completionHandler(settings) }
  }

  /// Adds a notification. One without a trigger comes at once; others never come here.
  @preconcurrency
  open func add(
    _ request: UNNotificationRequest, withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    let (name, title, body) = (request.content.categoryIdentifier, request.content.title, request.content.body)
    let isNow = request.trigger == nil
    let (observer, category) = state.withLock { state in
      (state.observer, state.categories.first { $0.identifier == name })
    }
    if isNow {
      observer?(
        Posted(
          title: title, body: body, allowsCar: category?.options.contains(.allowInCarPlay),
          intents: category?.intentIdentifiers ?? []))
    }
    if let completionHandler { DispatchQueue.main.async { completionHandler(nil) } }
  }

  /// The settings of the user.
  package var settings: UNNotificationSettings {
    state.withLock { state in
      guard let options = state.options else { return UNNotificationSettings(.notDetermined, carPlay: .notSupported) }
      let asked = options.contains(.carPlay)
      return UNNotificationSettings(
        .authorized, carPlay: !asked ? .notSupported : state.isOffInCar ? .disabled : .enabled)
    }
  }

  /// Sets the observer of notifications. It is called on the thread of the app.
  package func setObserver(_ observer: (@Sendable (Posted) -> Void)?) { state.withLock { $0.observer = observer } }

  /// Switches the banners in the car on or off, as the user does in the settings of the phone.
  package func setAllowedInCar(_ isAllowed: Bool) { state.withLock { $0.isOffInCar = !isAllowed } }

  /// Forgets everything of a former app.
  package func reset() { state.withLock { $0 = State() } }
}
