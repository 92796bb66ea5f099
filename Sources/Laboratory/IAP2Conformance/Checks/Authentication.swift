// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Runtime

extension Check {
  static let authenticationOfAccessories: [Check] = [
    Check(
      "AUT-01", .authentication, of: [.accessory], "The certificate is sent",
      "An accessory answers AA00 with AA01, which carries its certificate.",
      .at("Authentication.md#exchange", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.send(Message(RequestAuthenticationCertificate.id))
      guard let certificate = try await probe.message(AuthenticationCertificate.id)[0], !certificate.isEmpty else {
        throw .failed("AA01 has no certificate")
      }
    },
    Check(
      "AUT-02", .authentication, of: [.accessory], "The certificate has the right form",
      "The certificate is a PKCS#7 container in DER with an X.509 certificate.",
      .at("Authentication.md#certificate-form", .high)
    ) { probe throws(Stop) in
      try probe.judgesAuthentication()
      try await probe.linkUp()
      try await probe.send(Message(RequestAuthenticationCertificate.id))
      let bytes = try await probe.message(AuthenticationCertificate.id)[0] ?? []
      // SEQUENCE, then the object identifier of signedData, 1.2.840.113549.1.7.2.
      let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
      guard bytes.first == 0x30, (2...6).contains(where: { bytes.dropFirst($0).starts(with: signedData) }) else {
        throw .failed("the \(bytes.count) bytes of AA01 are not a PKCS#7 container")
      }
      do { _ = try AccessoryCertificate(bytes) } catch { throw .failed("the certificate cannot be read: \(error)") }
    },
    Check(
      "AUT-03", .authentication, of: [.accessory], "The response has the right length",
      "The response to a challenge has 64 bytes with a P-256 key, and 128 with the RSA key of old chips.",
      .at("Authentication.md#response-size", .high)
    ) { probe throws(Stop) in
      try probe.judgesAuthentication()
      let (certificate, _, response) = try await probe.challenged()
      let wanted = Probe.challengeByteCount(for: certificate) == 20 ? 128 : 64
      guard response.count == wanted else { throw .failed("the response has \(response.count) bytes, not \(wanted)") }
    },
    Check(
      "AUT-04", .authentication, of: [.accessory], "The response is a signature",
      "With a P-256 key the response is the signature r, s by the certificate's key. The challenge is the SHA-256 digest that is signed.",
      .at("Authentication.md#response-signature", .high)
    ) { probe throws(Stop) in
      try probe.judgesAuthentication()
      let (certificate, challenge, response) = try await probe.challenged()
      let parsed: AccessoryCertificate
      do { parsed = try AccessoryCertificate(certificate) } catch {
        throw .inconclusive("the certificate cannot be read: \(error)")
      }
      guard !parsed.isOldForm else { throw .notApplicable("the padding of the old chips' responses is not public") }
      do { try parsed.verify(response: response, challenge: challenge) } catch { throw .failed("\(error)") }
    },
    Check(
      "AUT-05", .authentication, of: [.accessory], "Identification may come first",
      "An accessory answers authentication and identification in either order.",
      .at("Authentication.md#order-react", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      _ = try await probe.identification()
      try await probe.send(Message(IdentificationAccepted.id))
      try await probe.authenticate()
    },
    Check(
      "AUT-06", .authentication, of: [.accessory], "Features wait for both",
      "Before authentication has succeeded and the identification is accepted, an accessory sends no message of a feature.",
      .at("Authentication.md#both-needed", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      do throws(Stop) { _ = try await probe.identification() } catch {
        throw error.before("identification did not succeed")
      }
      try await probe.send(Message(IdentificationAccepted.id))
      try await probe.onlyImplied("before authentication")
      try await probe.stays()
    },
    Check(
      "AUT-07", .authentication, of: [.accessory], "After a failed authentication there are no features",
      "An accessory whose authentication failed (AA04) sends no message of a feature.",
      .at("Authentication.md#both-needed", .high),
      mayEndPeer: true
    ) { probe throws(Stop) in
      _ = try await probe.challenged()
      try await probe.send(Message(AuthenticationFailed.id))
      try await probe.send(Message(StartIdentification.id))
      try await probe.send(Message(IdentificationAccepted.id))
      try await probe.onlyImplied("after AA04")
    },
    Check(
      "AUT-08", .authentication, of: [.accessory], "The serial number is sent",
      "An accessory answers an AA00 that requests the certificate's serial number. An AA06 carries the number.",
      .at("Authentication.md#serial-number-source", .high), .observed
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.send(Message(RequestAuthenticationCertificate.id, [(0, [])]))
      let ids = [AccessoryAuthenticationSerialNumber.id, AuthenticationCertificate.id]
      var reply = try await probe.message(of: ids)
      if reply.id == AuthenticationCertificate.id {
        do throws(Stop) { reply = try await probe.message(AccessoryAuthenticationSerialNumber.id) } catch {
          throw .notApplicable("it answers with its certificate alone, without a serial number (AA06)")
        }
      }
      guard let number = reply[0], !number.isEmpty else { throw .failed("AA06 has no serial number") }
    },
    Check(
      "AUT-09", .authentication, of: [.accessory], "Every challenge has its own response",
      "A second challenge gets a new signature.", .at("Authentication.md#challenge-own-response", .low), .recommended
    ) { probe throws(Stop) in
      try probe.judgesAuthentication()
      let (certificate, _, first) = try await probe.challenged()
      let other = (0..<Probe.challengeByteCount(for: certificate)).map { UInt8(200 - $0) }
      try await probe.send(Message(RequestAuthenticationChallengeResponse.id, [(0, other)]))
      guard let second = try await probe.message(AuthenticationResponse.id)[0], !second.isEmpty else {
        throw .failed("its second response is empty")
      }
      guard second != first else { throw .failed("two challenges have the same response") }
    },
    Check(
      "AUT-10", .authentication, of: [.accessory], "The certificate is trusted",
      "The certificate is issued by the authority that the accessory's customers trust.",
      .at("Authentication.md#trusted-authority", .medium, "the run names the authority")
    ) { probe throws(Stop) in
      guard case .verifier(let verifier) = probe.setting.accessoryTrust else {
        throw .notApplicable("no authority was named")
      }
      let (certificate, _, _) = try await probe.beforehand { probe throws(Stop) in try await probe.challenged() }
      do throws(AuthenticationError) { _ = try verifier.challengeByteCount(for: certificate) } catch {
        guard error != .unsupportedKey else { throw .notApplicable("the certificate's key is not P-256") }
        throw .failed("\(error)")
      }
    },
    Check(
      "AUT-11", .authentication, of: [.accessory], "No answer before the first step",
      "An accessory that has neither authenticated nor identified answers no request of a feature, neither for the credentials of its Wi-Fi (5702) nor for other values.",
      .at("Authentication.md#both-needed", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.answersNothing("before the first step")
    },
    Check(
      "AUT-12", .authentication, of: [.accessory], "No answer without authentication",
      "An accessory whose identification was accepted, and whose authentication has not succeeded, answers no request of a feature, such as the one for the credentials of its Wi-Fi (5702).",
      .at("Authentication.md#both-needed", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      _ = try await probe.beforehand { probe throws(Stop) in try await probe.identification() }
      try await probe.send(Message(IdentificationAccepted.id))
      try await probe.answersNothing("before authentication")
    },
    Check(
      "AUT-13", .authentication, of: [.accessory], "No answer without identification",
      "An accessory that has authenticated, and whose identification was not accepted, answers no request of a feature.",
      .at("Authentication.md#both-needed", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.authenticate()
      try await probe.answersNothing("before identification")
    },
    Check(
      "AUT-14", .authentication, of: [.accessory], "A success needs a challenge",
      "An accessory does not count AuthenticationSucceeded (AA05) as its authentication if it has answered no challenge.",
      .at("Authentication.md#success-needs-challenge", .low, "inferred"), .recommended
    ) { probe throws(Stop) in
      try await probe.linkUp()
      _ = try await probe.beforehand { probe throws(Stop) in try await probe.identification() }
      try await probe.send(Message(IdentificationAccepted.id))
      try await probe.send(Message(AuthenticationSucceeded.id))
      try await probe.answersNothing("after AA05 without a challenge")
    },
  ]

  static let authenticationOfDevices: [Check] = [
    Check(
      "AUT-20", .authentication, of: [.device], "The phone starts",
      "When the link is up, a device sends AA00 or 1D00 without a request.",
      .at("Authentication.md#device-starts", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      _ = try await probe.newData()
      let first = try await probe.anyMessage()
      guard first.id == RequestAuthenticationCertificate.id || first.id == StartIdentification.id else {
        throw .failed("its first message is \(hexadecimal(first.id))")
      }
    },
    Check(
      "AUT-21", .authentication, of: [.device], "The certificate is answered with a challenge",
      "A device answers AA01 with AA02: a challenge of 20 bytes for the RSA key of old chips, otherwise of 32 bytes.",
      .at("Authentication.md#challenge-size", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let challenge = try await probe.serve(until: RequestAuthenticationChallengeResponse.id)[0] ?? []
      let wanted = Probe.challengeByteCount(for: try await probe.certificate())
      guard challenge.count == wanted else {
        throw .failed("the challenge has \(challenge.count) bytes, not \(wanted)")
      }
    },
    Check(
      "AUT-22", .authentication, of: [.device], "A correct response succeeds",
      "A device answers the correct response of a trusted accessory with AA05.",
      .at("Authentication.md#right-response", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let reply = try await probe.serve(until: AuthenticationSucceeded.id, AuthenticationFailed.id)
      guard reply.id == AuthenticationSucceeded.id else {
        guard probe.setting.isTrusted else {
          throw .inconclusive(
            "it rejects the probe's authentication (AA04); it does not have to trust the probe's certificate")
        }
        throw .failed("it rejects a correct response (AA04)")
      }
    },
    Check(
      "AUT-23", .authentication, of: [.device], "A wrong response fails",
      "A device does not accept a response that is not a signature of its challenge: it sends AA04 or ends the link, and never sends AA05.",
      .at("Authentication.md#wrong-response", .low, "inferred; emulated devices verify nothing"), .recommended,
      mayEndPeer: true
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let challenge = try await probe.beforehand { probe throws(Stop) in
        try await probe.serve(until: RequestAuthenticationChallengeResponse.id)
      }
      var response = try await probe.signature(of: challenge[0] ?? [])
      response[response.count - 1] ^= 0x01
      try await probe.send(Message(AuthenticationResponse.id, [(0, response)]))
      try await probe.isTurnedDown()
    },
    Check(
      "AUT-24", .authentication, of: [.device], "An invalid certificate fails",
      "A device does not accept bytes that are not a certificate: it sends AA04 or ends the link, and never sends AA05.",
      .at("Authentication.md#wrong-certificate", .low, "inferred; emulated devices verify nothing"), .recommended,
      mayEndPeer: true
    ) { probe throws(Stop) in
      try await probe.linkUp()
      _ = try await probe.beforehand { probe throws(Stop) in
        try await probe.serve(until: RequestAuthenticationCertificate.id)
      }
      try await probe.send(Message(AuthenticationCertificate.id, [(0, Array(repeating: 0x30, count: 40))]))
      let reply = try await probe.turning(RequestAuthenticationChallengeResponse.id)
      if reply?.id == RequestAuthenticationChallengeResponse.id {
        try await probe.send(Message(AuthenticationResponse.id, [(0, Array(repeating: 1, count: 64))]))
        try await probe.isTurnedDown()
      }
    },
    Check(
      "AUT-25", .authentication, of: [.device], "A device's features wait for both",
      "Before authentication has succeeded and the identification is accepted, a device sends no message of a feature.",
      .at("Authentication.md#both-needed", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      // Perform authentication without its last step.
      _ = try await probe.beforehand { probe throws(Stop) in
        try await probe.serve(until: RequestAuthenticationChallengeResponse.id)
      }
      try await probe.onlyImplied("before authentication")
      try await probe.stays()
    },
    Check(
      "AUT-26", .authentication, of: [.device], "Challenges are not repeated",
      "Two connections get different challenges, because otherwise an old response could be replayed.",
      .at(
        "Authentication.md#challenge-unpredictable", .low, "inferred from its purpose; emulators may send any challenge"
      )
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let first = try await probe.beforehand { probe throws(Stop) in
        try await probe.serve(until: RequestAuthenticationChallengeResponse.id)
      }
      do throws(Stop) { try await probe.reconnect() } catch { throw error.before("the second connection failed") }
      try await probe.linkUp()
      let second = try await probe.beforehand { probe throws(Stop) in
        try await probe.serve(until: RequestAuthenticationChallengeResponse.id)
      }
      guard first != second else { throw .failed("two connections got the same challenge") }
    },
  ]
}

extension Probe {
  /// Makes a check of certificates and responses not applicable when the setting accepts any.
  nonisolated func judgesAuthentication() throws(Stop) {
    if case .any = setting.accessoryTrust { throw .notApplicable("any certificate and any response are accepted") }
  }

  /// Sets up a link and performs authentication up to the response.
  func challenged() async throws(Stop) -> (certificate: [UInt8], challenge: [UInt8], response: [UInt8]) {
    try await linkUp()
    return try await challenge()
  }

  /// Performs the steps before the tested behavior, whose failure makes the check inconclusive.
  func beforehand<Result: Sendable>(
    _ body: @Sendable (Probe) async throws(Stop) -> Result
  ) async throws(Stop) -> Result {
    do throws(Stop) { return try await body(self) } catch { throw error.before("the tested behavior was not reached") }
  }

  func anyMessage() async throws(Stop) -> Message {
    let deadline = clock.now.adding(milliseconds: timeouts.answer)
    while true {
      let come = takeMessages()
      if let first = come.first { return first }
      guard await next(until: deadline) != nil else { throw .failed("it sent no message") }
    }
  }

  /// Checks that the peer sends only messages of authentication and identification.
  func onlyImplied(_ when: String) async throws(Stop) {
    let others = await everything(for: 2000).filter { !ControlHeader.isImplied($0.id) }
    guard others.isEmpty else {
      throw .failed("\(when) it sent \(others.map { hexadecimal($0.id) }.joined(separator: ", "))")
    }
  }

  /// Sends the requests that an accessory answers in a session, and checks that it answers none.
  func answersNothing(_ when: String) async throws(Stop) {
    for question in Self.questions { try await send(question) }
    try await onlyImplied(when)
    try stays()
  }

  private static var questions: [Message] {
    // A group with one parameter: CarPlay of this kind is available.
    let available: [UInt8] = [0, 5, 0, 0, 1]
    return [
      Message(RequestAccessoryWiFiConfigurationInformation.id),
      Message(CarPlayAvailability.id, [(0, available), (1, available)]),
      Message(StartVehicleStatusUpdates.id, [(3, []), (4, []), (6, [])]),
      Message(StartLocationInformation.id, [(1, []), (2, [])]),
      Message(StartExternalAccessoryProtocolSession.id, [(0, [1]), (1, [0, 1])]),
    ]
  }

  /// Waits for AA04, one of these messages, or the end of the link. Returns nil for the end, and fails at AA05.
  func turning(_ ids: UInt16...) async throws(Stop) -> Message? {
    let deadline = clock.now.adding(milliseconds: timeouts.answer)
    while let observation = await next(until: deadline) {
      if observation.unit == .end || observation.packet?.isReset == true { return nil }
      for message in takeMessages() {
        if message.id == AuthenticationSucceeded.id { throw .failed("it sent AuthenticationSucceeded (AA05)") }
        if message.id == AuthenticationFailed.id || ids.contains(message.id) { return message }
      }
    }
    throw .failed("neither AA04 nor the end of the link came within \(seconds(timeouts.answer))")
  }

  func isTurnedDown() async throws(Stop) { _ = try await turning() }
}
