// swift-iap2 · Apache-2.0

import CarPlaySession
import Foundation
import Testing

@testable import CarPlaySound

/// Sound through the program in both directions.
@Suite(.enabled(if: FFmpeg.isThere, "ffmpeg is not installed")) struct RoundTripTests {
  /// Decodes packets, and returns the samples.
  private func decoded(
    _ format: AudioFormat, _ packets: [(bytes: [UInt8], time: UInt32?)]
  ) async throws -> [Int16] {
    let received = Received()
    let decoder = try SoundDecoder(format, onSound: received.take, onEnd: received.end)
    for packet in packets { try decoder.write(packet.bytes, at: packet.time) }
    decoder.finish()
    #expect(try await received.problem() == nil)
    return samples(received.bytes)
  }

  private func timed(_ packets: [[UInt8]], _ format: AudioFormat, from start: UInt32) -> [([UInt8], UInt32?)] {
    let count = SoundEncoder.framesPerPacket(of: format)
    return packets.enumerated().map { ($1, start &+ UInt32($0 * count)) }
  }

  @Test func `all formats of both codecs are offered`() {
    #expect(
      codedFormats.map(\.description) == [
        "aac-lc/44100/16/2", "aac-lc/48000/16/2", "opus/16000/16/1", "opus/24000/16/1", "opus/48000/16/1",
      ])
    for format in AudioFormat.all where !SoundProgram.codecs.contains(format.codec) {
      #expect(throws: SoundProblem.format(format)) { try SoundEncoder(format, onPacket: { _ in }, onEnd: { _ in }) }
      #expect(throws: SoundProblem.format(format)) { try SoundDecoder(format, onSound: { _ in }, onEnd: { _ in }) }
    }
  }

  @Test func `the program has both codecs in both directions`() throws {
    for codec in SoundProgram.codecs {
      for direction in [SoundProgram.Direction.encoding, .decoding] { try SoundProgram.ffmpeg.check(codec, direction) }
    }
  }

  @Test(arguments: codedFormats) func `the sound comes back after the delay of the encoder`(
    _ format: AudioFormat
  ) async throws {
    let original = chord(format)
    let packets = try await encoded(original, format)
    let frameCount = SoundEncoder.framesPerPacket(of: format)
    let late = delay(format)
    #expect(packets.count == (original.count / format.channels + late + frameCount - 1) / frameCount)
    let heard = try await decoded(format, packets.map { ($0, nil) })
    try #require(heard.count == packets.count * frameCount * format.channels)
    let ratio = signalToNoise(heard, original, delay: late * format.channels, 0..<original.count)
    #expect(ratio > 15, "\(format): \(ratio) dB")
  }

  @Test(arguments: codedFormats) func `lost and damaged packets do not shift the sound behind them`(
    _ format: AudioFormat
  ) async throws {
    let original = chord(format)
    let packets = try await encoded(original, format)
    let frameCount = SoundEncoder.framesPerPacket(of: format)
    // The time wraps inside the hole.
    let start = 0 &- UInt32(11 * frameCount)
    var sent = timed(packets, format, from: start)
    // In the place of packet 20 are bytes that no decoder takes. Packets 10 to 12 and 30 are lost.
    sent[20].0 = format.codec == .opus ? [0xFF, 0xFF, 1] : [UInt8](repeating: 0xFF, count: 300)
    sent.remove(at: 30)
    sent.removeSubrange(10...12)
    let received = Received()
    let decoder = try SoundDecoder(format, onSound: received.take, onEnd: received.end)
    for (bytes, time) in sent {
      // A packet of OPUS whose first bytes are impossible is refused; one of AAC is found by the decoder.
      let isTaken = try decoder.takes(bytes, at: time)
      #expect(isTaken || format.codec == .opus && bytes.count == 3)
    }
    decoder.finish()
    #expect(try await received.problem() == nil)
    let heard = samples(received.bytes)
    try #require(heard.count == packets.count * frameCount * format.channels)
    func ratio(_ packets: Range<Int>) -> Double {
      let places =
        (packets.lowerBound * frameCount * format.channels)..<(packets.upperBound * frameCount * format.channels)
      return signalToNoise(heard, original, delay: delay(format) * format.channels, places)
    }
    // A decoder of OPUS needs some packets until it is itself again.
    for range in [1..<8, 16..<18, 25..<28, 40..<50] {
      #expect(ratio(range) > 10, "\(format), packets \(range): \(ratio(range)) dB")
    }
  }

  @Test(arguments: codedFormats) func `a time far away or in the past begins anew`(_ format: AudioFormat) async throws {
    let packets = Array(try await encoded(chord(format), format).prefix(9))
    let frameCount = SoundEncoder.framesPerPacket(of: format)
    var sent = timed(Array(packets.prefix(3)), format, from: 7)
    sent += timed(Array(packets[3..<6]), format, from: UInt32(10 * format.rate))
    sent += timed(Array(packets[6..<9]), format, from: 0)
    let heard = try await decoded(format, sent.map { ($0.0, $0.1) })
    #expect(heard.count == 9 * frameCount * format.channels)
  }

  @Test func `times that are no whole number of packets apart do not add up`() throws {
    var feed = try PacketFeed(#require(codedFormats.first))
    _ = feed.lead()
    var time = UInt32(5)
    var bytes = 0
    for _ in 0..<1000 {
      bytes += try feed.bytes(of: [1], at: time).count
      time += 1034
    }
    // Ten samples are missing before each packet, which are nearly ten packets of 1024.
    #expect(
      (9...10).contains((bytes - 1000 * (ADTS.headerByteCount + 1)) / (ADTS.headerByteCount + AACUnit.silence.count)))
  }

  /// The time limit of a wait is that of a very busy machine. A codec that held back more would never meet it.
  @Test(arguments: codedFormats) func `a packet comes soon after its samples and the samples after their packet`(
    _ format: AudioFormat
  ) async throws {
    let frameCount = SoundEncoder.framesPerPacket(of: format)
    let (packets, sound) = (Received(), Received())
    let encoder = try SoundEncoder(format, onPacket: packets.take, onEnd: packets.end)
    let decoder = try SoundDecoder(format, onSound: sound.take, onEnd: sound.end)
    let part = Array(bytes(chord(format)).prefix(frameCount * format.channels * 2))
    for number in 1...12 {
      try encoder.write(part)
      try await wait("packet \(number - 2)") { packets.pieces.count >= number - 2 }
    }
    let sent = packets.pieces
    for (number, packet) in sent.enumerated() {
      try decoder.write(packet)
      // A change of the rate keeps a few samples.
      try await wait("sound \(number)") { sound.bytes.count >= number * part.count + part.count * 9 / 10 }
    }
    encoder.finish()
    decoder.finish()
    #expect(try await packets.problem() == nil)
    #expect(try await sound.problem() == nil)
    #expect(packets.ends.count == 1 && sound.ends.count == 1)
  }

  @Test(arguments: codedFormats) func `sound without samples ends without a packet`(_ format: AudioFormat) async throws
  {
    #expect(try await encoded([], format).isEmpty)
    #expect(try await decoded(format, []).isEmpty)
  }

  @Test(arguments: codedFormats) func `hostile packets do not end the decoder`(_ format: AudioFormat) async throws {
    let good = try await encoded(chord(format), format)
    let received = Received()
    let decoder = try SoundDecoder(format, onSound: received.take, onEnd: received.end)
    var seed = UInt64(1)
    for number in 0..<200 {
      let packet = (0..<1 + number * 3).map { _ in
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(seed >> 56)
      }
      _ = try decoder.takes(packet)
    }
    for packet in good { try decoder.write(packet) }
    decoder.finish()
    #expect(try await received.problem() == nil)
    #expect(received.bytes.count > good.count * SoundEncoder.framesPerPacket(of: format) * format.channels)
  }
}
