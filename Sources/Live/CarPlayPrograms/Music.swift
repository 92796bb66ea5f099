// swift-iap2 · Apache-2.0

public import CarPlaySession

/// Music that a phone plays: 16-bit PCM, stereo, 48 kHz. Each packet is read when it is played.
public struct Music: Sendable {
  /// The samples, the lowest byte first.
  private let bytes: any MediaBytes
  /// The number of samples of both channels.
  let frameCount: Int
  /// The format.
  public static let format = AudioFormat.pcm(rate: 48_000, channels: 2)
  /// The size of a sample of both channels in bytes.
  public static let bytesPerFrame = 4
  /// The number of samples in a packet, which fits a datagram. Ours.
  public static let framesPerPacket = 352

  /// Creates music of samples whose lowest byte comes first. An incomplete sample is left out.
  public init(littleEndian bytes: some MediaBytes) {
    self.bytes = bytes
    frameCount = bytes.count / Self.bytesPerFrame
  }

  /// Reads samples in the byte order of the wire.
  func samples(_ frames: Range<Int>) throws(VideoProblem) -> [UInt8] {
    let range = (frames.lowerBound * Self.bytesPerFrame)..<(frames.upperBound * Self.bytesPerFrame)
    var samples = bytes.bytes(in: range)
    guard samples.count == range.count else { throw .changed }
    for index in stride(from: 0, to: samples.count, by: 2) { samples.swapAt(index, index + 1) }
    return samples
  }
}

/// The packets of music in their order.
struct MusicSource: MediaSource {
  private let music: Music
  private var frame = 0

  init(_ music: Music) { self.music = music }

  var nextTime: Duration { .seconds(Double(frame) / 48_000) }

  mutating func next() throws(VideoProblem) -> [UInt8]? {
    guard frame < music.frameCount else { return nil }
    let frames = frame..<min(music.frameCount, frame + Music.framesPerPacket)
    frame = frames.upperBound
    return try music.samples(frames)
  }
}
