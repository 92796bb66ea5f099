// swift-iap2 · Apache-2.0

import IAP2Roles

extension Role {
  var lane: LabEntry.Lane { self == .phone ? .phone : .headUnit }
}
