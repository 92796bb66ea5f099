// swift-iap2 · Apache-2.0

import Basics

/// The body of a frame on a screen stream: NAL units, each behind its length, the highest byte first.
///
/// Source: CarPlaySession.md#video-frame.
public enum FrameBody {
  /// The largest number of NAL units in a frame. Ours: an encoder makes at most one slice for each row of macroblocks,
  /// and a picture of 4096 x 2304 pixels has 144 rows.
  public static let maximumUnitCount = 1024
  /// The largest size of a body without its tag, in bytes.
  public static let maximumByteCount = ScreenMessage.maximumBodyByteCount - SealingKey.tagByteCount

  /// Returns the NAL units of a body. Empty NAL units are left out.
  ///
  /// - Parameters:
  ///   - body: The body without encryption.
  ///   - lengthSize: The size of a length in bytes, from ``AVCConfiguration/lengthSize``.
  public static func units(
    of body: some Collection<UInt8>, lengthSize: Int = AVCConfiguration.defaultLengthSize
  ) throws(VideoProblem) -> [NALUnit] {
    guard AVCConfiguration.lengthSizes.contains(lengthSize) else { throw .badLengthSize(lengthSize) }
    let units: [NALUnit]
    do throws(VideoProblem) { units = try read(body, lengthSize: lengthSize) } catch {
      // As a length, a start code of three bytes reaches beyond the body.
      throw startCodes.contains { body.starts(with: $0) } ? .startCodes : error
    }
    // As a length, a start code of four bytes is 1, and no picture begins with a unit of one byte.
    if units.count > 1, lengthSize == 4, units[0].bytes.count == 1 { throw .startCodes }
    return units
  }

  private static let startCodes: [[UInt8]] = [[0, 0, 1], [0, 0, 0, 1]]

  private static func read(_ body: some Collection<UInt8>, lengthSize: Int) throws(VideoProblem) -> [NALUnit] {
    let total = body.count
    guard total <= maximumByteCount else { throw .frameTooLong(total) }
    var units: [NALUnit] = []
    var rest = body[...]
    var offset = 0
    while offset < total {
      guard total - offset >= lengthSize else { throw .lengthBeyondBody(offset: offset) }
      let count = Int(UInt32(bigEndianBytes: rest.prefix(lengthSize)))
      guard count <= total - offset - lengthSize else { throw .unitBeyondBody(offset: offset, byteCount: count) }
      rest = rest.dropFirst(lengthSize)
      if count > 0 {
        guard units.count < maximumUnitCount else { throw .tooManyUnits }
        units.append(NALUnit(Array(rest.prefix(count))))
      }
      rest = rest.dropFirst(count)
      offset += lengthSize + count
    }
    return units
  }

  /// Returns NAL units as a body with lengths of four bytes. Empty NAL units are left out.
  public static func bytes(of units: some Collection<NALUnit>) throws(VideoProblem) -> [UInt8] {
    let total = try byteCount(of: units)
    var body: [UInt8] = []
    body.reserveCapacity(total)
    for unit in units where !unit.bytes.isEmpty { body += UInt32(unit.bytes.count).bigEndianBytes + unit.bytes }
    return body
  }

  /// Returns the size of the body of NAL units in bytes.
  ///
  /// - Throws: ``VideoProblem/tooManyUnits`` and ``VideoProblem/frameTooLong(_:)``.
  @discardableResult
  public static func byteCount(of units: some Collection<NALUnit>) throws(VideoProblem) -> Int {
    guard units.count <= maximumUnitCount else { throw .tooManyUnits }
    let total = units.reduce(0) { $0 + AVCConfiguration.defaultLengthSize + $1.bytes.count }
    guard total <= maximumByteCount else { throw .frameTooLong(total) }
    return total
  }
}
