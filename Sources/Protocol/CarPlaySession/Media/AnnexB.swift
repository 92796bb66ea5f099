// swift-iap2 · Apache-2.0

/// The byte stream of H.264, as files have it: NAL units behind start codes of three or four bytes.
///
/// Source: CarPlaySession.md#video-units.
public enum AnnexB {
  /// Returns the NAL units of a byte stream in order. Zero bytes around a NAL unit and empty NAL units are left out.
  public static func units(of bytes: [UInt8]) throws(VideoProblem) -> [NALUnit] {
    var reader = try AnnexBReader(bytes)
    var units: [NALUnit] = []
    while let unit = reader.nextUnit() { units.append(unit) }
    return units
  }

  /// Returns the access units of a byte stream in order.
  ///
  /// ``AnnexBReader`` gives one at a time, which needs less memory.
  public static func accessUnits(of bytes: [UInt8]) throws(VideoProblem) -> [AccessUnit] {
    var reader = try AnnexBReader(bytes)
    var units: [AccessUnit] = []
    while let unit = reader.next() { units.append(unit) }
    return units
  }

  /// Returns NAL units as a byte stream, each behind a start code of four bytes.
  public static func bytes(of units: some Sequence<NALUnit>) -> [UInt8] {
    units.reduce(into: []) { $0 += [0, 0, 0, 1] + $1.bytes }
  }
}

/// The NAL units of one picture, with the units that precede its slices. Source: CarPlaySession.md#video-access-unit.
public struct AccessUnit: Sendable, Hashable {
  /// The NAL units in the order of the stream.
  public let units: [NALUnit]
  /// The parameter sets in force, with the ones in this access unit.
  public let parameterSets: ParameterSets

  /// Whether the access unit has a picture. Parameter sets after the last picture of a file are an access unit without
  /// a picture.
  public var hasPicture: Bool { units.contains(where: \.isSlice) }

  /// Whether the picture is an IDR picture: a decoder can start here.
  public var isKeyFrame: Bool { units.contains(where: \.isKeySlice) }

  /// The NAL units for the body of a frame: all except delimiters, and parameter sets, which are in the configuration.
  public var frameUnits: [NALUnit] { units.filter { !(7...9).contains($0.type) } }
}

/// A reader of a byte stream that gives one access unit at a time.
///
/// An access unit starts at a delimiter, parameter set or SEI message behind a slice, and at a slice with the first
/// macroblock. A stream with slices in arbitrary order (only in the baseline profile) is divided wrongly.
/// Source: CarPlaySession.md#video-access-unit.
public struct AnnexBReader: Sendable {
  private let bytes: [UInt8]
  /// The first byte of the next NAL unit.
  private var position: Int
  /// The NAL unit that starts the next access unit.
  private var pending: NALUnit?
  private var parameterSets = ParameterSets()

  /// Creates a reader of a whole file.
  ///
  /// - Throws: ``VideoProblem/notByteStream``.
  public init(_ bytes: [UInt8]) throws(VideoProblem) {
    guard let start = Self.startCode(in: bytes, from: 0), bytes.prefix(start).allSatisfy({ $0 == 0 }) else {
      throw .notByteStream
    }
    self.bytes = bytes
    position = start + 3
  }

  /// Returns the next access unit; nil at the end.
  ///
  /// NAL units without a slice at the end of a file are an access unit too, so that no bytes are lost.
  public mutating func next() -> AccessUnit? {
    var units: [NALUnit] = []
    var hasSlice = false
    while let unit = pending ?? nextUnit() {
      pending = nil
      if hasSlice, unit.leadsAccessUnit || unit.isFirstSlice {
        pending = unit
        break
      }
      hasSlice = hasSlice || unit.isSlice
      parameterSets.take(unit)
      units.append(unit)
    }
    return units.isEmpty ? nil : AccessUnit(units: units, parameterSets: parameterSets)
  }

  /// Returns the next NAL unit that is not empty; nil at the end.
  fileprivate mutating func nextUnit() -> NALUnit? {
    while position < bytes.count {
      let start = position
      let end = Self.startCode(in: bytes, from: start) ?? bytes.count
      position = end + 3
      // A NAL unit never ends in a zero byte; such bytes belong to the next start code or fill the file.
      var last = end
      while last > start, bytes[last - 1] == 0 { last -= 1 }
      if last > start { return NALUnit(Array(bytes[start..<last])) }
    }
    return nil
  }

  /// Returns the offset of the next start code of three bytes; nil without one.
  private static func startCode(in bytes: [UInt8], from start: Int) -> Int? {
    var index = start + 2
    while index < bytes.count {
      switch bytes[index] {
      case 0: index += 1
      case 1 where bytes[index - 1] == 0 && bytes[index - 2] == 0: return index - 2
      // None of the last three bytes can start a code.
      default: index += 3
      }
    }
    return nil
  }
}
