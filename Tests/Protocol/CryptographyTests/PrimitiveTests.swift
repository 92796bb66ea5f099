// swift-iap2 · Apache-2.0

import Cryptography
import Testing
import WireSupport

@Suite struct PrimitiveTests {
  /// The examples of FIPS 180 for "abc".
  @Test(arguments: [
    (HashFunction.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      .sha512,
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
  ]) func hashesHaveTheBytesOfTheStandard(function: HashFunction, digest: String) {
    #expect(function.hash([0x61, 0x62, 0x63]) == hex(digest))
    #expect(function.hash([0x61], [], [0x62, 0x63]) == hex(digest))
    var hash = Hash(function)
    hash.update([0x61, 0x62, 0x63].span)
    #expect(hash.finishSecret().bytes == hex(digest))
    #expect(function.byteCount == digest.count / 2)
  }

  /// RFC 4231, test cases 1 and 2.
  @Test func authenticationCodesHaveTheBytesOfTheRFC() {
    let key = [UInt8](repeating: 0x0B, count: 20)
    #expect(
      HashFunction.sha256.authenticationCode(of: Array("Hi There".utf8).span, key: key.span)
        == hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
    #expect(
      HashFunction.sha512.authenticationCode(
        of: Array("what do ya want for nothing?".utf8).span, key: Array("Jefe".utf8).span)
        == hex(
          "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
            + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"))
  }

  @Test func secretsAreComparedByTheirBytesAndPrintNone() {
    let (left, right) = (Secret([1, 2, 3]), Secret([1, 2, 3]))
    #expect(left == right && left.hashValue == right.hashValue)
    #expect(left != Secret([1, 2, 4]) && left != Secret([1, 2]) && Secret([]) == Secret([]))
    #expect("\(left)" == "secret of 3 bytes" && String(reflecting: left) == "secret of 3 bytes")
    var dumped = ""
    dump(left, to: &dumped)
    #expect(!dumped.contains("1"))
    #expect(SecureRandom.secret(byteCount: 32) != SecureRandom.secret(byteCount: 32))
    #expect(SecureRandom.bytes(0).isEmpty)
  }

  @Test func keysOfAWrongLengthAreErrors() throws {
    for count in [0, 16, 31, 33] {
      let bytes = [UInt8](repeating: 1, count: count)
      let wrong = CryptographyError.wrongKeyLength(found: count, needed: 32)
      #expect(throws: wrong) { try X25519PrivateKey(bytes.span) }
      #expect(throws: wrong) { try Ed25519PrivateKey(bytes.span) }
      #expect(throws: wrong) { try ChaCha20Poly1305(Secret(bytes)) }
      let key = try X25519PrivateKey([UInt8](repeating: 1, count: 32).span)
      #expect(throws: wrong) { try key.sharedSecret(with: bytes.span) }
    }
    #expect(throws: CryptographyError.wrongKeyLength(found: 15, needed: 16)) {
      try AES128Counter(Secret([UInt8](repeating: 1, count: 15)), counter: [UInt8](repeating: 1, count: 16).span)
    }
    #expect(throws: CryptographyError.wrongKeyLength(found: 17, needed: 16)) {
      try AES128BlockChain(
        Secret([UInt8](repeating: 1, count: 16)), initializationVector: [UInt8](repeating: 1, count: 17).span)
    }
    let secret: [UInt8] = [1]
    #expect(throws: CryptographyError.outputTooLong(byteCount: 255 * 64 + 1, limit: 255 * 64)) {
      try HKDF.derive(.sha512, secret: secret.span, salt: secret.span, info: secret.span, byteCount: 255 * 64 + 1)
    }
  }

  @Test func numbersComputeAsPythonDoes() {
    let (a, b) = (BigNumber(hex("00f123456789abcdef").span), BigNumber(hex("0fedcba987654321").span))
    let prime = BigNumber(hex("ffffffffffffffc5").span)
    #expect(a.bytes == hex("f123456789abcdef") && a.padded(to: 9) == hex("00f123456789abcdef"))
    #expect((a + b).bytes == hex("010111111111111110"))
    #expect((a * b).bytes == hex("0f010e8ef9c66c6312236d88fe5618cf"))
    #expect((a % b).bytes == hex("023456789abcdf00"))
    #expect(b.minus(a, modulo: prime).bytes == hex("1eca8641fdb974f7"))
    #expect(a.power(b, modulo: prime).bytes == hex("6f1bd17b8df177a2"))
    #expect(a.power(b, modulo: prime).secret.bytes == hex("6f1bd17b8df177a2"))
    let none: [UInt8] = []
    let zero = BigNumber(none.span)
    #expect(zero.isZero && zero.bytes.isEmpty && a.power(zero, modulo: prime).bytes == [1])
  }
}
