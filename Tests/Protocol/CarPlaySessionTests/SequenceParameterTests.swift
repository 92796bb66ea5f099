// swift-iap2 · Apache-2.0

import CarPlaySession
import Testing
import WireSupport

/// The sizes of pictures. Each set of libx264 was made with `ffmpeg -f lavfi -i testsrc=size=SIZE:rate=30 -frames:v 1
/// -c:v libx264 OPTIONS -bsf:v filter_units=pass_types=7 -f h264 -`.
@Suite struct SequenceParameterTests {
  @Test(arguments: [
    // -profile:v high -pix_fmt yuv420p
    ("67640028acd940780227e5c044000003000400000300f03c60c658", 1920, 1080),
    // -profile:v main -pix_fmt yuv420p -flags +ilme+ildct (fields)
    ("674d4028eca03c0227b930110000030001000003003c1f162d96", 1916, 1076),
    // -pix_fmt yuv444p
    ("67f40028919b280f0044fc4e0220000003002000000781e30632c0", 1920, 1080),
    ("67f40020919b280ac0c3c6560220000003002000000781e30632c0", 1365, 767),
    // -pix_fmt yuv422p
    ("677a0020bcd94056061e6bc044000003000400000300f03c60c658", 1366, 766),
    // -pix_fmt gray
    ("6764000af3651cbe326c05b2000003000200000300781e244b2c", 101, 75),
  ]) func theSizeIsThatOfThePicture(_ set: String, _ width: Int, _ height: Int) throws {
    let size = try SequenceParameters(NALUnit(hex(set)))
    #expect((size.width, size.height) == (width, height))
  }

  /// Bits of a set: exp-Golomb codes, by the standard's own rule.
  private struct Bits {
    var bits: [Bool] = []

    mutating func code(_ number: Int) {
      let digits = String(number + 1, radix: 2)
      bits += [Bool](repeating: false, count: digits.count - 1) + digits.map { $0 == "1" }
    }

    /// The bytes of a set of the high profile, with the bytes that prevent start codes.
    var set: NALUnit {
      let all = bits + [true]
      var bytes: [UInt8] = [0x67, 100, 0, 40]
      for start in stride(from: 0, to: all.count, by: 8) {
        let byte: UInt8 = (0..<8).reduce(0) { $0 << 1 | (start + $1 < all.count && all[start + $1] ? 1 : 0) }
        if byte <= 3, bytes.suffix(2) == [0, 0] { bytes.append(3) }
        bytes.append(byte)
      }
      return NALUnit(bytes)
    }
  }

  private func set(columns: Int = 10, rows: Int = 5, crop: Int = 0, cycle: Int = 3, offset: Int = 4) -> NALUnit {
    var bits = Bits()
    // Id 0, 4:2:0, 8 bits twice, no bypass, scaling lists.
    for code in [0, 1, 0, 0] { bits.code(code) }
    bits.bits += [false, true]
    // The first list ends at once (difference -8), the second is whole, the seventh is whole, the others are absent.
    for index in 0..<8 {
      bits.bits.append([0, 1, 6].contains(index))
      if index == 0 { bits.code(16) }
      if index == 1 || index == 6 { for _ in 0..<(index == 1 ? 16 : 64) { bits.code(1) } }
    }
    // The order of pictures by a cycle.
    for code in [0, 1] { bits.code(code) }
    bits.bits.append(true)
    for code in [2, 3, cycle] { bits.code(code) }
    for _ in 0..<min(cycle, 300) { bits.code(offset) }
    bits.code(1)
    bits.bits.append(false)
    for code in [columns - 1, rows - 1] { bits.code(code) }
    bits.bits += [true, true, true]
    for _ in 0..<4 { bits.code(crop) }
    return bits.set
  }

  @Test func scalingListsAndACycleOfPicturesAreSkipped() throws {
    let size = try SequenceParameters(set(crop: 1))
    #expect((size.width, size.height) == (160 - 4, 80 - 4))
    #expect(try SequenceParameters(set(cycle: 255)).width == 160)
    // The codes of large numbers have zero bytes.
    let large = set(offset: 1 << 30)
    #expect(large.bytes.indices.dropFirst(2).contains { large.bytes[($0 - 2)...$0] == [0, 0, 3] })
    #expect(try SequenceParameters(large).height == 80)
  }

  @Test func aSizeOutsideTheStandardIsRefused() throws {
    #expect(try SequenceParameters(set(columns: 1055)).width == SequenceParameters.maximumSide)
    for wrong in [
      set(columns: 1056), set(rows: 70_000), set(crop: 20), set(crop: 1 << 30), set(cycle: 256), NALUnit([]),
      NALUnit([0x67, 100, 0, 40]), NALUnit([0x68, 0xC0]),
      NALUnit([0x67, 66, 0, 40] + [UInt8](repeating: 0, count: 60)),
    ] {
      #expect(throws: VideoProblem.badSequenceParameterSet) { try SequenceParameters(wrong) }
    }
  }
}
