// swift-iap2 · Apache-2.0

extension SessionCheck {
  /// The checks that provoke phones.
  static let ofPhones: [SessionCheck] =
    requestsOfPhones + pairingOfPhones + setUpOfPhones + informationOfPhones + streamsOfPhones + timesOfPhones
    + commandsOfPhones + modesOfPhones + endsOfPhones + callsOfPhones
}
