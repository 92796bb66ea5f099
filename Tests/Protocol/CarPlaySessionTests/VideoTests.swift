// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing
import WireSupport

/// H.264 files, configurations and frames. The files are those of `fixture(_:)`.
@Suite struct VideoTests {
  /// The box that `ffmpeg -i clip.h264 -c copy clip.mp4` writes.
  private let box = hex(
    "0000002f617663430142c00bffe100176742c00bd9028db0110000030001000003003c0f142a4801000568cb8192c8")
  /// The configuration body of a real iPad (CarPlaySession.md#video-configuration).
  private let tablet = hex("0164c028ffe100106764c028ac56200d814fe59b8101010101000428ee3cb0")

  // MARK: Access units

  @Test func aFileIsDividedIntoThePicturesThatFfprobeCounts() throws {
    // `ffprobe -count_frames -show_entries stream=width,height,nb_read_frames clip.h264` says 160, 96, 30, and
    // `ffprobe -show_entries frame=key_frame clip.h264` has a 1 at 0, 10 and 20.
    let units = try AnnexB.accessUnits(of: try fixture("clip.h264"))
    #expect(units.count == 30)
    #expect(units.indices.filter { units[$0].isKeyFrame } == [0, 10, 20])
    #expect(units.allSatisfy { $0.hasPicture && $0.frameUnits.count == 1 && $0.parameterSets.isComplete })
    let size = try AVCConfiguration(units[0].parameterSets).sequenceParameters()
    #expect((size.width, size.height, size.profile, size.level) == (160, 96, 66, 11))
  }

  @Test func aPictureOfTwoSlicesBehindADelimiterIsOneAccessUnit() throws {
    // `ffprobe -show_entries frame=key_frame slices.h264` has six frames, and a 1 at 0 and 3.
    let units = try AnnexB.accessUnits(of: try fixture("slices.h264"))
    #expect(units.count == 6)
    #expect(units.map { $0.units.map(\.type) } == [5, 1, 1, 5, 1, 1].map { $0 == 5 ? [9, 7, 8, 5, 5] : [9, 1, 1] })
    #expect(units.map { $0.frameUnits.map(\.type) } == [5, 1, 1, 5, 1, 1].map { [$0, $0] })
  }

  @Test func startCodesOfThreeAndFourBytesAndFillingZerosDivideUnits() throws {
    let units: [[UInt8]] = [[0x67, 1, 2], [0x68, 0, 0, 3, 1], [0x65, 0x88]]
    let bytes = [0, 0, 1] + units[0] + [0, 0, 0, 1] + units[1] + [0, 0, 0, 0, 0, 1, 0, 0, 1] + units[2] + [0, 0]
    #expect(try AnnexB.units(of: bytes).map(\.bytes) == units)
    #expect(try AnnexB.units(of: [0, 0, 0] + bytes).map(\.bytes) == units)
    #expect(AnnexB.bytes(of: units.map(NALUnit.init)) == units.flatMap { [0, 0, 0, 1] + $0 })
    for other: [UInt8] in [[], [0, 0], [1, 0, 0, 1, 0x65], [0, 0, 2, 0, 0, 1], Array("ftyp".utf8)] {
      #expect(throws: VideoProblem.notByteStream) { try AnnexB.units(of: other) }
    }
  }

  @Test func aParameterSetReplacesTheOneWithItsId() throws {
    var sets = ParameterSets()
    sets.take(NALUnit([0x68, 0xC0]))
    #expect(!sets.isComplete)
    sets.take(NALUnit([0x67, 66, 0, 11, 0x80]))
    // Code 010 is id 1, code 1 is id 0. A set without an id, and another unit, change nothing.
    for unit: [UInt8] in [[0x68, 0x40, 1], [0x68, 0xC0, 2], [0x68], [0x67, 66], [0x65, 0x88]] {
      sets.take(NALUnit(unit))
    }
    #expect(sets.isComplete && sets.sequence.map(\.bytes) == [[0x67, 66, 0, 11, 0x80]])
    #expect(sets.picture.map(\.bytes) == [[0x68, 0xC0, 2], [0x68, 0x40, 1]])
  }

  // MARK: Configuration

  @Test func theRecordIsTheOneThatFfmpegWrites() throws {
    let units = try AnnexB.accessUnits(of: try fixture("clip.h264"))
    let configuration = try AVCConfiguration(units[0].parameterSets)
    #expect(configuration.bytes == Array(box.dropFirst(8)))
    #expect(configuration.annexB == AnnexB.bytes(of: units[0].units.filter { $0.type != 5 }))
    #expect(throws: VideoProblem.noParameterSets) { try AVCConfiguration(ParameterSets()) }
  }

  @Test func aRecordIsReadBareInItsBoxAndInASampleEntry() throws {
    // The head of the sample entry in the same clip.mp4, and the box behind `avcC`.
    let entry =
      hex("000000a961766331" + "000000000000000100000000000000000000000000000000" + "00a00060004800000048000000000000")
      + hex("0001" + String(repeating: "00", count: 32) + "0018ffff") + box
      + hex("0000001070617370000000010000000100000014627472740000000000008d4800008d48")
    let record = Array(box.dropFirst(8))
    let bare = try AVCConfiguration(body: record)
    #expect(bare.bytes == record && bare.trailer.isEmpty)
    #expect(try AVCConfiguration(body: box) == bare)
    #expect(try AVCConfiguration(body: entry) == bare)
    // Letters without a size in front, or with a wrong one, end with the bytes.
    #expect(try AVCConfiguration(body: Array("avcC".utf8) + record) == bare)
    #expect(try AVCConfiguration(body: [0, 0, 0, 1] + Array("avcC".utf8) + record) == bare)
  }

  @Test func theRecordOfARealTabletIsReadAndWritten() throws {
    let configuration = try AVCConfiguration(body: tablet)
    #expect(configuration.bytes == tablet && configuration.lengthSize == 4)
    #expect(configuration.sequenceParameterSets.map(\.bytes) == [hex("6764c028ac56200d814fe59b81010101")])
    #expect(configuration.pictureParameterSets.map(\.bytes) == [hex("28ee3cb0")])
    // The header of the same message says 864 x 648 (StreamTests).
    let size = try configuration.sequenceParameters()
    #expect((size.width, size.height, size.profile, size.level) == (864, 648, 100, 40))
  }

  @Test func theChromaFormatBehindTheSetsIsKept() throws {
    // From `ffmpeg -i slices.h264 -c copy slices.mp4`.
    let record = hex(
      "0164000affe100186764000aacb2084d8088000003000800000301e07891324001000668ebc04d2c8bfdf8f800")
    let configuration = try AVCConfiguration(body: record)
    #expect(configuration.trailer == [0xFD, 0xF8, 0xF8, 0] && configuration.bytes == record)
    let units = try AnnexB.accessUnits(of: try fixture("slices.h264"))
    #expect(try AVCConfiguration(units[0].parameterSets).bytes == Array(record.dropLast(4)))
  }

  @Test func aWrongRecordIsNamed() {
    for count in 0..<tablet.count {
      #expect(throws: VideoProblem.recordCut) { try AVCConfiguration(body: Array(tablet.prefix(count))) }
    }
    #expect(throws: VideoProblem.unknownRecordVersion(2)) { try AVCConfiguration(body: [2] + tablet.dropFirst()) }
    #expect(throws: VideoProblem.badLengthSize(3)) { try AVCConfiguration(body: [1, 100, 0, 40, 0xFE, 0xE0, 0]) }
  }

  // MARK: Frames

  @Test func framesAndTheirRecordBecomeTheFileAgain() throws {
    // The file that is written here, except for its repeated parameter sets, has the frames of the clip:
    // `ffmpeg -i FILE -f framemd5 -` printed the same 30 sums for both.
    let file = try fixture("clip.h264")
    let units = try AnnexB.accessUnits(of: file)
    let configuration = try AVCConfiguration(body: try AVCConfiguration(units[0].parameterSets).bytes)
    var written = configuration.annexB
    for unit in units { written += try configuration.annexB(frame: try FrameBody.bytes(of: unit.frameUnits)) }
    let read = try AnnexB.accessUnits(of: written)
    #expect(read.map(\.frameUnits) == units.map(\.frameUnits))
    #expect(read.map(\.parameterSets) == units.map(\.parameterSets))
    let sets = units[0].units.prefix(2)
    #expect(try AnnexB.units(of: written) == sets + AnnexB.units(of: file).filter { !(7...8).contains($0.type) })
  }

  @Test func lengthsHaveTheSizeThatTheRecordNames() throws {
    let units = [[0x65, 1], [0x41]].map(NALUnit.init)
    #expect(try FrameBody.bytes(of: units) == [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 1, 0x41])
    #expect(try FrameBody.units(of: [0, 0, 0, 2, 0x65, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x41]) == units)
    #expect(try FrameBody.units(of: [0, 2, 0x65, 1, 0, 1, 0x41], lengthSize: 2) == units)
    #expect(try FrameBody.units(of: [2, 0x65, 1, 1, 0x41], lengthSize: 1) == units)
    #expect(try FrameBody.units(of: []) == [])
    #expect(throws: VideoProblem.badLengthSize(3)) { try FrameBody.units(of: [1, 0x41], lengthSize: 3) }
  }

  /// Encoders write start codes of four bytes, and of three between the slices of a picture.
  @Test(arguments: [[0, 0, 0, 1], [0, 0, 1]]) func startCodesInPlaceOfLengthsAreNamed(code: [UInt8]) throws {
    let units = try #require(AnnexB.accessUnits(of: try fixture("clip.h264")).first).frameUnits
    let body = units.flatMap { code + $0.bytes }
    #expect(throws: VideoProblem.startCodes) { try FrameBody.units(of: body) }
    #expect(throws: VideoProblem.startCodes) { try FrameBody.units(of: body + body) }
  }

  @Test func aUnitThatDoesNotFitItsFrameIsNamed() throws {
    #expect(throws: VideoProblem.unitBeyondBody(offset: 6, byteCount: 2)) {
      try FrameBody.units(of: [0, 0, 0, 2, 0x41, 1, 0, 0, 0, 2, 0x65])
    }
    #expect(throws: VideoProblem.unitBeyondBody(offset: 0, byteCount: 0xFFFF_FFFF)) {
      try FrameBody.units(of: [255, 255, 255, 255, 0x41])
    }
    #expect(throws: VideoProblem.lengthBeyondBody(offset: 6)) {
      try FrameBody.units(of: [0, 0, 0, 2, 0x41, 1, 0, 0, 0])
    }
    let many = [NALUnit](repeating: NALUnit([0x41, 1]), count: FrameBody.maximumUnitCount)
    let body = try FrameBody.bytes(of: many)
    #expect(try FrameBody.units(of: body) == many)
    #expect(throws: VideoProblem.tooManyUnits) { try FrameBody.units(of: body + [0, 0, 0, 1, 0x41]) }
    #expect(throws: VideoProblem.tooManyUnits) { try FrameBody.bytes(of: many + many) }
    let long = NALUnit([UInt8](repeating: 1, count: FrameBody.maximumByteCount - 3))
    #expect(throws: VideoProblem.frameTooLong(FrameBody.maximumByteCount + 1)) { try FrameBody.bytes(of: [long]) }
  }

  // MARK: Any bytes

  @Test func damagedBytesNeverTrap() throws {
    var random = SeededGenerator(seed: 1)
    let (clip, slices) = (Array(try fixture("clip.h264").prefix(900)), try fixture("slices.h264"))
    for _ in 0..<600 {
      for file in [clip, slices] {
        guard let units = try? AnnexB.accessUnits(of: random.damaged(file)) else { continue }
        for unit in units where unit.isKeyFrame {
          _ = try? AVCConfiguration(unit.parameterSets).sequenceParameters()
        }
      }
    }
    for _ in 0..<3000 {
      for record in [tablet, box] {
        guard let read = try? AVCConfiguration(body: random.damaged(record)) else { continue }
        _ = try? read.sequenceParameters()
        #expect(try AVCConfiguration(body: read.bytes) == read)
        _ = try? read.annexB(frame: random.bytes(12))
      }
      _ = try? SequenceParameters(NALUnit([0x67] + random.bytes(Int.random(in: 0...40, using: &random))))
      _ = try? AVCConfiguration(body: random.bytes(30))
      _ = try? FrameBody.units(of: [0, 0, 0] + random.bytes(20))
      // Many start codes: bytes of 0 and 1 only.
      _ = try? AnnexB.accessUnits(of: [0, 0, 1] + random.bytes(40).map { $0 & 1 })
    }
  }
}
