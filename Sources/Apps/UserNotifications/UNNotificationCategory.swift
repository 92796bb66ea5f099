// swift-iap2 · Apache-2.0

@_exported public import Foundation

/// The behavior of a category of notifications.
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
  /// The flags.
  public let rawValue: UInt

  /// Creates a set of flags.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The app is told when the user dismisses a notification.
  public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1 << 0)
  /// Notifications of the category may be shown in the car.
  public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 1 << 1)
}

/// A button of a notification on the phone.
open class UNNotificationAction: NSObject, @unchecked Sendable {
  // Invariant for `@unchecked Sendable`: all properties are constant.
  /// The app's name of the action.
  public let identifier: String
  /// The title.
  public let title: String

  /// Creates an action.
  public init(identifier: String, title: String) {
    self.identifier = identifier
    self.title = title
    super.init()
  }
}

/// A kind of notifications of the app.
open class UNNotificationCategory: NSObject, @unchecked Sendable {
  // Invariant for `@unchecked Sendable`: all properties are constant.
  /// The app's name of the category.
  public let identifier: String
  /// The buttons.
  public let actions: [UNNotificationAction]
  /// The names of the intents that the notifications belong to. Without one they are not shown in the car.
  public let intentIdentifiers: [String]
  /// The behavior.
  public let options: UNNotificationCategoryOptions

  /// Creates a category.
  public init(
    identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
    options: UNNotificationCategoryOptions = []
  ) {
    self.identifier = identifier
    self.actions = actions
    self.intentIdentifiers = intentIdentifiers
    self.options = options
    super.init()
  }
}

/// The content of a notification.
open class UNNotificationContent: NSObject {
  /// The title: of a message, the sender or the group.
  open fileprivate(set) var title = ""
  /// The second line.
  open fileprivate(set) var subtitle = ""
  /// The text. No screen of a car shows it.
  open fileprivate(set) var body = ""
  /// The name of the category.
  open fileprivate(set) var categoryIdentifier = ""
  /// The app's name of the conversation.
  open fileprivate(set) var threadIdentifier = ""
  /// The sound.
  open fileprivate(set) var sound: UNNotificationSound?
  /// The number on the app's icon; nil leaves the number as it is.
  open fileprivate(set) var badge: NSNumber?
  /// The app's own values.
  open fileprivate(set) var userInfo: [AnyHashable: Any] = [:]

  /// Whether the content has the style of a communication: with the sender's name and image.
  package fileprivate(set) var isCommunication = false

  /// Creates an empty content.
  public override init() { super.init() }

  /// Returns the content in the style of a communication, for an intent of a message or a call.
  open func updating(from provider: any UNNotificationContentProviding) throws -> UNNotificationContent {
    let copy = UNMutableNotificationContent()
    (copy.title, copy.subtitle, copy.body) = (title, subtitle, body)
    (copy.categoryIdentifier, copy.threadIdentifier) = (categoryIdentifier, threadIdentifier)
    (copy.sound, copy.badge, copy.userInfo) = (sound, badge, userInfo)
    copy.isCommunication = true
    return copy
  }
}

/// An intent from which a notification gets the style of a communication.
public protocol UNNotificationContentProviding: NSObjectProtocol {}

/// A content that the app fills.
open class UNMutableNotificationContent: UNNotificationContent {
  /// The title.
  open override var title: String {
    get { super.title }
    set { super.title = newValue }
  }
  /// The second line.
  open override var subtitle: String {
    get { super.subtitle }
    set { super.subtitle = newValue }
  }
  /// The text.
  open override var body: String {
    get { super.body }
    set { super.body = newValue }
  }
  /// The name of the category.
  open override var categoryIdentifier: String {
    get { super.categoryIdentifier }
    set { super.categoryIdentifier = newValue }
  }
  /// The app's name of the conversation.
  open override var threadIdentifier: String {
    get { super.threadIdentifier }
    set { super.threadIdentifier = newValue }
  }
  /// The sound.
  open override var sound: UNNotificationSound? {
    get { super.sound }
    set { super.sound = newValue }
  }
  /// The number on the app's icon; nil leaves the number as it is.
  open override var badge: NSNumber? {
    get { super.badge }
    set { super.badge = newValue }
  }
  /// The app's own values.
  open override var userInfo: [AnyHashable: Any] {
    get { super.userInfo }
    set { super.userInfo = newValue }
  }
}

/// The sound of a notification.
open class UNNotificationSound: NSObject {
  /// The name of the file; nil for the usual sound.
  package let name: UNNotificationSoundName?

  /// Creates the sound of a file in the app's bundle.
  public init(named name: UNNotificationSoundName) {
    self.name = name
    super.init()
  }

  private override init() {
    name = nil
    super.init()
  }

  /// The usual sound.
  open class var `default`: UNNotificationSound { UNNotificationSound() }
}

/// The name of a file with a sound.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// Creates a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// A time or an event at which a notification comes.
open class UNNotificationTrigger: NSObject {}

/// A notification that the app wants.
open class UNNotificationRequest: NSObject {
  /// The app's name of the notification.
  public let identifier: String
  /// The content.
  public let content: UNNotificationContent
  /// The time; nil for at once.
  public let trigger: UNNotificationTrigger?

  /// Creates a request.
  public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
    self.identifier = identifier
    self.content = content
    self.trigger = trigger
    super.init()
  }
}
