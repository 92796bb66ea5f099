// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Testing
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Runtime

/// The identification as the roles report it to their users.
@Suite struct IdentificationTests {
  /// Runs both roles on a new transport, and the script from the start on.
  private static func connect(
    _ headUnit: HeadUnit, _ phone: Phone, _ script: @escaping @Sendable (MemoryTransport) async throws -> Void
  ) async throws {
    let transports = MemoryTransport.pair()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = await headUnit.run(on: transports.accessory) }
      group.addTask { _ = await phone.run(on: transports.device) }
      group.addTask { try await script(transports.accessory) }
      try await group.waitForAll()
    }
  }

  private static func sleep(_ time: VirtualTime) async throws {
    try await time.sleep(until: time.now.adding(milliseconds: 1000))
  }

  @Test func thePhoneKeepsTheIdentificationOfTheLastConnection() throws {
    try VirtualTime.run { time in
      var options = RoleOptions()
      options.clock = time
      let first = HeadUnitProfile.standard(name: "First")
      let second = HeadUnitProfile.standard(name: "Second")
      let phone = Phone(options: options)
      #expect(await phone.identification == nil)
      try await Self.connect(HeadUnit(profile: first, options: options), phone) { transport in
        try await Self.sleep(time)
        #expect(await phone.identification == first.identification)
        transport.cut()
      }
      #expect(await phone.identification == first.identification)
      // An accessory that sends nothing does not inherit the identification of the one before.
      let silent = MemoryTransport.pair()
      async let run = phone.run(on: silent.device)
      try await Self.sleep(time)
      #expect(await phone.identification == nil)
      silent.accessory.cut()
      _ = await run
      try await Self.connect(HeadUnit(profile: second, options: options), phone) { _ in
        try await Self.sleep(time)
        #expect(await phone.identification == second.identification)
        await phone.disconnect()
      }
      #expect(await phone.identification == second.identification)
    }
  }

  @Test func anEndByTheAccessoryKeepsTheIdentificationToo() throws {
    try VirtualTime.run { time in
      var options = RoleOptions()
      options.clock = time
      let profile = HeadUnitProfile.standard()
      let phone = Phone(options: options)
      let headUnit = HeadUnit(profile: profile, options: options)
      try await Self.connect(headUnit, phone) { _ in
        try await Self.sleep(time)
        await headUnit.disconnect()
      }
      #expect(await phone.identification == profile.identification)
    }
  }

  @Test func aLaterUpdateChangesTheIdentification() throws {
    try VirtualTime.run { time in
      var options = RoleOptions()
      options.clock = time
      let phone = Phone(options: options)
      let headUnit = HeadUnit(profile: .standard(), options: options)
      try await Self.connect(headUnit, phone) { _ in
        try await Self.sleep(time)
        var update = IdentificationInformationUpdate()
        update.name = "Renamed"
        update.firmwareVersion = "9.9"
        update.currentLanguage = "de"
        let body = Array(try update.encoded().dropFirst(ControlHeader.byteCount))
        #expect(await headUnit.sendRaw(id: IdentificationInformationUpdate.id, body: body))
        try await Self.sleep(time)
        let identification = await phone.identification
        #expect(identification?.name == "Renamed" && identification?.firmwareVersion == "9.9")
        #expect(identification?.currentLanguage == "de")
        await phone.disconnect()
      }
      #expect(await phone.identification?.name == "Renamed")
    }
  }

  @Test func bothRolesReportTheIdentificationThatWasAccepted() throws {
    var profile = HeadUnitProfile.standard(protocols: ["com.example.echo"])
    // The phone rejects a second protocol with the identifier of the first, so another identification follows.
    let first = profile.identification.supportedExternalAccessoryProtocol[0]
    profile.identification.supportedExternalAccessoryProtocol.append(first)
    let story = try RoleTests.play(profile: profile) { _, phone, _ in await phone.disconnect() }
    let accepted = story.phone.compactMap(\.identification)
    #expect(accepted.count == 1 && accepted.first?.supportedExternalAccessoryProtocol.isEmpty == true)
    #expect(story.headUnit.compactMap(\.identification) == accepted)
  }
}
