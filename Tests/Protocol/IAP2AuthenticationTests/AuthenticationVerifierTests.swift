// swift-iap2 · Apache-2.0
import IAP2Authentication
import Testing

@Suite struct AuthenticationVerifierTests {
  private let challenge = Fixtures.challenge

  @Test func acceptsASignatureMadeElsewhere() throws {
    for certificate in [Fixtures.container, Fixtures.bareCertificate] {
      #expect(try AuthenticationVerifier.test.challengeByteCount(for: certificate) == 32)
      try AuthenticationVerifier.test.verify(
        response: Fixtures.signature, challenge: challenge, certificate: certificate)
    }
  }

  @Test func refusesEveryAlteredBitOfTheSignature() {
    for bit in 0..<512 {
      var response = Fixtures.signature
      response[bit / 8] ^= 1 << UInt8(bit % 8)
      expect(.wrongSignature, response: response)
    }
  }

  @Test func refusesSpecialValuesInTheSignature() {
    expect(.wrongSignature, response: [UInt8](repeating: 0, count: 64))
    expect(.wrongSignature, response: [UInt8](repeating: 0xFF, count: 64))
    expect(.wrongSignature, response: Fixtures.signature.prefix(32) + [UInt8](repeating: 0, count: 32))
  }

  @Test(arguments: [0, 1, 63, 65, 70, 128]) func refusesOtherLengths(count: Int) {
    expect(.wrongResponseLength(found: count), response: [UInt8](repeating: 1, count: count))
  }

  @Test func refusesAnotherChallenge() {
    #expect(throws: AuthenticationError.wrongSignature) {
      try AuthenticationVerifier.test.verify(
        response: Fixtures.signature, challenge: challenge.reversed(), certificate: Fixtures.container)
    }
    #expect(throws: AuthenticationError.unusableChallenge(byteCount: 20)) {
      try AuthenticationVerifier.test.verify(
        response: Fixtures.signature, challenge: [UInt8](0..<20), certificate: Fixtures.container)
    }
  }

  @Test func trustsOnlyTheAuthorityGiven() async throws {
    let other = try SoftwareAuthenticator(
      certificatePEMOrDER: Array(Fixtures.otherCertificate.utf8), privateKeyPEM: Fixtures.otherKey)
    let certificate = try await other.certificate()
    let response = try await other.sign(challenge: challenge)
    let verifier = try AuthenticationVerifier(certificateAuthorityPEM: Fixtures.otherAuthority)
    #expect(try verifier.challengeByteCount(for: certificate) == 32)
    try verifier.verify(response: response, challenge: challenge, certificate: certificate)

    #expect(throws: AuthenticationError.untrustedCertificate) {
      try AuthenticationVerifier.test.challengeByteCount(for: certificate)
    }
    #expect(throws: AuthenticationError.untrustedCertificate) {
      try AuthenticationVerifier.test.verify(response: response, challenge: challenge, certificate: certificate)
    }
    #expect(throws: AuthenticationError.untrustedCertificate) {
      try verifier.challengeByteCount(for: Fixtures.container)
    }
  }

  @Test func readsSeveralAuthoritiesBetweenOtherText() throws {
    let text = "# the first\r\n" + Fixtures.p384Certificate + "\n\n# the second\n" + Fixtures.otherAuthority + "\n"
    let verifier = try AuthenticationVerifier(certificateAuthorityPEM: text)
    #expect(try verifier.challengeByteCount(for: Fixtures.der(Fixtures.otherCertificate)) == 32)
    #expect(throws: AuthenticationError.untrustedCertificate) {
      try verifier.challengeByteCount(for: Fixtures.container)
    }
  }

  @Test func readsAuthoritiesWithOtherLineEnds() throws {
    let text = Fixtures.otherAuthority.split(separator: "\n").joined(separator: "\r\n") + "\r\n"
    let verifier = try AuthenticationVerifier(certificateAuthorityPEM: text)
    #expect(try verifier.challengeByteCount(for: Fixtures.der(Fixtures.otherCertificate)) == 32)
  }

  @Test(
    arguments: ["", "no authority", Fixtures.otherKey, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
  func refusesMalformedAuthorities(text: String) {
    #expect(throws: AuthenticationError.malformedCertificateAuthority) {
      try AuthenticationVerifier(certificateAuthorityPEM: text)
    }
  }

  @Test func onlyTheAnyVerifierAcceptsOldChips() throws {
    #expect(try AuthenticationVerifier.any.challengeByteCount(for: Fixtures.rsa1024Container) == 20)
    #expect(throws: AuthenticationError.unsupportedKey) {
      try AuthenticationVerifier.test.challengeByteCount(for: Fixtures.rsa1024Container)
    }
    try AuthenticationVerifier.any.verify(
      response: [UInt8](repeating: 7, count: 128), challenge: [UInt8](0..<20), certificate: Fixtures.rsa1024Container)
    #expect(try AuthenticationVerifier.any.challengeByteCount(for: Fixtures.rsa2048Container) == 32)
    #expect(throws: AuthenticationError.unsupportedKey) {
      try AuthenticationVerifier.test.challengeByteCount(for: Fixtures.rsa2048Container)
    }
  }

  @Test func trustsACertificateThatAnRSAAuthorityIssued() throws {
    let verifier = try AuthenticationVerifier(certificateAuthorityPEM: Fixtures.rsaAuthority)
    var certificate = Fixtures.der(Fixtures.certificateOfRSAAuthority)
    #expect(try verifier.challengeByteCount(for: certificate) == 32)
    certificate[certificate.count - 1] ^= 1
    #expect(throws: AuthenticationError.untrustedCertificate) {
      try verifier.challengeByteCount(for: certificate)
    }
  }

  @Test func anyAcceptsEveryCertificate() throws {
    let zeros = [UInt8](repeating: 0, count: 70_000)
    for garbage in [[], [0x30], [1, 2, 3], [UInt8](repeating: 0x30, count: 5_000), zeros] {
      #expect(try AuthenticationVerifier.any.challengeByteCount(for: garbage) == 32)
      try AuthenticationVerifier.any.verify(response: garbage, challenge: garbage, certificate: garbage)
    }
  }

  @Test func namesTheFaultOfACertificate() {
    expect(.malformedCertificate, certificate: [])
    expect(.malformedCertificate, certificate: [UInt8](repeating: 0x30, count: 5_000))
    expect(.malformedCertificate, certificate: Fixtures.container + [0])
    expect(.certificateTooLong(byteCount: 65_001), certificate: [UInt8](repeating: 0, count: 65_001))
    expect(.wrongCertificateCount(found: 2), certificate: Fixtures.twoCertificates)
    expect(.unsupportedKey, certificate: Fixtures.der(Fixtures.p384Certificate))
    expect(.unsupportedKey, certificate: Fixtures.der(Fixtures.explicitCurveCertificate))
  }

  private func expect(_ error: AuthenticationError, response: some Sequence<UInt8>) {
    #expect(throws: error) {
      try AuthenticationVerifier.test.verify(
        response: Array(response), challenge: challenge, certificate: Fixtures.container)
    }
  }

  private func expect(_ error: AuthenticationError, certificate: [UInt8]) {
    #expect(throws: error) { try AuthenticationVerifier.test.challengeByteCount(for: certificate) }
    #expect(throws: error) {
      try AuthenticationVerifier.test.verify(
        response: Fixtures.signature, challenge: challenge, certificate: certificate)
    }
  }
}
