// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Cryptography
import Testing
import WireSupport

@Suite struct BufferedAudioTests {
  private let key = Secret(hex("397f5cec8fa80be7121b0a782934246434cd506e3c0652bb2654b41755098c55"))

  private func packet(_ number: UInt16, payload: [UInt8] = [0, 1, 0xFF, 0xFE]) -> AudioPacket {
    AudioPacket(type: 100, sequence: number, timestamp: 480, source: 0x0102_0304, payload: payload)
  }

  @Test func aFrameIsThePacketOfTheVectorBehindItsLength() throws {
    // The sealed packet of StreamTests, which Python's cryptography package computed.
    let sealed = hex("80640001000001e001020304d7a0c262a6d7330d30eacbbe4e30ae1eff9b8f3c0000000000000000")
    var sealer = BufferedAudioSealer(key: key)
    #expect(try sealer.seal(packet(1)) == [0, UInt8(sealed.count + 2)] + sealed)
    var opener = BufferedAudioOpener(key: key)
    opener.add([0, 42] + sealed)
    #expect(try opener.next() == packet(1) && opener.count == 1)
  }

  @Test func framesComeBackHoweverTheyAreCut() throws {
    var sealer = BufferedAudioSealer(key: key)
    let packets = [0, 1, 300, BufferedAudioSealer.maximumPayloadByteCount].enumerated().map {
      packet(UInt16($0), payload: [UInt8](repeating: 8, count: $1))
    }
    let bytes = try packets.flatMap { try sealer.seal($0) }
    for piece in [1, 37, 1000, bytes.count] {
      var opener = BufferedAudioOpener(key: key)
      var read: [AudioPacket] = []
      for start in stride(from: 0, to: bytes.count, by: piece) {
        opener.add(bytes[start..<min(start + piece, bytes.count)])
        while let packet = try opener.next() { read.append(packet) }
      }
      #expect(read == packets)
    }
    let most = BufferedAudioSealer.maximumPayloadByteCount
    #expect(throws: BufferedAudioProblem.payloadTooLong(most + 1)) {
      try sealer.seal(packet(9, payload: [UInt8](repeating: 0, count: most + 1)))
    }
    #expect(sealer.count == 4)
  }

  @Test func aWrongFrameEndsTheStream() throws {
    var sealer = BufferedAudioSealer(key: key)
    let (first, second) = (try sealer.seal(packet(1)), try sealer.seal(packet(2)))
    var changed = second
    changed[20] ^= 1
    for (bytes, problem) in [
      (first + first, BufferedAudioProblem.wrongPacket(1)), (first + changed, .wrongPacket(1)),
      // The second packet arrives before the first one.
      (second + first, .wrongPacket(1)),
      ([0, 37], .tooShort(37)),
      ([0, 0], .tooShort(0)), ([0, 38] + [UInt8](repeating: 0, count: 36), .wrongPacket(0)),
    ] {
      var opener = BufferedAudioOpener(key: key)
      opener.add(bytes)
      #expect(throws: problem) { while try opener.next() != nil {} }
    }
    var random = SeededGenerator(seed: 6)
    for _ in 0..<3000 {
      var opener = BufferedAudioOpener(key: key)
      opener.add(random.damaged(first + second))
      while (try? opener.next()) != nil {}
    }
  }
}
