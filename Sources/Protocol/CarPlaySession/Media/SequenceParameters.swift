// swift-iap2 · Apache-2.0

/// The size of the pictures and the profile that a sequence parameter set names. Source: CarPlaySession.md#video-size.
public struct SequenceParameters: Sendable, Hashable {
  /// The longest side of a picture in pixels: 1055 macroblocks, the most of the highest level in the standard.
  public static let maximumSide = 1055 * 16

  /// The profile: 66 baseline, 77 main, 100 high.
  public let profile: UInt8
  /// The level times ten.
  public let level: UInt8
  /// The size of the picture after cropping, in pixels.
  public let width, height: Int

  /// Reads a sequence parameter set.
  ///
  /// - Throws: ``VideoProblem/badSequenceParameterSet``.
  public init(_ unit: NALUnit) throws(VideoProblem) {
    guard unit.isSequenceParameterSet, unit.bytes.count >= 4 else { throw .badSequenceParameterSet }
    (profile, level) = (unit.bytes[1], unit.bytes[3])
    guard let size = Self.size(unit.bytes, profile: profile) else { throw .badSequenceParameterSet }
    (width, height) = size
  }

  /// The profiles whose sets have a chroma format, bit depths and scaling lists.
  private static let profilesWithChroma: Set<UInt8> = [
    44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 144, 244,
  ]

  /// The format of the color planes: 0 none, 1 half the width and height, 2 half the width, 3 whole.
  private struct Chroma {
    var format = 1
    var hasSeparatePlanes = false

    /// The unit of horizontal and vertical cropping in pixels, for pictures of whole frames.
    var cropUnit: (Int, Int) { hasSeparatePlanes ? (1, 1) : (format == 1 || format == 2 ? 2 : 1, format == 1 ? 2 : 1) }
  }

  private static func size(_ bytes: [UInt8], profile: UInt8) -> (Int, Int)? {
    var reader = BitReader(unit: bytes)
    guard reader.bits(24) != nil, let id = reader.unsignedCode(), id <= 31 else { return nil }
    var chroma = Chroma()
    if profilesWithChroma.contains(profile) {
      guard let read = readChroma(&reader) else { return nil }
      chroma = read
    }
    // The code skips the frame number, the order of pictures, the reference frames, and the bit for gaps of frame
    // numbers.
    guard reader.unsignedCode() != nil, skipPictureOrder(&reader), reader.unsignedCode() != nil, reader.bit() != nil,
      let columns = reader.unsignedCode(), let rows = reader.unsignedCode(), let hasFramesOnly = reader.bit()
    else { return nil }
    // A field has half the rows of a frame. A set for fields has one more bit, for adaptive frames and fields.
    let fields = hasFramesOnly ? 1 : 2
    guard hasFramesOnly || reader.bit() != nil, reader.bit() != nil, let isCropped = reader.bit() else { return nil }
    var (width, height) = ((columns + 1) * 16, (rows + 1) * 16 * fields)
    if isCropped {
      guard let left = reader.unsignedCode(), let right = reader.unsignedCode(), let top = reader.unsignedCode(),
        let bottom = reader.unsignedCode()
      else { return nil }
      width -= (left + right) * chroma.cropUnit.0
      height -= (top + bottom) * chroma.cropUnit.1 * fields
    }
    guard (1...maximumSide).contains(width), (1...maximumSide).contains(height) else { return nil }
    return (width, height)
  }

  private static func readChroma(_ reader: inout BitReader) -> Chroma? {
    guard let format = reader.unsignedCode(), format <= 3 else { return nil }
    var chroma = Chroma(format: format)
    if format == 3 {
      guard let bit = reader.bit() else { return nil }
      chroma.hasSeparatePlanes = bit
    }
    // The code skips the bit depths of brightness and color, and the bit for a bypassed transform.
    guard reader.unsignedCode() != nil, reader.unsignedCode() != nil, reader.bit() != nil,
      let hasScaling = reader.bit()
    else { return nil }
    guard hasScaling else { return chroma }
    for index in 0..<(format == 3 ? 12 : 8) {
      guard let isPresent = reader.bit() else { return nil }
      guard !isPresent || skipScalingList(&reader, count: index < 6 ? 16 : 64) else { return nil }
    }
    return chroma
  }

  private static func skipScalingList(_ reader: inout BitReader, count: Int) -> Bool {
    var last = 8
    for _ in 0..<count {
      guard let difference = reader.signedCode() else { return false }
      last = (last + difference) & 0xFF
      // Zero ends the list: the rest repeats the last value.
      if last == 0 { return true }
    }
    return true
  }

  private static func skipPictureOrder(_ reader: inout BitReader) -> Bool {
    switch reader.unsignedCode() {
    case 0: return reader.unsignedCode() != nil
    case 1:
      guard reader.bit() != nil, reader.signedCode() != nil, reader.signedCode() != nil,
        let count = reader.unsignedCode(), count <= 255
      else { return false }
      return (0..<count).allSatisfy { _ in reader.signedCode() != nil }
    case 2: return true
    default: return false
    }
  }
}
