// swift-iap2 · Apache-2.0

/// The byte stream of H.264, as files have it: NAL units behind start codes of three or four bytes.
///
/// Source: CarPlaySession.md#video-units.
public enum AnnexB {
  /// Returns the NAL units of a byte stream in order. Zero bytes around a NAL unit and empty NAL units are left out.
  public static func units(of bytes: [UInt8]) throws(VideoProblem) -> [NALUnit] {
    var reader = try AnnexBReader(bytes)
    var units: [NALUnit] = []
    while let unit = try reader.nextUnit() { units.append(unit) }
    return units
  }

  /// Returns the access units of a byte stream in order.
  ///
  /// ``AnnexBReader`` gives one at a time, which needs less memory.
  public static func accessUnits(of bytes: [UInt8]) throws(VideoProblem) -> [AccessUnit] {
    var reader = try AnnexBReader(bytes)
    var units: [AccessUnit] = []
    while let unit = try reader.next() { units.append(unit) }
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

/// A reader of a byte stream that gives one access unit at a time. It holds one access unit and a part of the bytes.
///
/// An access unit starts at a delimiter, parameter set or SEI message behind a slice, and at a slice with the first
/// macroblock. A stream with slices in arbitrary order (only in the baseline profile) is divided wrongly.
/// Source: CarPlaySession.md#video-access-unit.
public struct AnnexBReader: Sendable {
  /// A NAL unit with the offset of its start code.
  private typealias Place = (unit: NALUnit, offset: Int)

  private let source: any MediaBytes
  /// The bytes from an offset in the source.
  private var window: [UInt8]
  private var base = 0
  /// The first byte of the next NAL unit in the window.
  private var position: Int
  /// The NAL unit that starts the next access unit.
  private var pending: Place?
  private var parameterSets = ParameterSets()
  /// The bytes of the last access unit in the source, with its start codes.
  public private(set) var range = 0..<0

  /// The number of bytes that are read at once.
  private static let chunkByteCount = 1 << 18

  /// Creates a reader of a whole file.
  ///
  /// - Throws: ``VideoProblem/notByteStream``.
  public init(_ bytes: some MediaBytes) throws(VideoProblem) {
    source = bytes
    window = bytes.bytes(in: 0..<min(bytes.count, Self.chunkByteCount))
    guard let start = Self.startCode(in: window, from: 0), window.prefix(start).allSatisfy({ $0 == 0 }) else {
      throw .notByteStream
    }
    position = start + 3
  }

  /// Returns the next access unit; nil at the end.
  ///
  /// NAL units without a slice at the end of a file are an access unit too, so that no bytes are lost.
  ///
  /// - Throws: ``VideoProblem/frameTooLong(_:)`` for a NAL unit that no frame can have, and ``VideoProblem/changed``.
  public mutating func next() throws(VideoProblem) -> AccessUnit? {
    var units: [NALUnit] = []
    var hasSlice = false
    var first: Int?
    while let place = try takePlace() {
      if hasSlice, place.unit.leadsAccessUnit || place.unit.isFirstSlice {
        pending = place
        break
      }
      first = first ?? place.offset
      hasSlice = hasSlice || place.unit.isSlice
      parameterSets.take(place.unit)
      units.append(place.unit)
    }
    guard let first else { return nil }
    range = first..<(pending?.offset ?? source.count)
    return AccessUnit(units: units, parameterSets: parameterSets)
  }

  /// Returns the next NAL unit that is not empty; nil at the end.
  fileprivate mutating func nextUnit() throws(VideoProblem) -> NALUnit? { try nextPlace()?.unit }

  private mutating func takePlace() throws(VideoProblem) -> Place? {
    guard let place = pending else { return try nextPlace() }
    pending = nil
    return place
  }

  private mutating func nextPlace() throws(VideoProblem) -> Place? {
    while base + position < source.count {
      let end = try endOfUnit()
      let start = position
      position = end + 3
      // A NAL unit never ends in a zero byte; such bytes belong to the next start code or fill the file.
      var last = end
      while last > start, window[last - 1] == 0 { last -= 1 }
      if last > start { return (NALUnit(Array(window[start..<last])), base + start - 3) }
    }
    return nil
  }

  /// Returns the offset of the start code behind the NAL unit at the position, and reads up to it. The position may
  /// move.
  private mutating func endOfUnit() throws(VideoProblem) -> Int {
    var scanned = position
    while true {
      if let end = Self.startCode(in: window, from: scanned) { return end }
      guard base + window.count < source.count else { return window.count }
      // The bytes before the NAL unit are not needed any more.
      window.removeFirst(min(position, window.count))
      base += position
      position = 0
      guard window.count <= FrameBody.maximumByteCount else { throw .frameTooLong(window.count) }
      scanned = max(0, window.count - 2)
      let next = base + window.count
      let more = source.bytes(in: next..<min(source.count, next + Self.chunkByteCount))
      guard !more.isEmpty else { throw .changed }
      window += more
    }
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
