// swift-iap2 · Apache-2.0

public import CarPlaySession

/// A film that a phone shows: pictures of H.264 in their order, as their messages carry them.
public struct Film: Sendable {
  /// A picture.
  public struct Picture: Sendable {
    /// Whether a decoder can start here.
    public let isKeyFrame: Bool
    /// The configuration that is sent before the picture, without a time; nil if the last one still applies.
    public let configuration: ScreenMessage?
    /// The body of its frame.
    public let body: [UInt8]
  }

  /// The pictures.
  public let pictures: [Picture]
  /// The number of pictures per second.
  public let rate: Double

  /// Reads a byte stream (Annex B).
  ///
  /// - Throws: `VideoProblem` for other bytes, for a film that does not begin with a key frame, for one with B
  ///   pictures, and for parameter sets and pictures that no message can carry. Source: CarPlaySession.md#screen-frame.
  public init(annexB bytes: [UInt8], rate: Double = 30) throws(VideoProblem) {
    var reader = try AnnexBReader(bytes)
    var pictures: [Picture] = []
    var sent: ParameterSets?
    while let unit = reader.next() {
      let frame = unit.frameUnits
      guard !frame.isEmpty else { continue }
      guard !unit.units.contains(where: \.isBidirectionalSlice) else { throw .bidirectionalPicture(pictures.count) }
      var configuration: ScreenMessage?
      if unit.isKeyFrame, unit.parameterSets != sent {
        configuration = try Self.configuration(unit.parameterSets)
        sent = unit.parameterSets
      }
      guard sent != nil else { throw .noParameterSets }
      pictures.append(
        Picture(isKeyFrame: unit.isKeyFrame, configuration: configuration, body: try FrameBody.bytes(of: frame)))
    }
    guard !pictures.isEmpty else { throw .noParameterSets }
    (self.pictures, self.rate) = (pictures, rate)
  }

  private static func configuration(_ sets: ParameterSets) throws(VideoProblem) -> ScreenMessage {
    let configuration = try AVCConfiguration(sets)
    let size = try configuration.sequenceParameters()
    let (width, height) = (Float(size.width), Float(size.height))
    return ScreenMessage(
      .configuration, flags: ScreenMessage.h264Flags, width: width, height: height,
      picture: ScreenMessage.Rectangle(width: width, height: height), body: configuration.bytes)
  }
}
