// swift-iap2 · Apache-2.0

import CarPlaySession
import Testing
import WireSupport

/// The proof of the head unit's coprocessor. The bytes were computed with Python's cryptography package: the private
/// keys repeat the bytes 0x55 and 0x66, the certificate is the word `certificate`, and the signature counts up from 0.
@Suite struct AuthSetupTests {
  private let request = "0138ab664bd86f77d7e66bdd9ae0792913a94fd8b33a1260027e4b46c1f4884c67"
  private let signature = (0..<64).map { UInt8($0) }

  private func random(_ byte: UInt8) -> RandomBytes { { [UInt8](repeating: byte, count: $0) } }

  @Test func bothSidesHaveTheBytesOfTheVector() throws {
    var phone = try AuthSetupPhone(random(0x55))
    var headUnit = AuthSetupHeadUnit()
    #expect(phone.request == hex(request))
    let signed = try headUnit.take(phone.request, random(0x66))
    #expect(
      signed
        == hex(
          "219e4d800da968d2a5fcb009c784f4746c7138edb9ee4844b739e830b05cf42438ab664bd86f77d7e66bdd9a"
            + "e0792913a94fd8b33a1260027e4b46c1f4884c67"))
    let body = headUnit.answer(certificate: Array("certificate".utf8), signature: signature)
    #expect(
      body
        == hex(
          "219e4d800da968d2a5fcb009c784f4746c7138edb9ee4844b739e830b05cf4240000000b6365727469666963"
            + "61746500000040db925574c4411f51cfe73dcfc7acc76f2c13ede8fd16d8a5387cea6db6a9630a6f6f148219"
            + "3936c4bc503357a23109dcfd04822b38d09537688b747059f52e3b"))
    let evidence = try phone.take(body)
    #expect(evidence.signature == signature && evidence.signed == signed)
    #expect(evidence.certificate == Array("certificate".utf8))
    // The session key of the oldest generation continues the same key stream.
    let key = [UInt8](repeating: 0x77, count: 16)
    let sent = try #require(phone.encrypted(sessionKey: key))
    #expect(sent == hex("6455b3560ecf8448c994461e66331506"))
    #expect(headUnit.sessionKey(sent) == key)
  }

  @Test func aBadRequestHasAReason() throws {
    let phone = try AuthSetupPhone(random(0x55))
    for body in [[], [2] + phone.request.dropFirst(), Array(phone.request.dropLast()), phone.request + [0]] {
      var headUnit = AuthSetupHeadUnit()
      #expect(throws: AuthSetupProblem.malformed) { try headUnit.take(body, random(1)) }
    }
    var headUnit = AuthSetupHeadUnit()
    #expect(throws: AuthSetupProblem.badKey) {
      try headUnit.take([1] + [UInt8](repeating: 0, count: 32), random(1))
    }
    _ = try headUnit.take(phone.request, random(1))
    #expect(throws: AuthSetupProblem.repeated) { try headUnit.take(phone.request, random(1)) }
    #expect(AuthSetupHeadUnit().sessionKey([1]) == nil && phone.encrypted(sessionKey: [1]) == nil)
  }

  @Test func anAnswerWithLyingLengthsIsRefused() throws {
    var phone = try AuthSetupPhone(random(0x55))
    var headUnit = AuthSetupHeadUnit()
    _ = try headUnit.take(phone.request, random(0x66))
    let body = headUnit.answer(certificate: [1, 2, 3], signature: signature)
    for count in 0..<body.count {
      #expect(throws: AuthSetupProblem.malformedAnswer) { try phone.take(Array(body.prefix(count))) }
    }
    var long = body
    long[32] = 0xFF
    #expect(throws: AuthSetupProblem.malformedAnswer) { try phone.take(long) }
    #expect(throws: AuthSetupProblem.malformedAnswer) { try phone.take(body + [0]) }
    #expect(try phone.take(body).signature == signature)
  }
}
