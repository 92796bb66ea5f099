// swift-iap2 · Apache-2.0

import Foundation
import Testing

@testable import CarPlayCommand

/// The samples of the voice's files.
struct VoiceTests {
  private static func wav(rate: Int, channels: Int = 1, bits: Int = 16, format: Int = 1, _ samples: [Int16]) -> [UInt8]
  {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let data = samples.flatMap { number(Int($0), 2) }
    // A program that writes to a pipe does not know the length.
    return Array("RIFF".utf8) + number(0x7FFF_F024, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(format, 2)
      + number(channels, 2) + number(rate, 4) + number(rate * 2, 4) + number(2, 2) + number(bits, 2)
      + Array("data".utf8) + number(0x7FFF_F000, 4) + data
  }

  @Test func `samples go to the end of the file and lie on the line between two of them`() {
    #expect(Voice.samples(ofWAV: Self.wav(rate: 24_000, [0, 100, -100])) == [0, 50, 100, 0])
    #expect(Voice.samples(ofWAV: Self.wav(rate: 48_000, [1, 2, 3])) == [1, 2])
    #expect(Voice.samples(ofWAV: Self.wav(rate: 22_050, [Int16](repeating: 5, count: 22_051)))?.count == 48_000)
  }

  @Test func `a program that hangs is ended, and has no output`() throws {
    #expect(try InstalledProgram(name: "echo").output(["words"]) == Data("words\n".utf8))
    #expect(try InstalledProgram(name: "sleep").output(["600"], limit: 0.1) == nil)
  }

  @Test func `other files have no samples`() {
    let good = Self.wav(rate: 48_000, [1, 2, 3])
    for count in 0..<46 { #expect(Voice.samples(ofWAV: Array(good.prefix(count))) == nil, "\(count)") }
    #expect(Voice.samples(ofWAV: Self.wav(rate: 48_000, channels: 2, [1, 2, 3])) == nil)
    #expect(Voice.samples(ofWAV: Self.wav(rate: 48_000, bits: 8, [1, 2, 3])) == nil)
    #expect(Voice.samples(ofWAV: Self.wav(rate: 48_000, format: 3, [1, 2, 3])) == nil)
    #expect(Voice.samples(ofWAV: Self.wav(rate: 0, [1, 2, 3])) == nil)
  }
}
