// swift-iap2 · Apache-2.0

import IAP2Authentication
import Testing

@Suite struct AccessoryCertificateTests {
  @Test func readsTheValuesThatOpenSSLWrote() throws {
    for bytes in [Fixtures.container, Fixtures.bareCertificate] {
      let certificate = try AccessoryCertificate(bytes)
      #expect(certificate.subject == "CN=swift-iap2 TEST ACCESSORY,O=swift-iap2")
      #expect(certificate.issuer == "CN=swift-iap2 TEST CA - not for production,O=swift-iap2")
      #expect(certificate.serialNumber == "1A9200000000000000000000000000A1")
      #expect(certificate.byteCount == bytes.count)
      #expect(!certificate.isOldForm && certificate.challengeByteCount == 32)
      try certificate.verify(response: Fixtures.signature, challenge: Fixtures.challenge)
      #expect(throws: AuthenticationError.wrongSignature) {
        try certificate.verify(response: Fixtures.signature.reversed(), challenge: Fixtures.challenge)
      }
    }
  }

  @Test func namesAreEscapedByRFC4514() throws {
    let certificate = try AccessoryCertificate(Fixtures.der(Fixtures.certificateOfRSAAuthority))
    #expect(certificate.subject == #"CN=swift-iap2 TEST LEAF,O=café\, \"Ltd\""#)
    #expect(certificate.issuer == "CN=swift-iap2 TEST RSA CA" && certificate.serialNumber == "00A1")
  }

  @Test func readsTheOldFormWithoutVerifyingIt() throws {
    let certificate = try AccessoryCertificate(Fixtures.rsa1024Container)
    #expect(certificate.isOldForm && certificate.challengeByteCount == 20)
    #expect(throws: AuthenticationError.unsupportedKey) {
      try certificate.verify(response: [UInt8](repeating: 7, count: 128), challenge: [UInt8](0..<20))
    }
  }

  @Test func rejectsATruncationAtEveryByte() {
    for bytes in [Fixtures.container, Fixtures.bareCertificate, Fixtures.rsa1024Container] {
      for count in 0..<bytes.count {
        #expect(throws: AuthenticationError.malformedCertificate) {
          try AccessoryCertificate(Array(bytes.prefix(count)))
        }
      }
    }
  }
}
