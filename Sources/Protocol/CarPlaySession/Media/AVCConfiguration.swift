// swift-iap2 · Apache-2.0

import Basics

/// The configuration of H.264 video: an `avcC` record with the parameter sets of the frames that follow.
///
/// Source: CarPlaySession.md#video-configuration.
public struct AVCConfiguration: Sendable, Hashable {
  /// The sizes that a length before a NAL unit can have, in bytes.
  static let lengthSizes = [1, 2, 4]
  /// The size of the lengths that are written, in bytes.
  public static let defaultLengthSize = 4
  /// The largest numbers of parameter sets in a record.
  public static let maximumSequenceSetCount = 31, maximumPictureSetCount = 255

  /// The profile, the byte of constraints, and the level, as in the sequence parameter set.
  public let profile, compatibility, level: UInt8
  /// The size of the length before a NAL unit in a frame: 1, 2 or 4 bytes.
  public let lengthSize: Int
  /// The sequence parameter sets (SPS).
  public let sequenceParameterSets: [NALUnit]
  /// The picture parameter sets (PPS).
  public let pictureParameterSets: [NALUnit]
  /// The bytes behind the picture parameter sets. Files have the chroma format of some profiles there.
  public let trailer: [UInt8]

  /// Creates the configuration of frames that use parameter sets.
  ///
  /// - Throws: ``VideoProblem`` for sets that do not fit a record.
  public init(_ sets: ParameterSets) throws(VideoProblem) {
    guard let first = sets.sequence.first, first.bytes.count >= 4, sets.isComplete else { throw .noParameterSets }
    (profile, compatibility, level) = (first.bytes[1], first.bytes[2], first.bytes[3])
    lengthSize = Self.defaultLengthSize
    (sequenceParameterSets, pictureParameterSets) = (sets.sequence, sets.picture)
    trailer = []
    for (units, most) in [
      (sequenceParameterSets, Self.maximumSequenceSetCount), (pictureParameterSets, Self.maximumPictureSetCount),
    ] {
      guard units.count <= most else { throw .tooManyParameterSets(units.count) }
      for unit in units where unit.bytes.count > UInt16.max { throw .parameterSetTooLong(unit.bytes.count) }
    }
  }

  /// Reads the body of a configuration message: a record, its box `avcC`, or a sample entry that contains the box.
  ///
  /// A record may have no parameter sets if the frames have them.
  public init(body: [UInt8]) throws(VideoProblem) {
    var reader = RecordReader(rest: Self.record(in: body))
    let version = try reader.byte()
    guard version == 1 else { throw .unknownRecordVersion(version) }
    (profile, compatibility, level) = (try reader.byte(), try reader.byte(), try reader.byte())
    // The other bits of the two bytes with a size and a count are reserved.
    lengthSize = Int(try reader.byte() & 3) + 1
    guard Self.lengthSizes.contains(lengthSize) else { throw .badLengthSize(lengthSize) }
    sequenceParameterSets = try reader.sets(Int(try reader.byte() & 0x1F))
    pictureParameterSets = try reader.sets(Int(try reader.byte()))
    trailer = Array(reader.rest)
  }

  /// The record.
  public var bytes: [UInt8] {
    func written(_ sets: [NALUnit]) -> [UInt8] {
      sets.flatMap { UInt16(truncatingIfNeeded: $0.bytes.count).bigEndianBytes + $0.bytes }
    }
    return [1, profile, compatibility, level, 0xFC | UInt8(lengthSize - 1)]
      + [0xE0 | UInt8(sequenceParameterSets.count)] + written(sequenceParameterSets)
      + [UInt8(pictureParameterSets.count)] + written(pictureParameterSets) + trailer
  }

  /// Returns the parameters of the first sequence parameter set.
  ///
  /// - Throws: ``VideoProblem/noParameterSets`` or ``VideoProblem/badSequenceParameterSet``.
  public func sequenceParameters() throws(VideoProblem) -> SequenceParameters {
    guard let set = sequenceParameterSets.first else { throw .noParameterSets }
    return try SequenceParameters(set)
  }

  /// The parameter sets as a byte stream, which starts a file of the frames.
  public var annexB: [UInt8] { AnnexB.bytes(of: sequenceParameterSets + pictureParameterSets) }

  /// Returns the body of a frame as a byte stream.
  public func annexB(frame body: [UInt8]) throws(VideoProblem) -> [UInt8] {
    AnnexB.bytes(of: try FrameBody.units(of: body, lengthSize: lengthSize))
  }

  /// Returns the record behind the letters `avcC`, up to the end of its box; all bytes if the letters are missing.
  private static func record(in body: [UInt8]) -> ArraySlice<UInt8> {
    let letters = Array("avcC".utf8)
    guard let index = body.indices.first(where: { body[$0] == letters[0] && body[$0...].starts(with: letters) }) else {
      return body[...]
    }
    let record = body[(index + 4)...]
    guard index >= 4 else { return record }
    // The size counts itself and the letters.
    let size = Int(UInt32(bigEndianBytes: body[(index - 4)..<index]))
    return size >= 8 ? record.prefix(size - 8) : record
  }
}

private struct RecordReader {
  var rest: ArraySlice<UInt8>

  mutating func byte() throws(VideoProblem) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .recordCut }
    return byte
  }

  mutating func sets(_ count: Int) throws(VideoProblem) -> [NALUnit] {
    var sets: [NALUnit] = []
    for _ in 0..<count {
      let length = Int(try byte()) << 8 | Int(try byte())
      guard rest.count >= length else { throw .recordCut }
      sets.append(NALUnit(Array(rest.prefix(length))))
      rest = rest.dropFirst(length)
    }
    return sets
  }
}
