// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Commands that read captures of CarPlay sessions.
@Suite(.ownTurn) struct SessionCaptureTests {
  private static let phone = "captures/carplay/peer-phone"
  private static let withKeys = ["\(phone).pcap", "--key-log", "\(phone).keys"]

  @Test func everyFindingHasTheNumberOfItsSession() async throws {
    let outcome = try await Command(["decode"] + Self.withKeys).finish()
    #expect(outcome.status == 0 && outcome.output.contains("device    → accessory  session 1: POST /pair-setup"))
  }
}
