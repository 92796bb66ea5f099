// swift-iap2 · Apache-2.0

import Synchronization

/// The version of iOS that the app under test runs on.
///
/// A host sets it from the car's settings. One process has one version, as one phone has.
package enum EmulatedSystem {
  /// The version before a host sets one: the newest one whose CarPlay API this project has.
  package static let newest = (major: 26, minor: 4, patch: 0)

  private static let current = Mutex(newest)

  /// The version, as major, minor and patch number.
  package static var version: (major: Int, minor: Int, patch: Int) {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}

/// Returns whether the emulated version of iOS is a version or a later one.
///
/// `iap2 port` writes it for `#available(iOS 26.4, *)`, which is always true on Linux.
///
/// - Parameters:
///   - major: The major number, such as 26.
///   - minor: The minor number, such as 4.
///   - patch: The third number, which most conditions do not have.
public func iOSVersionIsAtLeast(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) -> Bool {
  EmulatedSystem.version >= (major, minor, patch)
}
