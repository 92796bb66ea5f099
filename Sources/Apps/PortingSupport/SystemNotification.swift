// swift-iap2 · Apache-2.0

package import Foundation

/// Notifications of the system.
package enum SystemNotification {
  /// Posts a notification in the main queue: at once on the main thread, and otherwise as the queue's next operation.
  ///
  /// Foundation on Linux lets a post wait for observers with the queue `main` unless it knows that the post runs in that
  /// queue. It knows the main thread and operations. In a test another thread serves the main queue, so the post would
  /// wait for itself for ever.
  @MainActor package static func post(
    _ name: Notification.Name, object: AnyObject, userInfo: [AnyHashable: Any]? = nil
  ) {
    guard !Thread.isMainThread, OperationQueue.current !== OperationQueue.main else {
      return NotificationCenter.default.post(name: name, object: object, userInfo: userInfo)
    }
    // Unsafe: the operation runs on the main queue too.
    nonisolated(unsafe) let (object, userInfo) = (object, userInfo)
    OperationQueue.main.addOperation {
      unsafe NotificationCenter.default.post(name: name, object: object, userInfo: userInfo)
    }
  }
}
