// swift-iap2 · Apache-2.0
import IAP2Authentication
import Testing

@Suite struct SoftwareAuthenticatorTests {
  @Test func givesTheCertificateInTheFormOfRealChips() async throws {
    let certificate = try await SoftwareAuthenticator.test.certificate()
    #expect(certificate == Fixtures.container)
    #expect(certificate.prefix(2) == [0x30, 0x82])
    #expect(certificate[4..<15] == [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02])
  }

  @Test func signsWhatTheVerifierAccepts() async throws {
    let certificate = try await SoftwareAuthenticator.test.certificate()
    for first in UInt8(0)..<20 {
      let challenge = [first] + Fixtures.challenge.dropFirst()
      let response = try await SoftwareAuthenticator.test.sign(challenge: challenge)
      #expect(response.count == 64)
      try AuthenticationVerifier.test.verify(response: response, challenge: challenge, certificate: certificate)
    }
  }

  @Test(arguments: [0, 20, 31, 33, 64]) func refusesOtherChallenges(count: Int) async {
    await #expect(throws: AuthenticationError.unusableChallenge(byteCount: count)) {
      try await SoftwareAuthenticator.test.sign(challenge: [UInt8](repeating: 1, count: count))
    }
  }

  @Test func givesTheSerialNumberAsText() async throws {
    let serial = try await SoftwareAuthenticator.test.serialNumber()
    #expect(String(decoding: serial, as: UTF8.self) == "1A9200000000000000000000000000A1")
  }

  @Test func takesTheCertificateInEveryForm() async throws {
    let bare = Fixtures.bareCertificate
    let forms = [Fixtures.container, bare, pem("PKCS7", Fixtures.container), pem("CERTIFICATE", bare)]
    for form in forms {
      let accessory = try SoftwareAuthenticator(certificatePEMOrDER: form, privateKeyPEM: Fixtures.sec1Key)
      #expect(try await accessory.certificate() == Fixtures.container)
      let response = try await accessory.sign(challenge: Fixtures.challenge)
      try AuthenticationVerifier.test.verify(
        response: response, challenge: Fixtures.challenge, certificate: Fixtures.container)
    }
  }

  @Test func refusesAKeyOfAnotherCertificate() {
    #expect(throws: AuthenticationError.keyDoesNotMatchCertificate) {
      try SoftwareAuthenticator(certificatePEMOrDER: Fixtures.container, privateKeyPEM: Fixtures.otherKey)
    }
  }

  @Test func refusesOtherKindsOfKeys() {
    for container in [Fixtures.rsa1024Container, Fixtures.rsa2048Container, Array(Fixtures.p384Certificate.utf8)] {
      #expect(throws: AuthenticationError.unsupportedKey) {
        try SoftwareAuthenticator(certificatePEMOrDER: container, privateKeyPEM: Fixtures.sec1Key)
      }
    }
    #expect(throws: AuthenticationError.unsupportedKey) {
      try SoftwareAuthenticator(certificatePEMOrDER: Fixtures.container, privateKeyPEM: Fixtures.p384Key)
    }
  }

  @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
  func refusesMalformedKeys(text: String) {
    #expect(throws: AuthenticationError.malformedKey) {
      try SoftwareAuthenticator(certificatePEMOrDER: Fixtures.container, privateKeyPEM: text)
    }
  }

  @Test(arguments: [[], [0x30], [0xFF, 0xFE], Array("no certificate".utf8), [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]])
  func refusesMalformedCertificates(bytes: [UInt8]) {
    #expect(throws: AuthenticationError.malformedCertificate) {
      try SoftwareAuthenticator(certificatePEMOrDER: bytes, privateKeyPEM: Fixtures.sec1Key)
    }
  }

  private func pem(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    Array("-----BEGIN \(name)-----\n\(Fixtures.base64(bytes))\n-----END \(name)-----\n".utf8)
  }
}
