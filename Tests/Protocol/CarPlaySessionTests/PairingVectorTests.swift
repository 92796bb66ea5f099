// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import Testing
import WireSupport

/// Bytes that Python's cryptography package computed from fixed keys (CarPlaySession.md#pair-setup), checked with
/// pyatv, srptools and the vector that Apple published with the HomeKit ADK.
@Suite struct PairingVectorTests {
  static let phone = identity("11111111-2222-3333-4444-555555555555", 0x33)
  static let headUnit = identity("66666666-7777-8888-9999-AAAAAAAAAAAA", 0x44)

  private static func identity(_ name: String, _ byte: UInt8) -> PairingIdentity {
    do { return try PairingIdentity(identifier: name, privateKey: Secret([UInt8](repeating: byte, count: 32))) } catch {
      preconditionFailure("\(error)")
    }
  }

  /// The random bytes of the vectors: the salt counts up, and each private key repeats one byte.
  private func random(_ byte: UInt8) -> RandomBytes {
    { $0 == 16 ? (0..<16).map { UInt8($0) } : [UInt8](repeating: byte, count: $0) }
  }

  private func sha256(_ bytes: [UInt8]) -> [UInt8] { HashFunction.sha256.hash(bytes) }

  @Test func longTermKeys() {
    #expect(Self.phone.publicKey == hex("17cb79fb2b4120f2b1ec65e4198d6e08b28e813feb01e4a400839b85e18080ce"))
    #expect(Self.headUnit.publicKey == hex("d759793bbc13a2819a827c76adb6fba8a49aee007f49f2d0992d99b825ad2c48"))
  }

  @Test func pairSetupHasTheBytesOfTheVectors() throws {
    var phone = PairSetupPhone(Self.phone)
    var headUnit = PairSetupHeadUnit(Self.headUnit)
    let first = phone.begin()
    #expect(first == hex("000100060101"))
    let second = try headUnit.answer(first, random(0x22)).body
    let keys = try TLV8(bytes: second)
    #expect(keys.items.map(\.type) == [6, 3, 2])
    #expect(
      sha256(keys[.publicKey] ?? []) == hex("c920cc8cf4e76fd716b36c3766dd515c5444d4edcfd674fa70475f59eccd7fb6"))
    guard case .send(let third) = try phone.take(second, random(0x11)) else { return #expect(Bool(false)) }
    let proof = try TLV8(bytes: third)
    #expect(proof.items.map(\.type) == [6, 3, 4])
    #expect(
      sha256(proof[.publicKey] ?? []) == hex("554d1db9c9d367c73c139993a6aec6bc5f4d7ab233f954bb85067f7fdee8c4b2"))
    #expect(
      proof[.proof] ?? []
        == hex(
          "31c7d6299c9df932774f39ada21317fca27f572ff43951295e2809273fc45554"
            + "64305fd502c5b9980a1598bcb4078a096d96f5ce76a51f59b6409b3808cbfa46"))
    let fourth = try headUnit.answer(third, random(0x22)).body
    #expect(
      try TLV8(bytes: fourth)[.proof] ?? []
        == hex(
          "bec54d2d6c1b56d60c425e103d3711008295f58bb9e78972740298a8c3792dab"
            + "a22a22c6f391a104a23f112333efc8432d35f12c6ebe96ca06e37e73336fd998"))
    guard case .send(let fifth) = try phone.take(fourth, random(0x11)) else { return #expect(Bool(false)) }
    #expect(fifth.count == 159)
    #expect(sha256(fifth) == hex("ff3f9fd112084ad50157fd48f21c33bce4a54cbb892fb42ba9f763868db0265d"))
    let sixth = try headUnit.answer(fifth, random(0x22))
    #expect(sixth.body.count == 159)
    #expect(sha256(sixth.body) == hex("74153e71dc8bbac63e41d5901aedff2ab85053671026bacb6052928490f008f0"))
    #expect(sixth.result == PairedPeer(identifier: Self.phone.identifier, publicKey: Self.phone.publicKey))
    #expect(
      try phone.take(sixth.body, random(0))
        == .paired(PairedPeer(identifier: Self.headUnit.identifier, publicKey: Self.headUnit.publicKey)))
  }

  @Test func pairVerifyHasTheBytesOfTheVectors() throws {
    let known = PairedPeer(identifier: Self.headUnit.identifier, publicKey: Self.headUnit.publicKey)
    var phone = PairVerifyPhone(Self.phone, headUnits: [known.identifier: known.publicKey])
    var headUnit = PairVerifyHeadUnit(Self.headUnit)
    let stored: (String) -> [UInt8]? = { $0 == Self.phone.identifier ? Self.phone.publicKey : nil }
    let first = try phone.begin(random(0x55))
    #expect(first == hex("060101032038ab664bd86f77d7e66bdd9ae0792913a94fd8b33a1260027e4b46c1f4884c67"))
    let second = try headUnit.answer(first, stored: stored, random(0x66)).body
    #expect(second.count == 159)
    #expect(sha256(second) == hex("04009f08097fbb60a382a06ef64110d511ba7d8f256a8c9b600a536dd284b285"))
    guard case .send(let third) = try phone.take(second) else { return #expect(Bool(false)) }
    #expect(third.count == 125)
    #expect(sha256(third) == hex("e8b355d27b66ae07b368ad743dbb89eaf55c19ebfab4bd95ea2a87949f4674e2"))
    let fourth = try headUnit.answer(third, stored: stored, random(0x66))
    #expect(fourth.body == hex("060104"))
    let verified = try #require(fourth.result)
    #expect(verified.secret.bytes == hex("559ed2171b98fa0c0f417b78b5c5a43e971990d7605860038d940284d3245142"))
    #expect(verified.peer.identifier == Self.phone.identifier)
    #expect(try phone.take(fourth.body) == .verified(VerifiedPeer(peer: known, secret: verified.secret)))
    try keysAndFrames(verified.secret)
  }

  private func keysAndFrames(_ secret: Secret) throws {
    let control = ChannelKeys.control(secret)
    #expect(control.phone.bytes == hex("4d46e7880dc77c9666c6479a9836c7ea77cebd73ab3a058db7f6be9acd258507"))
    #expect(control.headUnit.bytes == hex("6348853961459d78ac8a54ef99d4e3e3e561f352382522d2732b4022b1d17ddd"))
    let events = ChannelKeys.events(secret)
    #expect(events.headUnit.bytes == hex("ab8d9441485382939e935122ee531968a6b0c0bc9b93d733808794eb8201b966"))
    #expect(events.phone.bytes == hex("38ec77edf90c98b7a48c7d046f3df73526457350ff39b85168588ac800e0b4bc"))
    let stream = ChannelKeys.stream(secret, id: UInt64(bitPattern: -2))
    #expect(stream.phone.bytes == hex("397f5cec8fa80be7121b0a782934246434cd506e3c0652bb2654b41755098c55"))
    #expect(stream.headUnit.bytes == hex("059c24c25df27e64deff33c258cf1f093dc322012bafc5f44c2e146806ec6ab5"))
    var sealer = FrameSealer(key: control.phone)
    let frame = sealer.seal(Array("GET /info RTSP/1.0\r\nCSeq: 5\r\n\r\n".utf8))
    #expect(
      frame
        == hex(
          "1f00d2b655a1f6464f9f6667b215876bee8cd3f61e1300acf804f2df0708d223"
            + "d3e1b03ed3aa456de06fde3e111a7baf5c"))
  }
}
