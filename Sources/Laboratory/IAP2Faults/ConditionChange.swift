// swift-iap2 · Apache-2.0

public import FaultModel
public import IAP2

/// A change of the conditions of a transport, called for each direction with the side to which it leads.
public typealias ConditionChange = @Sendable (inout LinkConditions, _ to: Side) -> Void

extension FaultPlan {
  /// Changes the conditions of both directions. What the plan has for moments stays.
  package mutating func change(_ change: ConditionChange) {
    change(&toHeadUnit.conditions, .accessory)
    change(&toPhone.conditions, .device)
  }
}
