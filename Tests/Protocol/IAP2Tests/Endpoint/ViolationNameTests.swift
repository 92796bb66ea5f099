// swift-iap2 · Apache-2.0

import IAP2
import Testing

/// The names of violations are part of JSON output and of scenarios.
@Suite struct ViolationNameTests {
  @Test(arguments: [
    (ProtocolViolation.link(.garbage(byteCount: 3)), "garbage"), (.link(.badHeader(.checksum)), "badHeader"),
    (.link(.notNegotiated), "notNegotiated"), (.link(.dataBeforeLinkUp), "dataBeforeLinkUp"),
    (.outOfTurn(0x5001), "outOfTurn"), (.unknownAttributes(message: 0x5000, [99]), "unknownAttributes"),
    (.badFileTransfer(file: 1, operation: 2), "badFileTransfer"), (.fileTransferNotPossible, "fileTransferNotPossible"),
    (.limit(StaticName("queuedByteCount"), 1), "limit"),
  ])
  func aNameIsThatOfTheCase(violation: ProtocolViolation, name: String) {
    #expect(violation.name == name)
  }
}
