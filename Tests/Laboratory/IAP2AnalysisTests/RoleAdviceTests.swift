// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis
import IAP2Roles
import Testing

/// Tests of the advice for events that stop a live session.
@Suite struct RoleAdviceTests {
  static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

  /// Returns the lines after events that are half a second apart.
  static func lines(
    of role: Role, _ events: [RoleEvent], conditions: RoleAdvice.Conditions = .init()
  ) -> [String] {
    var advice = RoleAdvice(role: role, conditions: conditions)
    return events.enumerated().flatMap { advice.lines(after: $0.element, at: time(Double($0.offset) / 2)) }
  }

  static func message(_ direction: RoleEvent.Direction, _ message: some ControlMessage) throws -> RoleEvent {
    .message(direction, id: type(of: message).info.id, bytes: try message.encoded())
  }

  static func end(_ cause: DisconnectCause, at seconds: Double = 60) -> RoleEvent {
    .disconnected(Disconnection(cause, evidence: [], at: time(seconds)))
  }

  static let up: [RoleEvent] = [
    .transportOpened(address: "memory"), .detected,
    .linkUp(local: LinkPreferences().offer, remote: LinkPreferences().offer),
  ]

  static var identification: IdentificationInformation {
    HeadUnitProfile.standard(protocols: ["com.example.echo"]).identification
  }

  @Test func anAnswerForAnotherEASessionIsNamedAtOnce() throws {
    var request = StartExternalAccessoryProtocolSession()
    (request.externalAccessoryProtocolIdentifier, request.externalAccessoryProtocolSessionIdentifier) = (1, 7)
    func lines(answeredFor session: UInt16) throws -> [String] {
      var answer = StatusExternalAccessoryProtocolSession()
      answer.externalAccessoryProtocolSessionIdentifier = session
      return Self.lines(
        of: .phone,
        Self.up + [
          try Self.message(.received, Self.identification), try Self.message(.sent, request),
          try Self.message(.received, answer),
        ])
    }
    #expect(try lines(answeredFor: 7).isEmpty)
    let found = try lines(answeredFor: 0)
    #expect(
      found.count == 1
        && found[0].contains("the accessory answered for EA session 0, and session 7 waits for its answer"), "\(found)")
  }

  // MARK: Identification

  @Test func aRejectedParameterIsNamedWithTheRuleAndItsMessages() throws {
    var broken = Self.identification
    broken.messagesSentByAccessory.elements = [StartNowPlayingUpdates.id]
    broken.messagesReceivedFromDevice.elements = []
    let lines = Self.lines(
      of: .phone, Self.up + [try Self.message(.received, broken), .identificationRejected(parameters: [6])])
    #expect(
      lines.contains(
        "parameter 6 MessagesSentByAccessory: A Start is listed without its Stop."
          + " (0x5000 StartNowPlayingUpdates)"), "\(lines)")
    #expect(lines.last?.contains("iap2 check identification") == true)
  }

  @Test func theSameRejectionAgainIsOneLine() throws {
    let rejection = [try Self.message(.received, Self.identification), .identificationRejected(parameters: [5])]
    let lines = Self.lines(of: .phone, Self.up + rejection + rejection)
    #expect(lines.count == 3 && lines.last == "the identification was rejected again for the same reasons", "\(lines)")
  }

  @Test func aParameterThatIsMissingIsToBeAdded() throws {
    var bytes = try Self.identification.encoded()
    // Parameter 0, the name, is the first one.
    let length = Int(bytes[6]) << 8 | Int(bytes[7])
    #expect(bytes[8] == 0 && bytes[9] == 0)
    bytes.removeSubrange(6..<6 + length)
    let count = UInt16(bytes.count)
    (bytes[2], bytes[3]) = (UInt8(count >> 8), UInt8(count & 0xFF))
    let identification = RoleEvent.message(.received, id: IdentificationInformation.id, bytes: bytes)
    let lines = Self.lines(of: .phone, Self.up + [identification, .identificationRejected(parameters: [0])])
    #expect(lines.first == "the identification has no parameter 0 Name: add it", "\(lines)")
  }

  @Test func aRejectionThatNoRuleExplainsSaysSo() throws {
    let own = try Self.message(.sent, Self.identification)
    let lines = Self.lines(of: .headUnit, Self.up + [own, .identificationRejected(parameters: [5]), own])
    #expect(lines.first == "parameter 5 HardwareVersion was rejected, and no known rule says why: change it")
    #expect(lines.last == "the identification was sent again without the optional ones of these parameters")
  }

  // MARK: Authentication

  @Test func aCertificateThatFailsNamesTheOptionThatAcceptsIt() throws {
    let lines = Self.lines(
      of: .phone, Self.up + [.authenticationFailed(reason: "no authority"), Self.end(.authenticationFailed)])
    #expect(lines.count == 1)
    #expect(lines[0].hasPrefix("the accessory's certificate was not accepted (no authority): --authentication any"))
  }

  @Test func aSignatureThatFailsIsDistinguished() throws {
    let challenge = try Self.message(.received, RequestAuthenticationChallengeResponse())
    let lines = Self.lines(of: .headUnit, Self.up + [challenge, .authenticationFailed(reason: nil)])
    #expect(lines.count == 1 && lines[0].hasPrefix("the phone did not accept the signature"), "\(lines)")
  }

  // MARK: EA sessions

  /// The events of a phone that requests session 7.
  static func request(_ identification: IdentificationInformation = identification) throws -> [RoleEvent] {
    var start = StartExternalAccessoryProtocolSession()
    start.externalAccessoryProtocolIdentifier =
      identification.supportedExternalAccessoryProtocol[0].externalAccessoryProtocolIdentifier
    start.externalAccessoryProtocolSessionIdentifier = 7
    return try [message(.received, identification), .authenticated, .identified(identification), message(.sent, start)]
  }

  static func status(_ status: ExternalAccessoryProtocolSessionStatus) throws -> RoleEvent {
    var answer = StatusExternalAccessoryProtocolSession()
    answer.externalAccessoryProtocolSessionIdentifier = 7
    answer.externalAccessoryProtocolSessionStatus = status
    return try message(.received, answer)
  }

  static let closed = RoleEvent.externalAccessoryClosed(
    protocol: "com.example.echo", session: 7, bytesSent: 5, bytesReceived: 2)

  static func stop() throws -> RoleEvent {
    var stop = StopExternalAccessoryProtocolSession()
    stop.externalAccessoryProtocolSessionIdentifier = 7
    return try message(.sent, stop)
  }

  /// Such an accessory opens a session without 0xEA03.
  @Test func anAccessoryThatListsNoStatusOwesNone() throws {
    var identification = Self.identification
    identification.messagesSentByAccessory.elements.removeAll { $0 == StatusExternalAccessoryProtocolSession.id }
    #expect(identification != Self.identification)
    let lines = Self.lines(of: .phone, Self.up + (try Self.request(identification)) + [try Self.stop(), Self.closed])
    #expect(lines.isEmpty, "\(lines)")
  }

  @Test func refusedSilentAndPulledSessionsAreDistinguished() throws {
    let request = Self.up + (try Self.request())
    let refused = Self.lines(of: .phone, request + [try Self.status(.close)])
    #expect(refused.count == 1 && refused[0].hasPrefix("com.example.echo: the accessory refused EA session 7"))
    let silent = Self.lines(of: .phone, request + [try Self.stop()])
    #expect(silent.count == 1)
    #expect(
      silent[0] == "com.example.echo: the accessory lists 0xEA03 and did not answer the request for EA session 7 within"
        + " 0.5 s")
    let pulled = Self.lines(of: .phone, request + [try Self.status(.ok), try Self.status(.close), Self.closed])
    #expect(pulled == ["com.example.echo: the accessory closed EA session 7 after 1.5 s, 5 bytes sent, 2 received"])
    // The end that this side asked for needs no word.
    #expect(Self.lines(of: .phone, request + [try Self.status(.ok), try Self.stop(), Self.closed]).isEmpty)
  }

  // MARK: Ends

  @Test func aTimeoutNamesWhatThisSideWaitedFor() throws {
    let conditions = RoleAdvice.Conditions(identifySeconds: 60, silenceSeconds: 15)
    func timeout(_ role: Role, _ events: [RoleEvent], at seconds: Double = 60) -> String {
      Self.lines(of: role, events + [Self.end(.timeout, at: seconds)], conditions: conditions).last ?? ""
    }
    let given = "given up after 60.0 s (--timeout): this side waited for "
    #expect(timeout(.phone, Array(Self.up.prefix(1))) == given + "the detect sequence of the accessory")
    #expect(timeout(.headUnit, Array(Self.up.prefix(1))) == given + "the phone's answer to detection")
    #expect(timeout(.phone, Array(Self.up.prefix(2))) == given + "the accessory's SYN")
    #expect(
      timeout(.phone, Self.up + [try Self.message(.sent, RequestAuthenticationCertificate())])
        == given + "0xAA01 AuthenticationCertificate, from the accessory")
    #expect(
      timeout(.headUnit, Self.up)
        == given + "0xAA00 RequestAuthenticationCertificate or 0x1D00 StartIdentification, from the phone")
    #expect(
      timeout(.headUnit, Self.up + [try Self.message(.received, RequestAuthenticationChallengeResponse())])
        == given + "its own authenticator, to answer 0xAA02 RequestAuthenticationChallengeResponse")
    #expect(timeout(.phone, Array(Self.up.prefix(1)), at: 3).hasPrefix("given up after 3.0 s: this side"))
    let ready = Self.up + [.authenticated, .identified(Self.identification)]
    #expect(timeout(.phone, ready).contains("answered no probe of the link, the first after 15 s of silence"))
  }

  @Test func aCloseWithoutRSTIsReported() {
    let ready = Self.up + [.authenticated, .identified(Self.identification)]
    #expect(
      Self.lines(of: .headUnit, ready + [Self.end(.transportClosed)])
        == ["the phone closed the connection without ending the session"])
    #expect(
      Self.lines(of: .phone, Array(Self.up.prefix(1)) + [Self.end(.transportClosed)])
        == [
          "the accessory closed the connection without ending the session; this side waited for the detect sequence of"
            + " the accessory"
        ])
    #expect(Self.lines(of: .headUnit, ready + [Self.end(.linkReset)]).isEmpty)
    #expect(Self.lines(of: .headUnit, ready + [Self.end(.requested)]).isEmpty)
  }
}
