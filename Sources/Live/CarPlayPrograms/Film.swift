// swift-iap2 · Apache-2.0

public import CarPlaySession

/// A film that a phone shows: pictures of H.264 in their order. It holds the places of its pictures, and reads each
/// picture when it is shown.
public struct Film: Sendable {
  /// A picture, as its messages carry it.
  public struct Picture: Sendable {
    /// Whether a decoder can start here.
    public let isKeyFrame: Bool
    /// The configuration that is sent before a key frame, without a time; nil for another picture.
    public let configuration: ScreenMessage?
    /// The body of its frame.
    public let body: [UInt8]

    init(isKeyFrame: Bool, configuration: ScreenMessage?, body: [UInt8]) {
      (self.isKeyFrame, self.configuration, self.body) = (isKeyFrame, configuration, body)
    }

    /// Reads a picture of a byte stream (Annex B). A picture that stands alone has its parameter sets before it.
    ///
    /// - Throws: `VideoProblem` for bytes that are no picture, and for those that no message can carry.
    public init(annexB bytes: [UInt8]) throws(VideoProblem) {
      guard let unit = try AnnexB.accessUnits(of: bytes).first, unit.hasPicture else { throw .notByteStream }
      let frame = unit.frameUnits
      try FrameBody.byteCount(of: frame)
      self.init(
        isKeyFrame: unit.isKeyFrame,
        configuration: unit.isKeyFrame ? try Film.configuration(unit.parameterSets) : nil,
        body: try FrameBody.bytes(of: frame))
    }
  }

  /// The place of a picture.
  private struct Place: Sendable {
    var range: Range<Int>
    var isKeyFrame: Bool
    /// The index of the configuration that is sent before a key frame.
    var configuration: Int?
  }

  private let bytes: any MediaBytes
  private let places: [Place]
  private let configurations: [ScreenMessage]
  /// The number of pictures per second.
  public let rate: Double

  /// The number of pictures.
  public var count: Int { places.count }

  /// Looks through a byte stream (Annex B).
  ///
  /// - Throws: `VideoProblem` for other bytes, for a film that does not begin with a key frame, for one with B
  ///   pictures, and for parameter sets and pictures that no message can carry. Source: CarPlaySession.md#screen-frame.
  public init(annexB bytes: some MediaBytes, rate: Double = 30) throws(VideoProblem) {
    var reader = try AnnexBReader(bytes)
    var places: [Place] = []
    var configurations: [ScreenMessage] = []
    var sent: ParameterSets?
    while let unit = try reader.next() {
      let frame = unit.frameUnits
      guard !frame.isEmpty else { continue }
      guard !unit.units.contains(where: \.isBidirectionalSlice) else { throw .bidirectionalPicture(places.count) }
      var place = Place(range: reader.range, isKeyFrame: unit.isKeyFrame)
      if unit.isKeyFrame {
        if unit.parameterSets != sent { configurations.append(try Self.configuration(unit.parameterSets)) }
        sent = unit.parameterSets
        place.configuration = configurations.count - 1
      }
      guard sent != nil else { throw .noParameterSets }
      try FrameBody.byteCount(of: frame)
      places.append(place)
    }
    guard !places.isEmpty else { throw .noParameterSets }
    (self.bytes, self.places, self.configurations, self.rate) = (bytes, places, configurations, rate)
  }

  fileprivate static func configuration(_ sets: ParameterSets) throws(VideoProblem) -> ScreenMessage {
    let configuration = try AVCConfiguration(sets)
    let size = try configuration.sequenceParameters()
    let (width, height) = (Float(size.width), Float(size.height))
    return ScreenMessage(
      .configuration, flags: ScreenMessage.h264Flags, width: width, height: height,
      picture: ScreenMessage.Rectangle(width: width, height: height), body: configuration.bytes)
  }

  /// Reads a picture.
  ///
  /// - Throws: `VideoProblem/changed` if the bytes are not those of the film any more.
  public func picture(at index: Int) throws(VideoProblem) -> Picture {
    let place = places[index]
    let part = bytes.bytes(in: place.range)
    guard part.count == place.range.count else { throw .changed }
    let unit: AccessUnit?
    // The place had a picture when the film was looked through.
    do throws(VideoProblem) { unit = try AnnexB.accessUnits(of: part).first } catch { throw .changed }
    guard let unit, unit.hasPicture else { throw .changed }
    return Picture(
      isKeyFrame: place.isKeyFrame, configuration: place.configuration.map { configurations[$0] },
      body: try FrameBody.bytes(of: unit.frameUnits))
  }

  /// Returns the first key frame from an index; nil without one.
  func keyFrame(from index: Int) -> Int? { places[index...].firstIndex(where: \.isKeyFrame) }
}

/// The pictures of a film in their order.
struct FilmSource: MediaSource {
  private let film: Film
  private let rate: Double
  private var index = 0

  /// - Parameter rate: The number of pictures per second.
  init(_ film: Film, rate: Double) { (self.film, self.rate) = (film, rate) }

  var nextTime: Duration { .seconds(Double(index) / rate) }

  mutating func next() throws(VideoProblem) -> Film.Picture? {
    guard index < film.count else { return nil }
    defer { index += 1 }
    return try film.picture(at: index)
  }

  /// Continues at the next key frame, because a film cannot make a new one.
  mutating func skipToKeyFrame() { index = film.keyFrame(from: index) ?? index }
}
