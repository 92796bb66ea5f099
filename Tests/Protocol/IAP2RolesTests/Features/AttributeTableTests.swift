// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// The tables behind every subscription (Sessions.md#accessory-started).
@Suite struct AttributeTableTests {
  @Test func aMessageComesBackWithItsIdsAscending() throws {
    let mixed = controlMessage(
      0x5001, parameter(1, parameter(3, [0, 0, 0, 1]) + parameter(0, [1])) + parameter(0, parameter(1, text("A"))))
    let table = try AttributeTable(mixed.rawBytes, rows: NowPlayingUpdate.rows)
    let ordered = controlMessage(
      0x5001, parameter(0, parameter(1, text("A"))) + parameter(1, parameter(0, [1]) + parameter(3, [0, 0, 0, 1])))
    #expect(table.message(0x5001) == ordered && table.byteCount >= ordered.count)
  }

  @Test func anEmptyGroupIsKeptUntilItHasContents() throws {
    let empty = controlMessage(0x5001, parameter(0, []))
    var table = try AttributeTable(empty.rawBytes, rows: NowPlayingUpdate.rows)
    #expect(table.message(0x5001) == empty)
    let full = controlMessage(0x5001, parameter(0, parameter(1, text("A"))))
    table.merge(try AttributeTable(full.rawBytes, rows: NowPlayingUpdate.rows))
    #expect(table.message(0x5001) == full)
  }

  @Test func unknownIdsOfThePeerAreNotKept() throws {
    var mirror = PeerState<PowerUpdate>()
    for id in UInt16(100)..<400 {
      let update = controlMessage(0xAE01, parameter(6, [0, 50]) + parameter(id, [UInt8](repeating: 1, count: 1000)))
      try mirror.receive(update.rawBytes)
    }
    // 300 KB of unknown parameters would not fit one message.
    let last = controlMessage(0xAE01, parameter(4, [1]))
    try mirror.receive(last.rawBytes)
    #expect(mirror.value.batteryChargeLevel == 50 && mirror.value.isExternalChargerConnected == true)
  }

  @Test func attributesAboveAMessagesLengthAreRejectedAndTheRestIsKept() throws {
    var mirror = PeerState<CommunicationsUpdate>()
    let small = controlMessage(0x4158, parameter(4, text("Carrier")))
    try mirror.receive(small.rawBytes)
    var call = PeerState<CallStateUpdate>()
    let name = text(String(repeating: "x", count: 40_000))
    let first = controlMessage(0x4155, parameter(0, name))
    try call.receive(first.rawBytes)
    let second = controlMessage(0x4155, parameter(1, name))
    #expect(throws: WireError.self) { try call.receive(second.rawBytes) }
    #expect(call.value.remoteID?.count == 40_000 && call.value.displayName == nil)
    #expect(mirror.value.carrierName == "Carrier")
  }

  @Test func aDamagedUpdateChangesNothing() throws {
    var mirror = PeerState<PowerUpdate>()
    let good = controlMessage(0xAE01, parameter(6, [0, 50]))
    try mirror.receive(good.rawBytes)
    // A parameter that is longer than the message, and a level of three bytes.
    for bad in [controlMessage(0xAE01, [0, 9, 0, 6, 0, 60]), controlMessage(0xAE01, parameter(6, [0, 0, 60]))] {
      #expect(throws: WireError.self) { try mirror.receive(bad.rawBytes) }
    }
    #expect(mirror.value.batteryChargeLevel == 50)
  }
}
