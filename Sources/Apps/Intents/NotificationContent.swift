// swift-iap2 · Apache-2.0

public import UserNotifications

extension INSendMessageIntent: UNNotificationContentProviding {}
extension INStartCallIntent: UNNotificationContentProviding {}
