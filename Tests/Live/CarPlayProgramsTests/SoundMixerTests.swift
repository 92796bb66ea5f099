// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import Foundation
import Testing

/// The sound of a head unit as the driver hears it, by its samples.
@Suite struct SoundMixerTests {
  /// A mixer with all that it has mixed.
  private struct Mix {
    var mixer: SoundMixer
    var samples: [Int16] = []

    init(delay: Duration = .zero) { mixer = SoundMixer(delay: delay) }

    mutating func take(_ content: ReceivedContent, at milliseconds: Int) {
      add(mixer.take(content, at: SoundMixerTests.time(milliseconds)))
    }

    mutating func advance(to milliseconds: Int) { add(mixer.advance(to: SoundMixerTests.time(milliseconds))) }

    private mutating func add(_ pieces: [SoundMixer.Piece]) {
      for piece in pieces {
        switch piece {
        case .silence(let frameCount): samples += [Int16](repeating: 0, count: Int(frameCount) * 2)
        case .samples(let more):
          #expect(more.count <= 2 * 4800)
          samples += more
        }
      }
    }

    /// The samples of the left side. Both sides are equal.
    func left() throws -> [Int] {
      let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
      let right = stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
      try #require(left == right)
      return left.map { Int($0) }
    }
  }

  /// A clock that started long ago, with a fraction of a sample.
  private static func time(_ milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: 987_654_321_000_007).adding(milliseconds: milliseconds)
  }

  /// Returns mono or stereo sound with the value of each sample.
  private static func sound(
    _ values: [Int], _ type: StreamType = .mainAudio, number: Int = 1, rate: Int = 48_000, channels: Int = 2,
    bits: Int = 16, position: Int = 0, start: Int?
  ) throws -> ReceivedContent {
    let format = try #require(
      AudioFormat.all.first {
        $0.codec == .pcm && $0.rate == rate && $0.channels == channels && $0.bits == bits
      })
    let bytes = values.flatMap { value in
      [UInt8](repeating: 0, count: channels).flatMap { _ in
        (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      }
    }
    return .sound(
      ReceivedSound(
        type, number: number, format: format, position: Int64(position), start: start.map { time($0) }, samples: bytes))
  }

  private static let decibels = -20.0

  /// The volume that the protocol's page states: a line in decibels down and up again.
  private static func volume(at milliseconds: Double, down: Double, up: Double) -> Double {
    let lowered = decibels * min(1, max(0, (milliseconds - down) / 300))
    return milliseconds < up ? lowered : decibels * (1 - min(1, (milliseconds - up) / 500))
  }

  @Test("Music goes down and up on a line in decibels, and a prompt keeps its volume")
  func ducking() throws {
    var mix = Mix()
    var volume = Volume()
    // 3 s of music in pieces of 10 ms that are heard 200 ms after their arrival, and a prompt from 1.1 s to 1.4 s.
    for step in 0..<300 {
      let now = step * 10
      if now == 1000 {
        volume.duck(to: Self.decibels, duration: 300_000_000, at: Self.time(now).nanoseconds)
        mix.take(.volume(volume), at: now)
      }
      if now == 2000 {
        volume.unduck(duration: 500_000_000, at: Self.time(now).nanoseconds)
        mix.take(.volume(volume), at: now)
      }
      let values = [Int](repeating: 10_000, count: 480)
      mix.take(try Self.sound(values, position: step * 480, start: 200), at: now)
      if (100..<130).contains(step) {
        let prompt = [Int](repeating: 500, count: 160)
        mix.take(
          try Self.sound(
            prompt, .alternateAudio, rate: 16_000, channels: 1, position: (step - 100) * 160, start: 1100), at: now)
      }
    }
    mix.take(.soundEnded(.mainAudio, number: 1), at: 3200)
    mix.advance(to: 4000)
    let left = try mix.left()
    #expect(left.count == 3800 * 48)
    for (index, value) in left.enumerated() {
      // The mix begins with the first sound at 200 ms.
      let milliseconds = 200 + Double(index) / 48
      let music = milliseconds < 3200 ? 10_000 * pow(10, Self.volume(at: milliseconds, down: 1000, up: 2000) / 20) : 0
      let prompt = (1100..<1400).contains(milliseconds) ? 500.0 : 0
      // The converter of the prompt needs the sample behind its last one. A step at an end may be half a sample off.
      let isAtEnd = abs(milliseconds - 1400) < 0.1
      guard abs(Double(value) - music - prompt) > 2, !isAtEnd else { continue }
      Issue.record("\(value) at \(milliseconds) ms, expected \(music) + \(prompt)")
      break
    }
    // The curve is half way in decibels at half the time: 10 dB.
    #expect(abs(left[(1150 - 200) * 48] - 500 - 3162) <= 4)
  }

  @Test("The mix begins with what is heard first, and keeps silence between sounds")
  func times() throws {
    var mix = Mix()
    mix.take(try Self.sound([1, 2], start: 500), at: 0)
    mix.take(try Self.sound([3], .alternateAudio, start: 150), at: 50)
    mix.take(try Self.sound([4, 5], position: 48_000, start: 500), at: 1000)
    // Sound whose time is unknown is not heard.
    mix.take(try Self.sound([9], .bufferedAudio, start: nil), at: 1000)
    mix.advance(to: 2000)
    let left = try mix.left()
    let heard = left.enumerated().filter { $0.element != 0 }.map { [$0.offset, $0.element] }
    let places = [0, 350 * 48, 350 * 48 + 1, 1350 * 48, 1350 * 48 + 1]
    #expect(heard == zip(places, [3, 1, 2, 4, 5]).map { [$0, $1] })
  }

  @Test("Loud sounds together stop at the largest value")
  func loudness() throws {
    var mix = Mix()
    for type in [StreamType.mainAudio, .alternateAudio] {
      mix.take(try Self.sound([30_000, -30_000], type, start: 10), at: 0)
    }
    mix.advance(to: 20)
    #expect(try mix.left().prefix(3) == [32_767, -32_768, 0])
  }

  @Test("24 bits are heard as 16", arguments: [1, 2])
  func width(channels: Int) throws {
    var mix = Mix()
    let values = [0x7FFF00, -0x800000, 0x123400, -0x100]
    mix.take(try Self.sound(values, channels: channels, bits: 24, start: 10), at: 0)
    mix.advance(to: 11)
    #expect(try mix.left().prefix(5) == [32_767, -32_768, 0x1234, -1, 0])
  }

  @Test("A tone at another rate stays a tone over the ends of its packets", arguments: [8000, 16_000, 32_000, 44_100])
  func rates(rate: Int) throws {
    var mix = Mix(delay: SoundMixer.minimumDelay)
    func tone(_ seconds: Double) -> Double { 10_000 * sin(2 * .pi * 400 * seconds) }
    for first in stride(from: 0, to: rate / 2, by: 347) {
      let values = (first..<min(rate / 2, first + 347)).map { Int(tone(Double($0) / Double(rate)).rounded()) }
      mix.take(
        try Self.sound(values, rate: rate, channels: 1, position: first, start: 0), at: first * 1000 / rate)
    }
    mix.advance(to: 600)
    let left = try mix.left()
    // The largest distance between a sine and a line through two of its samples, and the rounding.
    let limit = 10_000 * pow(2 * .pi * 400 / Double(rate), 2) / 8 + 2
    let far = (0..<23_990).filter { abs(Double(left[$0]) - tone(Double($0) / 48_000)) > limit }
    #expect(far.isEmpty, "\(far.prefix(3))")
  }

  @Test("A stream that ends is heard for a moment, and a session that ends leaves no silence to the next one")
  func ends() throws {
    var mix = Mix()
    mix.take(try Self.sound([Int](repeating: 7, count: 48_000), start: 0), at: 0)
    mix.take(.soundEnded(.mainAudio, number: 1), at: 300)
    mix.advance(to: 500)
    #expect(try mix.left() == [Int](repeating: 7, count: 400 * 48) + [Int](repeating: 0, count: 100 * 48))
    mix.take(try Self.sound([Int](repeating: 8, count: 48_000), number: 2, start: 600), at: 600)
    mix.take(.sessionEnded, at: 700)
    let first = try mix.left()
    #expect(first.count == 800 * 48 && first.last == 8)
    mix.take(try Self.sound([9, 9], number: 3, start: 90_000), at: 90_000)
    mix.advance(to: 90_001)
    #expect(try mix.left().dropFirst(first.count).prefix(3) == [9, 9, 0])
  }

  @Test("Sound that moves to an earlier time replaces what it overlaps, and late sound is left out")
  func movedTimes() throws {
    var mix = Mix()
    mix.take(try Self.sound([Int](repeating: 1, count: 4800), start: 0), at: 0)
    mix.take(try Self.sound([Int](repeating: 2, count: 480), position: 4800, start: -50), at: 1)
    mix.advance(to: 80)
    #expect(
      try mix.left()
        == [Int](repeating: 1, count: 50 * 48) + [Int](repeating: 2, count: 480) + [Int](repeating: 0, count: 20 * 48))
    // Of 20 ms, 10 ms are over.
    mix.take(try Self.sound([Int](repeating: 3, count: 960), position: 5280, start: -40), at: 80)
    mix.advance(to: 100)
    #expect(try mix.left().dropFirst(80 * 48).prefix { $0 == 3 }.count == 480)
  }
}
