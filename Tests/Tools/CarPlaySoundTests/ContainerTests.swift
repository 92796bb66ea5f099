// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing

@testable import CarPlaySound

/// The forms in which a program reads and writes packets.
@Suite struct ContainerTests {
  /// Reads a stream in parts of a size.
  private func pieces(
    _ bytes: [UInt8], _ reader: some PieceReader, by size: Int = .max
  ) throws(SoundProblem) -> [[UInt8]] {
    var reader = reader
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      pieces += try reader.pieces(in: rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    return pieces
  }

  private static let units: [[UInt8]] = [1, 2, 250, 1000, ADTS.maximumUnitByteCount].map { count in
    (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ count) }
  }

  private static func adts(_ units: [[UInt8]]) throws -> [UInt8] {
    try units.flatMap { try #require(ADTS.frame($0, rate: 48_000, channels: 2)) }
  }

  @Test func `units of AAC come out of their frames in parts of any size`() throws {
    let stream = try Self.adts(Self.units)
    for size in [6, 7, 8, 1000, .max] { #expect(try pieces(stream, ADTSReader(), by: size) == Self.units) }
    // A frame with a checksum has two more bytes.
    #expect(try pieces([0xFF, 0xF0, 0x4C, 0x80, 1, 0x5F, 0xFC, 9, 9, 7], ADTSReader()) == [[7]])
  }

  @Test func `a unit that is too large has no frame`() {
    let unit = [UInt8](repeating: 0, count: ADTS.maximumUnitByteCount + 1)
    #expect(ADTS.frame(unit, rate: 48_000, channels: 2) == nil)
    #expect(ADTS.frame([1], rate: 47_999, channels: 2) == nil)
  }

  @Test func `a stream without headers of ADTS is refused`() throws {
    let stream = try Self.adts([[1, 2, 3]])
    // The sync word, several units, and a length without a unit.
    for change in [(0, 0xFE), (1, 0xE1), (6, 0xFD), (4, 0)] as [(Int, UInt8)] {
      var stream = stream
      stream[change.0] = change.1
      #expect(throws: SoundProblem.self, "\(change)") { try pieces(stream, ADTSReader()) }
    }
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = try? pieces(bytes, ADTSReader())
      _ = try? pieces([0xFF, 0xF1] + bytes, ADTSReader(), by: 3)
    }
  }

  private static let packets: [[UInt8]] = [0, 1, 254, 255, 256, 510, 1000, Ogg.maximumPacketByteCount].map { count in
    (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ count) }
  }

  private static func ogg(_ packets: [[UInt8]]) -> [UInt8] {
    var writer = OggWriter()
    return packets.enumerated().flatMap { writer.page($1, end: 960 * $0) }
  }

  @Test func `packets come out of their pages in parts of any size`() throws {
    let stream = Self.ogg(Self.packets)
    for size in [1000, .max] { #expect(try pieces(stream, OggReader(), by: size) == Self.packets) }
    let short = Array(Self.packets.dropLast())
    for size in [1, 27, 28] { #expect(try pieces(Self.ogg(short), OggReader(), by: size) == short) }
  }

  @Test func `a packet may continue on the next page`() throws {
    func page(_ mark: UInt8, _ sizes: [UInt8], _ body: [UInt8]) -> [UInt8] {
      var page = Ogg.pattern + [0, mark] + [UInt8](repeating: 0, count: 20) + [UInt8(sizes.count)] + sizes + body
      page.replaceSubrange(Ogg.checksum, with: Ogg.sum(of: page).littleEndianBytes)
      return page
    }
    let long = [UInt8](repeating: 7, count: 255)
    let stream = page(2, [1, 255], [5] + long) + page(1, [2, 1], [8, 9, 6])
    #expect(try pieces(stream, OggReader()) == [[5], long + [8, 9], [6]])
    #expect(throws: SoundProblem.self) { try pieces(page(1, [1], [5]), OggReader()) }
    #expect(throws: SoundProblem.self) { try pieces(page(2, [255], long) + page(0, [1], [5]), OggReader()) }
    // A packet without an end does not fill the memory.
    let endless = page(1, [UInt8](repeating: 255, count: 255), [UInt8](repeating: 0, count: 255 * 255))
    #expect(throws: SoundProblem.self) { try pieces(page(2, [255], long) + endless + endless, OggReader()) }
  }

  @Test func `each changed byte of a page is found`() {
    let stream = Self.ogg([[1, 2, 3]])
    for index in stream.indices {
      for bit in 0..<8 {
        var stream = stream
        stream[index] ^= 1 << bit
        let read = try? pieces(stream, OggReader())
        // A page that seems longer is waited for.
        #expect(read == nil || read == [], "\(index) \(bit)")
      }
    }
  }

  @Test func `the output of an encoder of OPUS begins with two headers`() throws {
    let format = try #require(codedFormats.first { $0.codec == .opus })
    let headers = OpusPacket.headers(of: format)
    #expect(try pieces(Self.ogg(headers + [[1], [2]]), OpusReader(), by: 30) == [[1], [2]])
    #expect(throws: SoundProblem.self) { try pieces(Self.ogg([[1], [2]]), OpusReader()) }
    #expect(throws: SoundProblem.self) { try pieces(Self.ogg([headers[0], [2]]), OpusReader()) }
  }

  @Test func `bytes that are no packet of OPUS are refused`() {
    // No bytes; no number of frames; no frames; seven frames of 20 ms; too many bytes.
    let wrong: [[UInt8]] = [[], [3], [0xF8 | 3, 0], [0xF8 | 3, 7], [UInt8](repeating: 0, count: 8193)]
    for bytes in wrong { #expect(throws: SoundProblem.self, "\(bytes.prefix(2))") { try OpusPacket(bytes) } }
  }

  @Test func `a lost packet of OPUS is replaced by one as long`() throws {
    for first in 0...UInt8.max {
      guard let packet = try? OpusPacket([first, 1, 0]) else { continue }
      #expect(try OpusPacket(packet.lost).duration == packet.duration, "\(first)")
    }
  }
}

/// The forms of sound as ffmpeg's tools see them.
@Suite(.enabled(if: FFmpeg.isThere, "ffmpeg is not installed")) struct JudgedContainerTests {
  @Test(arguments: codedFormats) func `ffprobe reads the packets for a decoder`(_ format: AudioFormat) async throws {
    let packets = try await encoded(Array(chord(format).prefix(format.rate * format.channels / 5)), format)
    var feed = try PacketFeed(format)
    var stream = feed.lead().bytes
    for packet in packets { stream += try feed.bytes(of: packet, at: nil) }
    let probe = try FFmpeg.probe(stream, format.codec == .opus ? "ogg" : "aac")
    let found = try #require(probe.streams.first)
    #expect(probe.streams.count == 1 && found.channels == format.channels)
    // ffmpeg decodes OPUS at 48 kHz, whatever the rate of its source.
    #expect(found.sampleRate == (format.codec == .opus ? "48000" : "\(format.rate)"))
    #expect(found.codecName == (format.codec == .opus ? "opus" : "aac"))
    if format.codec == .aacLC { #expect(found.profile == "LC") }
    let sizes = probe.packets.map { Int($0.size) ?? 0 }
    let added = format.codec == .opus ? 0 : ADTS.headerByteCount
    #expect(sizes.dropFirst() == packets.map { $0.count + added }[...])
    let duration = Double(SoundEncoder.framesPerPacket(of: format)) / Double(format.rate)
    for packet in probe.packets.dropFirst() {
      #expect(abs((Double(packet.durationTime ?? "") ?? 0) - duration) < 0.0001)
    }
  }

  @Test func `durations of OPUS are those that ffprobe reads`() throws {
    var feed = try PacketFeed(#require(codedFormats.last))
    var stream = feed.lead().bytes
    var durations: [Int] = []
    // All modes with one frame, two frames and three.
    for mode in UInt8(0)..<32 {
      for packet in [[mode << 3, 1], [mode << 3 | 1, 1, 1], [mode << 3 | 3, 2, 1, 1]] as [[UInt8]] {
        stream += try feed.bytes(of: packet, at: nil)
        durations.append(try OpusPacket(packet).duration)
      }
    }
    let found = try FFmpeg.probe(stream, "ogg").packets.dropFirst().map { Double($0.durationTime ?? "") ?? 0 }
    #expect(found.map { Int(($0 * 48_000).rounded()) } == durations)
  }
}
