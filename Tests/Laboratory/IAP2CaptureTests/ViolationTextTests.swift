// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import Testing

@Suite struct ViolationTextTests {
  /// A feature's message is out of turn only before both exchanges are complete, for example if an identified accessory
  /// subscribes before the phone has authenticated it.
  @Test func anEarlyFeatureMessageNamesTheMissingExchanges() {
    let id = StartPowerUpdates.id
    #expect(
      ViolationText.text(.outOfTurn(id)).hasSuffix("arrived before authentication and identification were complete"))
  }

  @Test func anAuthenticationMessageOutOfTurnDoesNot() {
    #expect(ViolationText.text(.outOfTurn(AuthenticationResponse.id)).hasSuffix("arrived out of turn"))
  }
}
