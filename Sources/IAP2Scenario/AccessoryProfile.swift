// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Runtime

/// An accessory as data: what it says of itself, how its link is, and what is peculiar about it.
public struct AccessoryProfile: Sendable {
  public var name: String
  public var summary: String
  /// Where its facts come from.
  public var evidence: [String]
  public var headUnit: HeadUnitProfile
  public var services: [String: Scenario.Service] = [:]
  public var link = LinkPreferences()
  /// How long its authentication chip takes, in milliseconds.
  public var signMilliseconds = 0

  /// The authenticator with the chip's own slowness.
  public func authenticator(_ inner: any Authenticator, clock: any RuntimeClock) -> any Authenticator {
    signMilliseconds == 0
      ? inner : SlowAuthenticator(inner: inner, milliseconds: signMilliseconds, clock: clock)
  }

  /// Reads a profile; every error names the file, the line and the key.
  public init(yaml text: String, file: String) throws(ScenarioProblem) {
    let root = try YAMLValue(text, file: file, files: .none)
    let fields = try root.fields([
      "name", "summary", "evidence", "features", "protocols", "identification", "link", "timing", "quirks",
    ])
    name = try fields["name"]?.text() ?? file
    summary = try fields["summary"]?.text() ?? ""
    evidence = []
    for source in try fields["evidence"]?.list() ?? [] { evidence.append(try source.text()) }
    (headUnit, services) = try Scenario.plainHeadUnit(features: fields["features"], protocols: fields["protocols"])
    if let identification = fields["identification"] { try identify(identification) }
    if let link = fields["link"] { try connect(link) }
    if let timing = fields["timing"] {
      signMilliseconds = try timing.fields(["sign"])["sign"]?.integer(0...60_000) ?? 0
    }
    if let quirks = fields["quirks"], let list = try quirks.fields(["waitFor"])["waitFor"] {
      headUnit.waitsFor = Set(try Self.ids(list))
    }
  }

  // MARK: Identification

  private mutating func identify(_ value: YAMLValue) throws(ScenarioProblem) {
    let fields = try value.fields([
      "name", "model", "manufacturer", "serial", "firmware", "hardware", "current", "languages", "sends", "receives",
      "protocols", "usbHost", "bluetooth",
    ])
    func text(_ key: String, _ body: (String) -> Void) throws(ScenarioProblem) {
      if let field = fields[key] { body(try field.text()) }
    }
    var information = headUnit.identification
    try text("name") { information.name = $0 }
    try text("model") { information.modelIdentifier = $0 }
    try text("manufacturer") { information.manufacturer = $0 }
    try text("serial") { information.serialNumber = $0 }
    try text("firmware") { information.firmwareVersion = $0 }
    try text("hardware") { information.hardwareVersion = $0 }
    if let current = fields["current"] {
      information.maximumCurrentDrawnFromDevice = UInt16(try current.integer(0...65_535))
    }
    if let list = fields["languages"] {
      information.supportedLanguage = []
      for language in try list.list() { information.supportedLanguage.append(try language.text()) }
      information.currentLanguage = information.supportedLanguage.first ?? "en"
    }
    if let list = fields["sends"] { information.messagesSentByAccessory = Packed(try Self.ids(list)) }
    if let list = fields["receives"] { information.messagesReceivedFromDevice = Packed(try Self.ids(list)) }
    if let list = fields["protocols"] { information.supportedExternalAccessoryProtocol = try protocols(list) }
    if let name = fields["usbHost"] {
      var component = USBHostTransportComponent()
      component.transportComponentIdentifier = 1
      component.transportComponentName = try name.text()
      component.transportSupportsiAP2Connection = true
      information.usbHostTransportComponent = [component]
    }
    if let name = fields["bluetooth"] {
      var component = BluetoothTransportComponent()
      component.transportComponentIdentifier = 1
      component.transportComponentName = try name.text()
      component.transportSupportsiAP2Connection = true
      component.bluetoothTransportMediaAccessControlAddress = [0x02, 0, 0, 0, 0, 1]
      information.bluetoothTransportComponent = [component]
      if fields["usbHost"] == nil { information.usbHostTransportComponent = [] }
    }
    headUnit.identification = information
  }

  private mutating func protocols(
    _ value: YAMLValue
  ) throws(ScenarioProblem) -> [SupportedExternalAccessoryProtocol] {
    var all: [SupportedExternalAccessoryProtocol] = []
    for (index, entry) in try value.list().enumerated() {
      let fields = try entry.fields(["id", "name", "match", "service"])
      guard let name = fields["name"] else { throw entry.problem("a protocol has a name") }
      var item = SupportedExternalAccessoryProtocol()
      item.externalAccessoryProtocolIdentifier = UInt8(try fields["id"]?.integer(0...255) ?? min(255, index + 1))
      item.externalAccessoryProtocolName = try name.text()
      item.externalAccessoryProtocolMatchAction = ExternalAccessoryProtocolMatchAction(
        rawValue: UInt8(try fields["match"]?.integer(0...255) ?? 0))
      services[item.externalAccessoryProtocolName] =
        try fields["service"]?.choice(Scenario.services) ?? .discard
      all.append(item)
    }
    return all
  }

  private static func ids(_ value: YAMLValue) throws(ScenarioProblem) -> [UInt16] {
    var ids: [UInt16] = []
    for item in try value.list() {
      ids.append(try item.messageID())
    }
    return ids
  }

  // MARK: Link

  /// A real accessory's values, also outside the recommended ranges: that is what it is for.
  private mutating func connect(_ value: YAMLValue) throws(ScenarioProblem) {
    let fields = try value.fields([
      "window", "length", "retransmission", "cumulative", "retransmissions", "acknowledgements", "sessions",
    ])
    var offer = link.offer
    if let field = fields["window"] { offer.maxOutstandingPackets = UInt8(try field.integer(1...127)) }
    if let field = fields["length"] { offer.maxPacketLength = UInt16(try field.integer(24...65_535)) }
    if let field = fields["retransmission"] { offer.retransmissionTimeout = UInt16(try field.integer(0...65_535)) }
    if let field = fields["cumulative"] { offer.cumulativeAckTimeout = UInt16(try field.integer(0...65_535)) }
    if let field = fields["retransmissions"] { offer.maxRetransmissions = UInt8(try field.integer(0...255)) }
    if let field = fields["acknowledgements"] { offer.maxCumulativeAcks = UInt8(try field.integer(0...255)) }
    if let list = fields["sessions"] {
      offer.sessions = []
      for entry in try list.list() {
        let parts = try entry.fields(["id", "type", "version"])
        guard let type = parts["type"] else { throw entry.problem("a session has a type") }
        offer.sessions.append(
          LinkSession(
            id: UInt8(try parts["id"]?.integer(1...255) ?? offer.sessions.count + 1),
            type: try type.choice([
              "control": LinkSessionType.control, "fileTransfer": .fileTransfer,
              "externalAccessory": .externalAccessory,
            ]), version: UInt8(try parts["version"]?.integer(0...255) ?? 1)))
      }
    }
    link.offer = offer
  }
}

/// A chip that takes its time: real ones need hundreds of milliseconds for a signature.
struct SlowAuthenticator: Authenticator {
  let inner: any Authenticator
  let milliseconds: Int
  let clock: any RuntimeClock

  private func wait() async {
    do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch {}
  }

  func certificate() async throws(AuthenticationError) -> [UInt8] { try await inner.certificate() }
  func serialNumber() async throws(AuthenticationError) -> [UInt8] { try await inner.serialNumber() }

  func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    await wait()
    return try await inner.sign(challenge: challenge)
  }
}
