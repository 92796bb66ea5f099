// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Analysis

/// The values of messages, also inside groups: each wrong one is named, and the right one beside it is not.
@Suite struct ValueCheckTests {
  typealias Script = SessionScript

  private static func findings(_ message: [UInt8]) -> [String] {
    ValueCheck.findings(ControlHeader.id(of: message), message.rawBytes).map { "\($0.rule.id): \($0.detail)" }
  }

  private static func network(
    ssid: String = "My Car", key: String? = "longenough", security: UInt8 = 2, channel: UInt8? = 36, bssid: Int? = nil
  ) -> [UInt8] {
    var parameters = Script.text(1, ssid)
    if let bssid { parameters = Script.parameter(0, Array(repeating: 7, count: bssid)) + parameters }
    if let key { parameters += Script.text(2, key) }
    parameters += Script.parameter(3, [security])
    if let channel { parameters += Script.parameter(4, [channel]) }
    return Script.message(0x5703, parameters)
  }

  @Test(
    arguments: [
      (network(), nil),
      (network(ssid: String(repeating: "x", count: 32), channel: 0), nil),
      (network(ssid: String(repeating: "x", count: 33)), "network-values: WiFiSSID has 33 bytes"),
      (network(ssid: ""), "network-values: WiFiSSID has 0 bytes"),
      // 11 characters of three bytes each.
      (network(ssid: String(repeating: "車", count: 11)), "network-values: WiFiSSID has 33 bytes"),
      (network(key: "1234567"), "network-values: the security is 2, and the passphrase has 7 bytes"),
      (network(key: "12345678"), nil),
      (network(key: String(repeating: "a", count: 63)), nil),
      (network(key: String(repeating: "a", count: 64)), nil),
      (
        network(key: String(repeating: "z", count: 64)),
        "network-values: the security is 2, and the passphrase has 64 bytes"
      ),
      (network(key: nil), "network-values: the security is 2, and the passphrase has 0 bytes"),
      (network(key: nil, security: 0), nil),
      (network(key: "1", security: 4), nil),
      (network(channel: 35), "network-channel: Channel is 35"),
      (network(channel: 14), nil), (network(channel: 165), nil), (network(channel: nil), nil),
      (network(channel: 15), "network-channel: Channel is 15"),
      (network(bssid: 6), nil), (network(bssid: 17), "hardware-address: BSSID has 17 bytes"),
    ] as [([UInt8], String?)])
  func aNetworkThatAPhoneCannotJoinIsNamed(message: [UInt8], finding: String?) {
    #expect(Self.findings(message) == [finding].compactMap(\.self))
  }

  private static func start(address: String = "fe80::1%en0", port: UInt32 = 7000, key: String? = nil) -> [UInt8] {
    var wireless = Script.text(0, "My Car")
    if let key { wireless += Script.text(1, key) }
    wireless += Script.text(3, address) + Script.parameter(4, [2])
    return Script.message(
      0x4301, Script.parameter(1, wireless), Script.parameter(2, port.bigEndianBytes))
  }

  @Test(
    arguments: [
      (start(), nil), (start(address: "192.168.50.1"), nil), (start(address: "::1"), nil),
      (start(address: "1:2:3:4:5:6:7:8"), nil),
      (start(address: "192.168.50"), "carplay-address-form: WirelessAttributes.IPAddress is \"192.168.50\""),
      (start(address: "192.168.50.256"), "carplay-address-form: WirelessAttributes.IPAddress is \"192.168.50.256\""),
      (start(address: "1:2:3:4:5:6:7"), "carplay-address-form: WirelessAttributes.IPAddress is \"1:2:3:4:5:6:7\""),
      (start(address: "fe80::1%"), "carplay-address-form: WirelessAttributes.IPAddress is \"fe80::1%\""),
      (start(address: "car.local"), "carplay-address-form: WirelessAttributes.IPAddress is \"car.local\""),
      (start(port: 0), "carplay-port: Port is 0"), (start(port: 70_000), "carplay-port: Port is 70000"),
      (start(key: "1234567"), "network-values: the security is 2, and the passphrase has 7 bytes"),
    ] as [([UInt8], String?)])
  func aWrongValueOfACarPlayStartIsNamedWithItsGroup(message: [UInt8], finding: String?) {
    #expect(Self.findings(message) == [finding].compactMap(\.self))
  }

  private static func power(_ current: UInt16, charge: Bool) -> [UInt8] {
    Script.message(0xAE03, Script.parameter(0, current.bigEndianBytes), Script.parameter(1, [charge ? 1 : 0]))
  }

  @Test(
    arguments: [
      (power(0, charge: true), "charge-without-current: it offers 0 mA, and says that the battery should charge"),
      (power(0, charge: false), nil), (power(1000, charge: true), nil),
      (Script.message(0xAE01, Script.parameter(6, [0, 100])), nil),
      (Script.message(0xAE01, Script.parameter(6, [0, 101])), "percent-range: BatteryChargeLevel is 101"),
      (Script.message(0x4E0A, Script.text(0, "zh-Hans")), nil),
      (Script.message(0x4E0A, Script.text(0, "en_US")), "language-tag: Language is \"en_US\""),
      (Script.message(0x4E0A, Script.text(0, "english")), "language-tag: Language is \"english\""),
      (Script.message(0xAA02, Script.parameter(0, Array(1...32))), nil),
      (
        Script.message(0xAA02, Script.parameter(0, Array(1...16))),
        "challenge-size: AuthenticationChallenge has 16 bytes"
      ),
      (
        Script.message(0xAA03, Script.parameter(0, Array(1...71))),
        "response-size: AuthenticationChallengeResponse has 71 bytes"
      ),
      (Script.nowPlaying(title: "Song", artwork: 128), nil),
      (
        Script.nowPlaying(title: "Song", artwork: 3),
        "file-id-named: MediaItemAttributes.MediaItemArtworkFileTransferIdentifier is 3"
      ),
    ] as [([UInt8], String?)])
  func aValueThatItsMessageCannotMeanIsNamed(message: [UInt8], finding: String?) {
    #expect(Self.findings(message) == [finding].compactMap(\.self))
  }

  private static func hid(_ descriptor: [UInt8]) -> [UInt8] {
    Script.message(
      0x6800, Script.parameter(0, [0, 1]), Script.parameter(1, [0, 1]), Script.parameter(2, [0, 1]),
      Script.parameter(4, descriptor))
  }

  @Test func aReportDescriptorThatCannotBeReadIsNamed() {
    // One button: usage page, usage, a collection with one input of one bit and seven bits of padding.
    let button: [UInt8] = [
      0x05, 0x0C, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x01, 0x09, 0xCD, 0x81, 0x02, 0x75,
      0x07, 0x81, 0x01, 0xC0,
    ]
    #expect(Self.findings(Self.hid(button)).isEmpty)
    let cut = Self.findings(Self.hid(Array(button.dropLast())))
    #expect(cut == ["hid-descriptor: HIDReportDescriptor cannot be read: a collection without its end, at byte 4"])
  }

  private static func identification(rates: [[UInt8]], languages: [String] = ["en"]) -> [UInt8] {
    var parameters = Script.identification()[6...] + []
    var component = Script.parameter(0, [0, 1]) + Script.text(1, "sa") + Script.parameter(2, [])
    for rate in rates { component += Script.parameter(3, rate) }
    for language in languages.dropFirst() { parameters += Script.text(13, language) }
    return Script.message(0x1D01, Array(parameters) + Script.parameter(15, component))
  }

  /// A phone rejected three sample rates that stood in one parameter; each in its own was accepted.
  @Test func joinedValuesAreNamedAndAreTheCauseOfARejectionThatNamesThem() throws {
    let joined = Self.identification(rates: [[3, 6, 7]])
    let text = "USBDeviceTransportComponent.USBDeviceSupportedAudioSampleRate has 3 values in one parameter"
    #expect(Self.findings(joined) == ["joined-values: \(text)"])
    #expect(Self.findings(Self.identification(rates: [[3], [6], [7]])).isEmpty)

    let line = try #require(CheckLine.lines(ofIdentification: joined).first { $0.rule == "joined-values" })
    #expect(line.severity == "warn" && line.parameters == [15] && line.detail == text && line.message == nil)
    let cause = try ExplanationFailureTests.rejected(joined, naming: [15]).causes.first
    #expect(cause?.id == "breaks-a-rule" && cause?.check.contains("once for each value") == true)
    // The phone names another parameter, so this one is not the cause.
    let other = try ExplanationFailureTests.rejected(joined, naming: [10])
    #expect(!other.causes.contains { $0.id == "breaks-a-rule" })
  }

  @Test func aCheckOfASessionNamesAValueOnceWithItsMessageAndPath() throws {
    var check = FileCheck()
    check.add(.accessory, 0x1D01, Self.identification(rates: [[3]]))
    for _ in 0..<3 { check.add(.accessory, 0x4301, Self.start(address: "car.local")) }
    check.add(.accessory, 0xAE03, Self.power(0, charge: true))
    let found = try #require(check.lines).filter { $0.message != nil }
    #expect(found.map(\.rule) == ["carplay-address-form", "charge-without-current"])
    #expect(found.map(\.parameters) == [[1, 3], [0]])
    #expect(found[0].place == "0x4301 CarPlayStartSession, parameter 1.3")
    #expect(found.allSatisfy { !$0.isRejection && $0.repair?.isEmpty == false })
  }

  private static func explain(_ messages: [UInt8]..., seconds: Double = 0.01) throws -> Explanation {
    var script = ExplanationTests.identified(
      sending: [0x5703, 0xAE03], receiving: [0x4E0D, 0x5702],
      then: messages.map { .message(.accessory, $0) } + [.reset(.accessory)])
    script.secondsPerRecord = seconds
    return try ExplanationFailureTests.explain(script)
  }

  @Test func aRightValueAfterAWrongOneIsNoBreach() throws {
    let wrong = try Self.explain(Self.power(0, charge: true))
    #expect(wrong.point.id == "rule-ignored" && wrong.finding?.rule.id == "charge-without-current")
    let mended = try Self.explain(Self.power(0, charge: true), Self.power(500, charge: true))
    #expect(mended.point.isComplete && mended.finding == nil)
  }

  /// Wi-Fi given, no session, a reset after 20 s: no session in order.
  @Test(arguments: [0, 36] as [UInt8])
  func aHandOverThatNeverCameIsAWaitThatWasGivenUp(channel: UInt8) throws {
    func end(after seconds: Double, from side: Side = .accessory) throws -> Explanation {
      var script = ExplanationTests.identified(
        sending: [0x5703, 0xAE03], receiving: [0x4E0D, 0x5702],
        then: [
          .message(.device, Script.message(0x4E0D, Script.parameter(0, [1]))),
          .message(.device, Script.message(0x5702)),
          .message(.accessory, Self.network(channel: channel)),
          .acknowledge(.device), .wait(seconds), .reset(side),
        ])
      script.secondsPerRecord = 0.01
      return try ExplanationFailureTests.explain(script)
    }
    let found = try end(after: 20)
    #expect(found.point.id == "hand-over-missing")
    #expect(found.stage == .carPlay, "\(found.finding?.detail ?? "")")
    #expect(found.turn == .device(.message(CarPlayAvailability.id)) && found.causes.map(\.id).contains("cannot-join"))
    // A phone that ends the link may have a session over the network, and a prompt end is no wait.
    #expect(try end(after: 20, from: .device).point.id == "ended")
    #expect(try end(after: 0.5).point.isComplete)
  }
}
