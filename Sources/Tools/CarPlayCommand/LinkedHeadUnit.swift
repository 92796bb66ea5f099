// swift-iap2 · Apache-2.0

package import CarPlaySession
package import IAP2Runtime
import Synchronization

/// The head unit whose link a phone ends in a session over the air.
package final class LinkedHeadUnit: Sendable {
  private let state = Mutex<HeadUnit?>(nil)

  package init() {}

  package func set(_ headUnit: HeadUnit) { state.withLock { $0 = headUnit } }

  /// Drops the link when the phone does not need it any more (CarPlayStart.md#disable-bluetooth).
  package func take(_ event: CarPlaySession.SessionEvent) {
    guard case .command(.disableBluetooth, _, from: .phone) = event, let headUnit = state.withLock({ $0 }) else {
      return
    }
    Task { await headUnit.disconnect() }
  }
}

/// The name of CarPlay's network interface, as the transport reported it.
package final class CableInterface: Sendable {
  private let state = Mutex<String?>(nil)

  package init() {}

  package var name: String? { state.withLock { $0 } }

  package func take(_ interface: String?) {
    if let interface { state.withLock { $0 = interface } }
  }
}
