// swift-iap2 · Apache-2.0

public import Foundation

extension EAAccessoryManager {
  /// The message of a connected accessory, as a type.
  public struct AccessoryDidConnectMessage: NotificationCenter.MainActorMessage {
    /// The sender of the message.
    public typealias Subject = EAAccessoryManager

    /// The name of the notification.
    public static var name: Notification.Name { .EAAccessoryDidConnect }

    /// The accessory.
    public var accessory: EAAccessory
    /// Whether the user has chosen the accessory in the picker.
    public var userSelected: Bool

    /// Creates a message.
    public init(accessory: EAAccessory, userSelected: Bool = false) {
      self.accessory = accessory
      self.userSelected = userSelected
    }

    /// Returns the message of a notification; nil if it has no accessory.
    public static func makeMessage(_ notification: Notification) -> AccessoryDidConnectMessage? {
      guard let accessory = notification.userInfo?[EAAccessoryKey] as? EAAccessory else { return nil }
      return AccessoryDidConnectMessage(
        accessory: accessory, userSelected: notification.userInfo?[EAAccessorySelectedKey] != nil)
    }

    /// Returns the notification of a message.
    public static func makeNotification(_ message: AccessoryDidConnectMessage) -> Notification {
      var info: [AnyHashable: Any] = [EAAccessoryKey: message.accessory]
      if message.userSelected { info[EAAccessorySelectedKey] = message.accessory }
      return Notification(name: name, object: nil, userInfo: info)
    }
  }

  /// The message of a disconnected accessory, as a type.
  public struct AccessoryDidDisconnectMessage: NotificationCenter.MainActorMessage {
    /// The sender of the message.
    public typealias Subject = EAAccessoryManager

    /// The name of the notification.
    public static var name: Notification.Name { .EAAccessoryDidDisconnect }

    /// The accessory.
    public var accessory: EAAccessory

    /// Creates a message.
    public init(accessory: EAAccessory) { self.accessory = accessory }

    /// Returns the message of a notification; nil if it has no accessory.
    public static func makeMessage(_ notification: Notification) -> AccessoryDidDisconnectMessage? {
      (notification.userInfo?[EAAccessoryKey] as? EAAccessory).map { AccessoryDidDisconnectMessage(accessory: $0) }
    }

    /// Returns the notification of a message.
    public static func makeNotification(_ message: AccessoryDidDisconnectMessage) -> Notification {
      Notification(name: name, object: nil, userInfo: [EAAccessoryKey: message.accessory])
    }
  }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<EAAccessoryManager.AccessoryDidConnectMessage> {
  /// The identifier of ``EAAccessoryManager/AccessoryDidConnectMessage``.
  public static var accessoryDidConnect: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<EAAccessoryManager.AccessoryDidDisconnectMessage> {
  /// The identifier of ``EAAccessoryManager/AccessoryDidDisconnectMessage``.
  public static var accessoryDidDisconnect: Self { .init() }
}
