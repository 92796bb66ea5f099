// swift-iap2 · Apache-2.0

public import IAP2

extension Check {
  /// All checks, in the order in which they run.
  public static let all: [Check] =
    detect + negotiation + oddValues + checksums + windows + acknowledgement + selective + fragmentation
    + authenticationOfAccessories + authenticationOfDevices + identificationOfAccessories + identificationOfDevices
    + externalAccessory + subscriptions + unknown + reset + disconnect + retransmission

  /// Returns the checks that apply to a side, in the order in which they run.
  public static func all(of subject: Side) -> [Check] { all.filter { $0.subjects.contains(subject) } }
}
