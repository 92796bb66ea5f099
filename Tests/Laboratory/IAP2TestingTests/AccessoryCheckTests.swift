// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Testing
import IAP2Transport
import Testing

@Suite struct AccessoryCheckTests {
  private static let name = "com.example.echo"

  private static let echo: @Sendable (ExternalAccessoryStream) async -> Void = { session in
    while let bytes = await session.read() {
      do { try await session.write(bytes) } catch { return }
    }
  }

  @Test func aGoodHeadUnitHasNoFindings() throws {
    let profile = HeadUnitProfile.standard(protocols: [Self.name])
    let check = try AccessoryCheck.run(headUnit: profile, services: [Self.name: Self.echo]) { _, phone in
      let session = try await phone.open(Self.name)
      try await session.write([1, 2, 3])
      #expect(await session.read() == [1, 2, 3])
    }
    #expect(check.findings.isEmpty)
    #expect(check.identification == profile.identification)
  }

  @Test func theWholeHeadUnitHasNoFindings() throws {
    let check = try AccessoryCheck.run(headUnit: .standard(protocols: [Self.name], features: .all))
    #expect(check.findings.isEmpty)
  }

  @Test func aMessageThatWasNotDeclaredIsFound() throws {
    let check = try AccessoryCheck.run(headUnit: .standard()) { headUnit, _ in
      for _ in 0..<2 { #expect(await headUnit.sendRaw(id: StartNowPlayingUpdates.id, body: [])) }
    }
    #expect(check.findings.map(\.rule) == ["undeclared"])
    #expect(check.findings.first?.parameters == [6])
    #expect(check.findings.first?.messages == [StartNowPlayingUpdates.id])
    #expect(
      check.findings.first?.description
        == "undeclared: sent by the accessory without being listed (parameters 6; 0x5000 StartNowPlayingUpdates)")
  }

  @Test func aMessageThatWasDeclaredAndNotSentIsAWarning() throws {
    let check = try AccessoryCheck.run(headUnit: .standard(features: [.power, .wiFiSharing]))
    let unused = check.warnings.filter { $0.rule == "unused" }
    #expect(unused.count == 1 && unused.first?.messages.contains(RequestWiFiInformation.id) == true)
    #expect(check.findings.isEmpty)
  }

  @Test func aRejectedIdentificationIsFound() throws {
    var profile = HeadUnitProfile.standard()
    profile.identification.messagesSentByAccessory.elements.append(0xAA01)
    let check = try AccessoryCheck.run(headUnit: profile) { _, _ in Issue.record("the head unit was ready") }
    #expect(check.findings.map(\.rule) == ["no-implied-messages", "not-ready"])
    #expect(check.identification == nil)
  }

  @Test func anIdentificationThatIsAcceptedOnRetryIsReported() throws {
    var profile = HeadUnitProfile.standard(protocols: [Self.name])
    profile.identification.supportedExternalAccessoryProtocol[0].externalAccessoryProtocolName = ""
    let check = try AccessoryCheck.run(headUnit: profile)
    #expect(check.findings.map(\.rule) == ["ea-protocols"])
    #expect(check.identification?.supportedExternalAccessoryProtocol.isEmpty == true)
  }

  /// The rejection of such a list is unverified (Identification.md#start-with-stop).
  @Test func anUnverifiedRuleIsAWarningAndThePhoneAcceptsItsBreach() throws {
    var profile = HeadUnitProfile.standard(features: .nowPlaying)
    profile.identification.messagesSentByAccessory.elements.removeAll { $0 == 0x5002 }
    let check = AccessoryCheck(identification: profile.identification)
    #expect(check.warnings.map(\.rule).contains("start-with-stop") && check.findings.isEmpty)
  }

  @Test func anIdentificationThatCannotBeReadIsFound() throws {
    let check = try AccessoryCheck.run(headUnit: .standard()) { headUnit, _ in
      #expect(await headUnit.sendRaw(id: IdentificationInformation.id, body: []))
    }
    #expect(check.findings.map(\.rule) == ["schema", "violation"])
    #expect(check.findings.first?.parameters.isEmpty == false)
  }

  @Test func anIdentificationIsCheckedWithoutASession() {
    var information = HeadUnitProfile.standard(protocols: [Self.name]).identification
    #expect(AccessoryCheck(identification: information).findings.isEmpty)
    information.name = " "
    information.supportedExternalAccessoryProtocol[0].externalAccessoryProtocolName = ""
    let check = AccessoryCheck(identification: information)
    #expect(check.findings.map(\.rule) == ["ea-protocols"])
    #expect(check.warnings.map(\.rule).contains("identification-name"))
  }

  @Test func anyImplementationRunsOnATransport() throws {
    let check = try AccessoryCheck.run { transport, clock in
      var options = RoleOptions()
      options.clock = clock
      let accessory = HeadUnit(profile: .standard(protocols: [Self.name]), options: options)
      await accessory.serve(Self.name, Self.echo)
      _ = await accessory.run(on: transport)
    } _: { phone in
      let session = try await phone.open(Self.name)
      await session.close()
    }
    #expect(check.findings.isEmpty)
  }

  @Test func aSilentAccessoryIsNotReady() throws {
    let check = try AccessoryCheck.run { transport, _ in
      do { while try await transport.receive() != nil {} } catch {}
    }
    #expect(check.findings.map(\.rule) == ["not-ready"])
  }

  @Test func anErrorOfTheBodyIsThrown() {
    #expect(throws: ExternalAccessoryError.self) {
      try AccessoryCheck.run(headUnit: .standard()) { _, phone in _ = try await phone.open("com.example.none") }
    }
  }
}
