// swift-iap2 · Apache-2.0

import Foundation

/// The main queue. On Linux any thread can serve it, for example in a test, so `Thread.isMainThread` cannot tell whether
/// code runs on the main actor.
package enum MainQueue {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the code runs on the main queue.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }
}
