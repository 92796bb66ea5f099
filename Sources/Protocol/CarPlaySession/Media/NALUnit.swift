// swift-iap2 · Apache-2.0

/// A NAL unit of H.264: a header of one byte and a payload, without a start code and without a length.
///
/// Source: CarPlaySession.md#video-units.
public struct NALUnit: Sendable, Hashable {
  /// The bytes, with the header.
  public var bytes: [UInt8]

  /// Creates a NAL unit.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The type of the payload: 1 a slice, 5 a slice of an IDR picture, 7 and 8 parameter sets. The type is 0 without
  /// bytes.
  public var type: UInt8 { (bytes.first ?? 0) & 0x1F }

  /// Whether the NAL unit is a sequence parameter set.
  public var isSequenceParameterSet: Bool { type == 7 }
  /// Whether the NAL unit is a picture parameter set.
  public var isPictureParameterSet: Bool { type == 8 }
  /// Whether the NAL unit is a slice of an IDR picture, which needs no other picture.
  public var isKeySlice: Bool { type == 5 }
  /// Whether the NAL unit is a slice, or the first part of a slice in three parts.
  public var isSlice: Bool { [1, 2, 5].contains(type) }

  /// Whether the NAL unit stands before the slices of a picture: parameter sets, SEI messages, a delimiter, and the
  /// types that the standard reserves for the same place.
  var leadsAccessUnit: Bool { (6...9).contains(type) || (14...18).contains(type) }

  /// Whether the NAL unit is the slice with the first macroblock of a picture.
  var isFirstSlice: Bool {
    var header = sliceHeader
    return header?.unsignedCode() == 0
  }

  /// Whether the NAL unit is a slice that may need a later picture (B).
  package var isBidirectionalSlice: Bool {
    guard var header = sliceHeader, header.unsignedCode() != nil, let type = header.unsignedCode() else { return false }
    // The types from 5 on mean that all slices of the picture have the same type.
    return type % 5 == 1
  }

  /// A reader of the numbers at the start of a slice: the first macroblock and the type. The codes of both have at most
  /// 126 bits.
  private var sliceHeader: BitReader? { isSlice ? BitReader(unit: bytes.prefix(32)) : nil }
}

/// The parameter sets that are in force at a picture, each kind in the order of the sets' ids.
public struct ParameterSets: Sendable, Hashable {
  /// The highest id of a sequence parameter set and of a picture parameter set in the standard.
  private static let highestSequenceID = 31, highestPictureID = 255

  private struct Entry: Sendable, Hashable {
    var id: Int
    var unit: NALUnit
  }

  private var sequenceEntries: [Entry] = []
  private var pictureEntries: [Entry] = []

  /// Creates a state without sets.
  public init() {}

  /// The sequence parameter sets (SPS).
  public var sequence: [NALUnit] { sequenceEntries.map(\.unit) }
  /// The picture parameter sets (PPS).
  public var picture: [NALUnit] { pictureEntries.map(\.unit) }
  /// Whether a set of each kind is known.
  public var isComplete: Bool { !sequenceEntries.isEmpty && !pictureEntries.isEmpty }

  /// Stores a parameter set, which replaces the one with the same id. Other NAL units and sets without a valid id
  /// change nothing.
  public mutating func take(_ unit: NALUnit) {
    if unit.isSequenceParameterSet {
      // Profile, constraints and level are before the id.
      Self.store(unit, skipping: 24, highest: Self.highestSequenceID, in: &sequenceEntries)
    } else if unit.isPictureParameterSet {
      Self.store(unit, skipping: 0, highest: Self.highestPictureID, in: &pictureEntries)
    }
  }

  private static func store(_ unit: NALUnit, skipping count: Int, highest: Int, in entries: inout [Entry]) {
    var reader = BitReader(unit: unit.bytes.prefix(16))
    guard reader.bits(count) != nil, let id = reader.unsignedCode(), id <= highest else { return }
    let index = entries.firstIndex { $0.id >= id } ?? entries.endIndex
    if index < entries.endIndex, entries[index].id == id {
      // Many files repeat equal sets. An equal set is not stored again, so that the storage stays shared.
      if entries[index].unit != unit { entries[index].unit = unit }
    } else {
      entries.insert(Entry(id: id, unit: unit), at: index)
    }
  }
}
