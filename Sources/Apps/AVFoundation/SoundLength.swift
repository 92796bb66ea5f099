// swift-iap2 · Apache-2.0

import Foundation

/// The length of a sound, as the header of its file says.
///
/// Nothing is decoded, and no form makes the reader walk through all of a file. A form without a length in its header,
/// such as AAC without a container, is guessed by the size.
enum SoundLength {
  /// The bytes of a second of a coded sound: 128 kbit/s.
  private static let bytesPerSecond = 16_000.0
  /// The shortest sound in seconds. A sound that repeats without end takes time.
  private static let shortest = 0.01

  /// Returns the length of a file in seconds.
  ///
  /// - Throws: The file cannot be read, or is empty.
  static func seconds(of file: URL) throws -> Double { try seconds(of: SoundBytes(file: file)) }

  /// Returns the length of a sound in seconds.
  ///
  /// - Throws: There are no bytes.
  static func seconds(of bytes: SoundBytes) throws -> Double {
    guard bytes.count > 0 else { throw CocoaError(.fileReadCorruptFile) }
    let known = [wav, aiff, caf, mp4, ogg, flac, mp3].lazy.compactMap { $0(bytes) }.first { $0.isFinite }
    return max(shortest, known ?? Double(bytes.count) / bytesPerSecond)
  }

  /// Returns a number of frames as seconds; nil if the rate is 0, or a number is missing.
  private static func seconds(_ frames: UInt64?, rate: UInt64?) -> Double? {
    guard let frames, let rate, rate > 0 else { return nil }
    return Double(frames) / Double(rate)
  }

  private static func wav(_ bytes: SoundBytes) -> Double? {
    guard bytes.has("RIFF", at: 0), bytes.has("WAVE", at: 8) else { return nil }
    let chunks = bytes.chunks(.riff, in: 12..<bytes.count)
    guard let format = chunks["fmt "], let data = chunks["data"] else { return nil }
    return seconds(UInt64(data.count), rate: bytes.little(format.lowerBound + 8, 4))
  }

  private static func aiff(_ bytes: SoundBytes) -> Double? {
    guard bytes.has("FORM", at: 0), bytes.has("AIFF", at: 8) || bytes.has("AIFC", at: 8) else { return nil }
    guard let common = bytes.chunks(.iff, in: 12..<bytes.count)["COMM"]?.lowerBound,
      let frames = bytes.big(common + 2, 4), let exponent = bytes.big(common + 8, 2),
      let mantissa = bytes.big(common + 10, 8), mantissa > 0
    else { return nil }
    // The rate is a number of 80 bits, with the point behind the first bit of the mantissa.
    let rate = Double(sign: .plus, exponent: Int(exponent & 0x7FFF) - 16_383 - 63, significand: Double(mantissa))
    return Double(frames) / rate
  }

  private static func caf(_ bytes: SoundBytes) -> Double? {
    guard bytes.has("caff", at: 0) else { return nil }
    let chunks = bytes.chunks(.caf, in: min(8, bytes.count)..<bytes.count)
    guard let format = chunks["desc"]?.lowerBound, let bits = bytes.big(format, 8) else { return nil }
    let rate = Double(bitPattern: bits)
    guard rate > 0 else { return nil }
    if let packets = chunks["pakt"]?.lowerBound, let frames = bytes.big(packets + 8, 8) { return Double(frames) / rate }
    // Packets of one size need no table. Four bytes before the samples count the edits.
    guard let size = bytes.big(format + 16, 4), size > 0, let frames = bytes.big(format + 20, 4),
      let data = chunks["data"]
    else { return nil }
    return Double(max(0, data.count - 4)) / Double(size) * Double(frames) / rate
  }

  private static func mp4(_ bytes: SoundBytes) -> Double? {
    guard bytes.has("ftyp", at: 4), let movie = bytes.chunks(.box, in: 0..<bytes.count)["moov"],
      let header = bytes.chunks(.box, in: movie)["mvhd"]?.lowerBound, let version = bytes.big(header, 1)
    else { return nil }
    let long = version == 1
    let length = bytes.big(header + (long ? 24 : 16), long ? 8 : 4)
    // A movie of fragments has 0, and one of unknown length has all bits.
    guard length != 0, length != (long ? .max : UInt64(UInt32.max)) else { return nil }
    return seconds(length, rate: bytes.big(header + (long ? 20 : 12), 4))
  }

  private static func flac(_ bytes: SoundBytes) -> Double? {
    let start = endOfTags(bytes)
    guard bytes.has("fLaC", at: start) else { return nil }
    return streamInfo(bytes, at: start + 8).flatMap { $0.frames == 0 ? nil : seconds($0.frames, rate: $0.rate) }
  }

  /// Returns the rate and the number of frames of the first block of a FLAC file; 0 frames are not known.
  private static func streamInfo(_ bytes: SoundBytes, at place: Int) -> (rate: UInt64, frames: UInt64)? {
    // 20 bits of the rate, 3 of the channels, 5 of the sample, 36 of the frames.
    bytes.big(place + 10, 8).map { ($0 >> 44, $0 & 0xF_FFFF_FFFF) }
  }

  /// The most bytes of a page of Ogg: its header, 255 sizes, and as many pieces of 255 bytes.
  private static let oggPage = 27 + 255 + 255 * 255

  /// Reads the position of the last page of the first stream. A stream that begins after 0 counts as longer than it is.
  private static func ogg(_ bytes: SoundBytes) -> Double? {
    guard bytes.has("OggS", at: 0), let pieces = bytes.big(26, 1), let serial = bytes.little(14, 4) else { return nil }
    let packet = 27 + Int(pieces)
    var rate: UInt64?
    var skipped: UInt64 = 0
    if bytes.has("OpusHead", at: packet) {
      (rate, skipped) = (48_000, bytes.little(packet + 10, 2) ?? 0)
    } else if bytes.has("\u{1}vorbis", at: packet) {
      rate = bytes.little(packet + 12, 4)
    } else if bytes.has("\u{7F}FLAC", at: packet) {
      rate = streamInfo(bytes, at: packet + 17)?.rate
    }
    // The last page may end no packet, or belong to another stream, so two pages are searched.
    var place = bytes.count - 27
    let first = max(0, bytes.count - 2 * oggPage)
    while place >= first {
      if bytes.has("OggS", at: place), bytes.little(place + 14, 4) == serial,
        let position = bytes.little(place + 6, 8), position != .max
      {
        return seconds(position - min(position, skipped), rate: rate)
      }
      place -= 1
    }
    return nil
  }

  /// The most ID3v2 tags that are read. Real files have one.
  private static let mostTags = 8

  /// Returns the place behind the ID3v2 tags at the beginning.
  static func endOfTags(_ bytes: SoundBytes) -> Int {
    var place = 0
    for _ in 0..<mostTags {
      guard bytes.has("ID3", at: place), let flags = bytes.big(place + 5, 1), let size = bytes.big(place + 6, 4) else {
        break
      }
      // Seven bits of each byte count. A footer is as long as the header.
      let content = Int(size & 0x7F | size >> 1 & 0x3F80 | size >> 2 & 0x1F_C000 | size >> 3 & 0xFE0_0000)
      place += 10 + content + (flags & 0x10 == 0 ? 0 : 10)
    }
    return place
  }
}
