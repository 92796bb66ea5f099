// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography
import Testing
import WireSupport

/// Streams without pair-verify. The encrypted bytes were computed with Python's cryptography package.
@Suite struct SessionKeyTests {
  private let id = UInt64(bitPattern: -2)
  private let bytes = [UInt8](repeating: 0x77, count: 16)
  private let vector = [UInt8](repeating: 0x99, count: 16)

  private func protection(encryptsSound: Bool) throws -> StreamProtection {
    .unverified(
      try #require(SessionKey(bytes: Secret(bytes), initializationVector: vector, encryptsSound: encryptsSound)))
  }

  @Test func theScreenKeyHasTheBytesOfTheVector() throws {
    let session = try #require(SessionKey(bytes: Secret(bytes), initializationVector: vector, encryptsSound: false))
    let (key, counter) = session.screenKey(id: id)
    #expect(key.bytes == hex("f18d68e4b5e5652ebf07b559ec76254f"))
    #expect(counter.bytes == hex("f379a8beb3825d4597d26ea134c19bcd"))
    #expect(SessionKey(bytes: Secret([1]), initializationVector: vector, encryptsSound: false) == nil)
    #expect(SessionKey(bytes: Secret(bytes), initializationVector: [], encryptsSound: false) == nil)
  }

  /// The signature, which the cipher of auth-setup encrypts first, shows its key stream: AES-128 in counter mode with
  /// the key 492e914b8f18cc943bee82a035a96e1b and the counter 011573180753cc4939e6d8495025e8cd.
  @Test func authSetupHasTheKeyAndTheCounterOfTheVector() throws {
    let phone = try AuthSetupPhone { [UInt8](repeating: 0x55, count: $0) }
    var headUnit = AuthSetupHeadUnit()
    _ = try headUnit.take(phone.request) { [UInt8](repeating: 0x66, count: $0) }
    let signature = [UInt8](0..<64)
    let sent = Array(headUnit.answer(certificate: [], signature: signature).suffix(64))
    #expect(
      sent
        == hex(
          "db925574c4411f51cfe73dcfc7acc76f2c13ede8fd16d8a5387cea6db6a9630a"
            + "6f6f1482193936c4bc503357a23109dcfd04822b38d09537688b747059f52e3b"))
  }

  @Test func theCipherOfAScreenRunsOnAcrossFramesWithoutATag() throws {
    let bodies = [hex("0000000465888040"), [UInt8](0..<29), hex("0000000465888040")]
    var sealer = ScreenSealer(try protection(encryptsSound: false), id: id)
    let configuration = ScreenMessage(.configuration, body: [1, 2, 3])
    let frames = bodies.map { sealer.seal(ScreenMessage(.frame, body: $0)) }
    let encrypted = [
      "6802859d2f964f25", "611019a25857c3e819d0de66103a7724703bbef6d22108e2b361082ffb", "52b89d41b32d008e",
    ]
    #expect(frames.map { Array($0[128...]) } == encrypted.map(hex))
    #expect(frames.map { $0[0] } == [8, 29, 8], "the size of a body has no tag")
    let stream = sealer.seal(configuration) + frames.joined()
    for piece in [1, 100, stream.count] {
      var opener = ScreenOpener(try protection(encryptsSound: false), id: id)
      var read: [[UInt8]] = []
      for start in stride(from: 0, to: stream.count, by: piece) {
        opener.add(stream[start..<min(start + piece, stream.count)])
        while let message = try opener.next() { read.append(message.body) }
      }
      #expect(read == [configuration.body] + bodies)
    }
  }

  private let payload = [UInt8](0..<36)

  private func packet(_ number: UInt16, _ payload: [UInt8]) -> AudioPacket {
    AudioPacket(type: 100, sequence: number, timestamp: 480, source: 0x0102_0304, payload: payload)
  }

  @Test func clearSoundIsTheHeaderAndThePayload() throws {
    let protection = try protection(encryptsSound: false)
    var sealer = AudioSealer(protection, id: id, from: .phone)
    let bytes = sealer.seal(packet(1, payload))
    #expect(bytes == hex("80640001000001e001020304") + payload)
    var opener = AudioOpener(protection, id: id, from: .phone)
    #expect(opener.open(bytes) == packet(1, payload))
    #expect(opener.open(bytes) == packet(1, payload), "the order of packets finds the second one")
    #expect(opener.open(Array(bytes.prefix(11))) == nil && opener.droppedCount == 1)
  }

  @Test func eachPacketIsAChainOfItsOwnAndTheLastBlockStaysClear() throws {
    let protection = try protection(encryptsSound: true)
    var sealer = AudioSealer(protection, id: id, from: .headUnit)
    var opener = AudioOpener(protection, id: id, from: .headUnit)
    let encrypted = hex("fed40694cd2d5166867da451d3e184582100a1ec8911df1093d38f1b7cb1153220212223")
    for number in UInt16(0)..<2 {
      let bytes = sealer.seal(packet(number, payload))
      #expect(Array(bytes[12...]) == encrypted)
      #expect(opener.open(bytes) == packet(number, payload))
    }
    for count in 0..<34 {
      let short = Array(payload.prefix(count))
      let bytes = sealer.seal(packet(3, short))
      #expect(Array(bytes.suffix(count % 16)) == Array(short.suffix(count % 16)))
      #expect(opener.open(bytes) == packet(3, short))
    }
  }
}
