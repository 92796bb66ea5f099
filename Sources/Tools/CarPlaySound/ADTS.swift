// swift-iap2 · Apache-2.0

import CarPlaySession

/// The frames of ADTS (ISO/IEC 14496-3, 1.A.2), in which a program reads and writes access units of AAC-LC.
enum ADTS {
  /// The size of a header without a checksum.
  static let headerByteCount = 7
  /// The size of the largest frame, whose length has 13 bits.
  static let maximumFrameByteCount = (1 << 13) - 1
  /// The size of the largest access unit.
  static let maximumUnitByteCount = maximumFrameByteCount - headerByteCount

  /// The rates in the order of their numbers in a header.
  private static let rates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
  ]

  /// Returns a frame with one access unit; nil for a unit that is too large, and for a rate that has no number.
  static func frame(_ unit: [UInt8], rate: Int, channels: Int) -> [UInt8]? {
    guard unit.count <= maximumUnitByteCount, let index = rates.firstIndex(of: rate) else { return nil }
    let length = headerByteCount + unit.count
    var bits = 0
    func add(_ value: Int, _ count: Int) { bits = bits << count | value }
    // The sync word.
    add(0xFFF, 12)
    // MPEG-4, layer 0, no checksum.
    add(0b0001, 4)
    // The profile of AAC-LC is 1.
    add(1, 2)
    add(index, 4)
    add(0, 1)
    add(channels, 3)
    add(0, 4)
    add(length, 13)
    // The fullness of the buffer of a variable bit rate.
    add(0x7FF, 11)
    // One access unit.
    add(0, 2)
    return (0..<headerByteCount).map { UInt8(truncatingIfNeeded: bits >> (8 * (headerByteCount - 1 - $0))) } + unit
  }
}

/// Reads the access units of a stream of ADTS frames. It keeps less than one frame.
struct ADTSReader: PieceReader {
  private var rest: ArraySlice<UInt8> = []

  mutating func pieces(in bytes: ArraySlice<UInt8>) throws(SoundProblem) -> [[UInt8]] {
    rest += bytes
    var units: [[UInt8]] = []
    while rest.count >= ADTS.headerByteCount {
      let header = rest.prefix(ADTS.headerByteCount).map(Int.init)
      guard header[0] == 0xFF, header[1] & 0xF6 == 0xF0 else {
        throw .output("the output of the encoder has no ADTS header where a frame begins")
      }
      guard header[6] & 3 == 0 else { throw .output("a frame of the encoder has several access units") }
      let start = header[1] & 1 == 1 ? ADTS.headerByteCount : ADTS.headerByteCount + 2
      let length = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
      guard length > start else { throw .output("a frame of the encoder has the length \(length), which has no unit") }
      guard rest.count >= length else { break }
      units.append(Array(rest.prefix(length).dropFirst(start)))
      rest = rest.dropFirst(length)
    }
    // A copy, so that bytes that were read do not stay in memory.
    rest = ArraySlice(Array(rest))
    return units
  }
}

/// An access unit of AAC-LC.
enum AACUnit {
  /// The number of samples of each channel.
  static let frameCount = AudioFormat.framesPerAACUnit
  /// A silent unit of two channels (ISO/IEC 14496-3, 4.4.2). The first three bits begin a pair of channels. In the next
  /// 49 bits, all zero, each channel has one long window without a spectrum. Three bits end the unit.
  static let silence: [UInt8] = [0x20, 0, 0, 0, 0, 0, 0x0E]
}
