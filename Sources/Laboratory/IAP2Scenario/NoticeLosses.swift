// swift-iap2 · Apache-2.0

package import IAP2Faults
package import IAP2Roles
import Synchronization

/// The sides whose next disconnect notification is lost because a step says so.
package final class NoticeLosses: Sendable {
  private let roles = Mutex<Set<Role>>([])

  package init() {}

  package func add(_ role: Role) { roles.withLock { _ = $0.insert(role) } }

  /// Returns whether this notification of a side is lost. The next one is not.
  package func take(_ role: Role) -> Bool { roles.withLock { $0.remove(role) != nil } }
}

extension Scenario {
  /// A plan without faults for a transport whose faults steps change; nil if no step does.
  package func changeablePlan(seed: UInt64) -> FaultPlan? {
    steps.contains { $0.action.needsFaults } ? FaultPlan(seed: seed) : nil
  }
}

extension Scenario.Step.Action {
  /// Whether the step needs a cable with faults.
  var needsFaults: Bool {
    switch self {
    case .halfOpen, .faults: true
    default: false
    }
  }
}
