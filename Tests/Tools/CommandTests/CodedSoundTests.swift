// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySound
import Foundation
import Glibc
import Synchronization
import Testing

@testable import CarPlayCommand

/// Sound in AAC-LC and OPUS from one command to the other.
@Suite(.ownTurn, .enabled(if: InstalledPrograms.haveFFmpeg, "ffmpeg is not installed")) struct CodedSoundTests {
  /// The tone in hertz, its amplitude, and its duration in seconds.
  private static let tone = (hertz: 1000.0, amplitude: 8000.0, seconds: 1.5)

  private static var music: Data {
    var bytes: [UInt8] = []
    for frame in 0..<Int(tone.seconds * 48_000) {
      let sample = Int16(tone.amplitude * sin(2 * .pi * tone.hertz * Double(frame) / 48_000))
      let (low, high) = (UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8))
      bytes += [low, high, low, high]
    }
    return Data(bytes)
  }

  /// Profiles of the head unit and of the phone, the file of the music, its rate and channels, and whether it is the
  /// music itself.
  private static let sessions:
    [(headUnit: String, phone: String, file: String, rate: Int, channels: Int, isPCM: Bool)] =
      [
        ("wired", "wired", "mainAudio-1.wav", 48_000, 2, true),
        ("wired", "wireless", "mainHighAudio-1.wav", 48_000, 2, false),
        ("wireless", "wireless", "mainHighAudio-1.wav", 48_000, 2, false),
        ("wireless", "wired", "mainAudio-1.wav", 48_000, 2, true),
      ]

  @Test("Music reaches the file of the head unit in the format of the connection", arguments: sessions.indices)
  func music(index: Int) async throws {
    let session = Self.sessions[index]
    try await CarPlaySessionCommandTests.inFolder { folder, environment in
      let music = Self.music
      try music.write(to: folder.appending(path: "music.pcm"))
      let headUnit = try Command(
        [
          "carplay", "headunit", "--once", "--json", "--session-profile", session.headUnit, "--audio",
          folder.appending(path: "sounds").path(), "--audio", "mix:\(folder.appending(path: "mix.wav").path())",
        ], environment: environment)
      let phone = try await Command(
        [
          "carplay", "phone", "--connect", try await CarPlaySessionCommandTests.address(of: headUnit), "--once",
          "--json", "--profile", "320,\(session.phone)", "--music", folder.appending(path: "music.pcm").path(),
        ], environment: environment
      ).finish()
      #expect(phone.status == 0, "\(phone)")
      let unit = try await headUnit.finish()
      #expect(unit.status == 0 && !unit.errors.contains("decoded"), "\(unit)")
      let wave = try Data(contentsOf: folder.appending(path: "sounds/\(session.file)"))
      #expect(wave.count > 44 && Array(wave[20..<24]) == [1, 0, UInt8(session.channels), 0])
      let bytes = Array(wave.dropFirst(44))
      if session.isPCM {
        #expect(bytes == Array(music))
      } else {
        let sound = Heard(bytes, channels: session.channels)
        // The encoder begins a unit earlier, and fills the last one.
        let length = Double(sound.samples.count) / Double(session.rate)
        #expect((Self.tone.seconds...Self.tone.seconds + 0.1).contains(length))
        let part = Array(sound.samples[session.rate / 4..<session.rate * 5 / 4])
        #expect(abs(Heard.hertz(part, rate: session.rate) - Self.tone.hertz) < 2)
        #expect(abs(Heard.level(part) / (Self.tone.amplitude / 2.0.squareRoot()) - 1) < 0.1)
      }
      // A busy machine may tear the mix.
      let mix = Heard(Array(try Data(contentsOf: folder.appending(path: "mix.wav")).dropFirst(44)), channels: 2)
      #expect(mix.samples.count { abs($0) > 100 } > 24_000)
    }
  }
}

/// Decoded sound of made-up packets at the head unit.
@Suite(.ownTurn, .enabled(if: InstalledPrograms.haveFFmpeg, "ffmpeg is not installed")) struct DecodedSoundTests {
  /// A sink that keeps content.
  private final class Kept: MediaSink {
    private let content = Mutex<[ReceivedContent]>([])
    var all: [ReceivedContent] { content.withLock { $0 } }
    var sounds: [ReceivedSound] { all.compactMap { if case .sound(let sound) = $0 { sound } else { nil } } }
    func take(_ content: ReceivedContent, at time: MonotonicTime) { self.content.withLock { $0.append(content) } }
  }

  /// A time that is far away, so that no sound is late.
  private static let start = MonotonicTime.zero.advanced(by: .seconds(1000))
  private static let formats = AudioFormat.all.filter { SoundProgram.codecs.contains($0.codec) }

  /// Returns packets with a second of a tone.
  private func packets(_ format: AudioFormat) throws -> [[UInt8]] {
    let coder = try #require(StreamEncoder.coders([format.codec]).make(format))
    coder.write(
      (0..<format.rate).flatMap { frame in
        let sample = Int16(8000 * sin(2 * .pi * 500 * Double(frame) / Double(format.rate)))
        return [[UInt8]](
          repeating: [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)], count: format.channels
        )
      }.flatMap(\.self))
    coder.finish()
    var packets: [[UInt8]] = []
    while true {
      let (more, state) = coder.takePackets()
      packets += more
      guard state == .active else { return packets }
      usleep(2000)
    }
  }

  @Test("Sound behind a pause is at its place, lost packets are filled, and all ends in order", arguments: formats)
  func places(format: AudioFormat) async throws {
    let packets = try packets(format)
    let kept = Kept()
    let decoded = DecodedSound([kept], codecs: [.aacLC, .opus])
    let count = Int64(SoundEncoder.framesPerPacket(of: format))
    func send(_ number: Int, at position: Int64, _ bytes: [UInt8]) {
      decoded.take(
        .packet(
          ReceivedPacket(
            .mainHighAudio, number: 1, format: format, position: position, start: Self.start, bytes: bytes)),
        at: .zero.advanced(by: .milliseconds(number)))
    }
    // Packets 5 and 6 are lost. A pause of ten seconds follows packet 20.
    let pause = Int64(10 * format.rate)
    for (number, bytes) in packets.enumerated() where number != 5 && number != 6 {
      send(number, at: Int64(number) * count + (number > 20 ? pause : 0), bytes)
    }
    decoded.take(.soundEnded(.mainHighAudio, number: 1), at: .zero)
    decoded.take(.sessionEnded, at: .zero)
    await decoded.close()
    #expect(Array(kept.all.suffix(2)) == [.soundEnded(.mainHighAudio, number: 1), .sessionEnded])
    #expect(kept.all.count == kept.sounds.count + 2)
    // Each part is whole, and both are where their packets were.
    var ranges: [Range<Int64>] = []
    for sound in kept.sounds.sorted(by: { $0.position < $1.position }) {
      #expect(sound.format == AudioFormat.pcm(rate: format.rate, channels: format.channels))
      #expect(sound.start == Self.start.advanced(by: DecodedSound.delay))
      let range = sound.position..<sound.position + Int64(sound.frameCount)
      if let last = ranges.last, last.upperBound == range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
      } else {
        ranges.append(range)
      }
    }
    let second = 21 * count + pause
    #expect(ranges == [0..<21 * count, second..<Int64(packets.count) * count + pause])
  }

  @Test("A packet that is none is lost, and sound of the next session does not wait for the end of the former one")
  func nextSession() async throws {
    let format = try #require(Self.formats.first { $0.codec == .opus })
    let packets = try packets(format)
    let kept = Kept()
    let decoded = DecodedSound([kept], codecs: [.opus])
    for number in 1...2 {
      for (index, bytes) in packets.enumerated() {
        decoded.take(
          .packet(
            ReceivedPacket(
              .mainAudio, number: number, format: format, position: Int64(index * format.rate / 50), start: nil,
              bytes: index == 3 ? [] : bytes)), at: .zero)
      }
      decoded.take(.soundEnded(.mainAudio, number: number), at: .zero)
      decoded.take(.sessionEnded, at: .zero)
    }
    await decoded.close()
    let ends = kept.all.filter { if case .sound = $0 { false } else { true } }
    #expect(
      ends == [
        .soundEnded(.mainAudio, number: 1), .sessionEnded, .soundEnded(.mainAudio, number: 2), .sessionEnded,
      ])
    let frames = kept.sounds.filter { $0.number == 2 }.reduce(0) { $0 + $1.frameCount }
    #expect(frames == packets.count * format.rate / 50)
  }

  @Test("Sound whose decoder is late is heard later, and with it the end of its stream")
  func lateSound() async throws {
    let format = try #require(Self.formats.first { $0.codec == .opus })
    let packets = try packets(format)
    let kept = Kept()
    let decoded = DecodedSound([kept], codecs: [.opus])
    // The first sound is due half of a second before its packet arrives.
    let time = MonotonicTime.zero.advanced(by: .milliseconds(500))
    for (index, bytes) in packets.enumerated() {
      decoded.take(
        .packet(
          ReceivedPacket(
            .mainAudio, number: 1, format: format, position: Int64(index * format.rate / 50), start: .zero,
            bytes: bytes)), at: time)
    }
    decoded.take(.soundEnded(.mainAudio, number: 1), at: time)
    await decoded.close()
    let starts = kept.sounds.map { $0.start }
    #expect(starts.allSatisfy { $0 ?? .zero >= time } && starts.first == starts.last)
    #expect(kept.all.last == .soundEnded(.mainAudio, number: 1))
  }

  @Test("The microphone is encoded whole, and silent behind its end")
  func microphone() throws {
    let packets = CodedMicrophone.packets(of: [UInt8](repeating: 0x20, count: 2 * 16_000))
    #expect(packets.keys.map(\.codec.rawValue) == ["opus", "opus", "opus"])
    for (format, packets) in packets {
      #expect(packets.count >= 16_000 / (format.rate / 50) + 10)
      #expect(packets.allSatisfy { format.frameCount(of: $0) == format.rate / 50 })
    }
  }
}

/// Sound that was heard, one channel of it.
struct Heard {
  let samples: [Double]

  init(_ bytes: [UInt8], channels: Int) {
    samples = stride(from: 0, to: bytes.count - channels * 2 + 1, by: channels * 2).map {
      Double(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
    }
  }

  /// Returns the frequency of a tone, from its zero crossings upward.
  static func hertz(_ samples: [Double], rate: Int) -> Double {
    let crossings = (1..<samples.count).filter { samples[$0 - 1] < 0 && samples[$0] >= 0 }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) * Double(rate) / Double(last - first)
  }

  /// Returns the root of the mean square.
  static func level(_ samples: [Double]) -> Double {
    (samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)).squareRoot()
  }
}

/// Programs of other packages.
enum InstalledPrograms {
  static let haveFFmpeg = SoundProgram.codecs.allSatisfy { codec in
    do throws(SoundProblem) {
      try SoundProgram.ffmpeg.check(codec, .encoding)
      try SoundProgram.ffmpeg.check(codec, .decoding)
      return true
    } catch { return false }
  }
}
