// swift-iap2 · Apache-2.0

import CarPlayPrograms
import Dispatch
import Foundation

/// The voice of a phone: espeak-ng if it is installed, else a quiet tone as long as the words.
enum Voice {
  private static let program = InstalledProgram(name: "espeak-ng")
  /// The rate of the music that a phone plays, in samples of both channels per second.
  private static let rate = 48_000
  /// The longest words that are spoken, in characters: two minutes.
  private static let maximumCharacters = 2000
  /// The largest output of the program in bytes, above that of the longest words.
  private static let maximumByteCount = 32 << 20

  /// Returns the sound of words.
  static func sound(of words: String) async -> Music {
    let words = String(words.prefix(maximumCharacters))
    return await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let spoken = program.isThere ? spoken(words) : nil
        continuation.resume(returning: Music(littleEndian: bytes(of: spoken ?? tone(words))))
      }
    }
  }

  /// Returns the sound of a file, at most ``longestFile``; nil if it cannot be decoded.
  static func sound(ofFile path: String, from place: Double) async -> Music? {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let arguments = SoundFile.input(path, from: place) + ["-t", "\(longestFile)"] + SoundFile.output(rate, 2)
        let data = (try? InstalledProgram.ffmpeg.output(arguments, errors: FileHandle.nullDevice)) ?? nil
        continuation.resume(returning: data.map { Music(littleEndian: [UInt8]($0)) })
      }
    }
  }

  /// A second of the tone of music that cannot be decoded, for such a prompt.
  static var toneOfPrompt: Music { Music(littleEndian: bytes(of: (0..<rate).map { Tone.music($0, rate: rate) })) }

  /// The longest prompt of a file in seconds.
  private static let longestFile = 120

  /// Returns the samples of words at ``rate``; nil if the program fails.
  private static func spoken(_ words: String) -> [Int16]? {
    // Behind "--" no word begins an option.
    let arguments = ["--stdout", "--", words]
    // Without the program's voice a tone is heard, so its errors are of no use to the driver.
    guard let data = (try? program.output(arguments, errors: FileHandle.nullDevice)) ?? nil,
      data.count <= maximumByteCount
    else { return nil }
    return samples(ofWAV: [UInt8](data))
  }

  /// Reads 16-bit mono samples of a WAV file, and brings them to ``rate``. The lengths in a header that was written to a
  /// pipe are not those of the file, so the samples go to its end.
  static func samples(ofWAV file: [UInt8]) -> [Int16]? {
    func number(_ place: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(file[place + $1]) << (8 * $1) } }
    guard file.count >= 44, file.starts(with: Array("RIFF".utf8)), file[8..<16].elementsEqual("WAVEfmt ".utf8),
      number(20, 2) == 1, number(22, 2) == 1, number(34, 2) == 16, file[36..<40].elementsEqual("data".utf8)
    else { return nil }
    let from = number(24, 4)
    guard (4000...192_000).contains(from) else { return nil }
    let count = (file.count - 44) / 2
    guard count > 1 else { return nil }
    func sample(_ index: Int) -> Int { Int(Int16(truncatingIfNeeded: number(44 + 2 * index, 2))) }
    return (0..<(count - 1) * rate / from).map { place in
      let (index, rest) = (place * from).quotientAndRemainder(dividingBy: rate)
      let (before, after) = (sample(index), sample(index + 1))
      return Int16(clamping: before + (after - before) * rest / rate)
    }
  }

  /// Returns a tone that is as long as a quick speaker says the words.
  private static func tone(_ words: String) -> [Int16] {
    (0..<max(1, words.count) * rate / 15).map { Tone.sample(440, $0, rate: rate) }
  }

  /// Returns samples as music of two channels, the lowest byte first.
  private static func bytes(of samples: [Int16]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(samples.count * Music.bytesPerFrame)
    for sample in samples {
      let (low, high) = (UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8))
      bytes += [low, high, low, high]
    }
    return bytes
  }
}
