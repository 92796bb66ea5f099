// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography

/// Pair-setup and pair-verify of CarPlay sessions, both sides, beside the cryptography in them alone.
enum PairingBenchmarks {
  private static let phone = identity(1), headUnit = identity(2)
  private static var random: RandomBytes { { SecureRandom.bytes($0) } }

  private static func identity(_ number: UInt8) -> PairingIdentity {
    let name = "00000000-0000-4000-8000-00000000000\(number)"
    do { return try PairingIdentity(identifier: name, privateKey: SecureRandom.secret(byteCount: 32)) } catch {
      fatalError("\(error)")
    }
  }

  static func run() -> [Figure] {
    let (setup, bareSetup) = (Measure.rate(1, pairSetup), Measure.rate(1, powers))
    let (verify, bareVerify) = (Measure.rate(1, pairVerify), Measure.rate(1, curves))
    return [
      figure("pair-setup, both sides", setup, of: bareSetup), figure("pair-verify, both sides", verify, of: bareVerify),
    ]
  }

  private static func figure(_ name: String, _ rate: Double, of bare: Double) -> Figure {
    let milliseconds = { (rate: Double) in "\((100_000 / rate).rounded() / 100) ms" }
    return Figure(
      name: "\(name): \(milliseconds(rate)) of CPU", rate: rate, unit: "", ratio: rate / bare,
      limit: "its cryptography alone, \(milliseconds(bare))")
  }

  private static func pairSetup() {
    var (side, other) = (PairSetupHeadUnit(headUnit), PairSetupPhone(phone))
    var body = other.begin()
    do {
      while case .send(let next) = try other.take(try side.answer(body, stored: { _ in nil }, random).body, random) {
        body = next
      }
    } catch { fatalError("\(error)") }
  }

  private static func pairVerify() {
    var side = PairVerifyHeadUnit(headUnit)
    var other = PairVerifyPhone(phone, headUnits: [headUnit.identifier: headUnit.publicKey])
    do {
      var body = try other.begin(random)
      while case .send(let next) = try other.take(
        try side.answer(body, stored: { $0 == phone.identifier ? phone.publicKey : nil }, random).body)
      {
        body = next
      }
    } catch { fatalError("\(error)") }
  }

  /// The prime of 3072 bits of RFC 5054 has as many bits as this odd number; a power takes as long.
  private static let modulus = BigNumber(
    ([0xFF] + SecureRandom.bytes(382) + [0xFF]).span)
  private static let base = BigNumber(SecureRandom.bytes(384).span)
  private static let small = BigNumber([5].span)
  private static let secret = BigNumber(SecureRandom.bytes(32).span)
  private static let hash = BigNumber(SecureRandom.bytes(64).span)
  private static let long = BigNumber(SecureRandom.bytes(128).span)

  /// The powers of SRP-6a: A; v twice, with a hash as the exponent; B; the phone's key, whose exponent is a product of
  /// two hashes; and the two powers of the head unit's key. Then the signatures of both sides.
  private static func powers() {
    use(small.power(secret, modulo: modulus).isZero)
    for _ in 0..<2 { use(small.power(hash, modulo: modulus).isZero) }
    use(small.power(secret, modulo: modulus).isZero)
    use(base.power(long, modulo: modulus).isZero)
    use(base.power(hash, modulo: modulus).isZero)
    use(base.power(secret, modulo: modulus).isZero)
    signatures()
  }

  private static func signatures() {
    do {
      let message = [UInt8](repeating: 7, count: 100)
      for _ in 0..<2 {
        let key = try Ed25519PrivateKey(SecureRandom.bytes(32).span)
        let signature = key.sign(message.span)
        use(Ed25519.isValid(signature.span, of: message.span, publicKey: key.publicKey.span))
      }
    } catch { fatalError("\(error)") }
  }

  /// Two new keys, the two agreements, and the signatures of both sides.
  private static func curves() {
    do {
      let (one, other) = (
        try X25519PrivateKey(SecureRandom.bytes(32).span), try X25519PrivateKey(SecureRandom.bytes(32).span)
      )
      use(try one.sharedSecret(with: other.publicKey.span)?.byteCount)
      use(try other.sharedSecret(with: one.publicKey.span)?.byteCount)
    } catch { fatalError("\(error)") }
    signatures()
  }
}
