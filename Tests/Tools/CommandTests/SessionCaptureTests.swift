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

  @Test func theLinkInsideASessionIsExplainedWithIt() async throws {
    let outcome = try await Command(["explain"] + Self.withKeys).finish()
    #expect(outcome.status == 0 && outcome.output.hasPrefix("CarPlay session 1: "), "\(outcome)")
    #expect(outcome.output.contains("\n  iAP2 inside it: stopped at detect: "), "\(outcome)")
    let lines = try await Command(["explain", "--json"] + Self.withKeys).finish().output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("{\"breaches\"") && lines[1].contains("\"connection\":1"))
    let one = try await Command(["explain", "--connection", "1"] + Self.withKeys).finish()
    #expect(one.output.hasPrefix("connection 1: iAP2 inside CarPlay session 1\n"))
  }
}
