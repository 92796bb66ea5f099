// swift-iap2 · Apache-2.0
import IAP2Authentication
import IAP2Faults
import Testing

/// Bytes from anywhere must end in a named error: never in a trap, never in a loop.
@Suite struct CertificateMutationTests {
  @Test func rejectsATruncationAtEveryByte() throws {
    for certificate in [Fixtures.container, Fixtures.bareCertificate, Fixtures.rsa1024Container] {
      for count in 0..<certificate.count {
        let cut = Array(certificate.prefix(count))
        #expect(throws: AuthenticationError.malformedCertificate) {
          try AuthenticationVerifier.test.challengeByteCount(for: cut)
        }
        #expect(try AuthenticationVerifier.any.challengeByteCount(for: cut) == 32)
      }
    }
  }

  @Test func survivesRandomMutations() throws {
    var random = SeededGenerator(seed: 2026)
    let originals = [Fixtures.container, Fixtures.bareCertificate, Fixtures.rsa1024Container]
    var accepted = 0
    for round in 0..<10_000 {
      var bytes = originals[round % originals.count]
      for _ in 0...Int.random(in: 0..<4, using: &random) { mutate(&bytes, &random) }
      _ = try AuthenticationVerifier.any.challengeByteCount(for: bytes)
      guard (try? AuthenticationVerifier.test.challengeByteCount(for: bytes)) != nil else { continue }
      accepted += 1
      // If the changed bytes are still trusted, they contain the unchanged certificate.
      #expect(Fixtures.contains(bytes, Fixtures.bareCertificate))
    }
    #expect(accepted < 1_000)
  }

  private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard let index = bytes.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 2: bytes.remove(at: index)
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
    default: bytes.replaceSubrange(index..., with: bytes[index...].reversed())
    }
  }
}
