// swift-iap2 · Apache-2.0

public import CarPlaySession

/// Music that a phone plays: 16-bit PCM, stereo, 48 kHz. Each packet is read when it is played.
public struct Music: Sendable {
  /// The samples, the lowest byte first.
  private let bytes: any MediaBytes
  /// The number of samples of both channels.
  let frameCount: Int
  /// The sample rate in samples per second.
  static let rate = 48_000
  /// The formats in which a phone can play it, the best first: its own, and those of lower rates and one channel.
  public static let formats: [AudioFormat] = [2, 1].flatMap { channels in
    [rate, 44_100, 32_000, 24_000, 16_000, 8000].compactMap { AudioFormat.pcm(rate: $0, channels: channels) }
  }
  /// The size of a sample of both channels in bytes.
  public static let bytesPerFrame = 4
  /// The number of samples in a packet, which fits a datagram. Ours.
  public static let framesPerPacket = 352

  /// Creates music of samples whose lowest byte comes first. An incomplete sample is left out.
  public init(littleEndian bytes: some MediaBytes) {
    self.bytes = bytes
    frameCount = bytes.count / Self.bytesPerFrame
  }

  /// Reads samples: left, right, left and so on.
  func samples(_ frames: Range<Int>) throws(VideoProblem) -> [Int16] {
    let range = (frames.lowerBound * Self.bytesPerFrame)..<(frames.upperBound * Self.bytesPerFrame)
    let read = bytes.bytes(in: range)
    guard read.count == range.count else { throw .changed }
    return stride(from: 0, to: read.count, by: 2).map {
      Int16(bitPattern: UInt16(read[$0]) | UInt16(read[$0 + 1]) << 8)
    }
  }
}

/// The packets of music in their order, in the format of a stream. Another rate takes the values between two samples
/// from the line through them, without a filter.
struct MusicSource: MediaSource {
  private let music: Music
  private let format: AudioFormat
  private var frame = 0
  /// The number of samples at the rate of the format.
  private let frameCount: Int

  init(_ music: Music, _ format: AudioFormat) {
    (self.music, self.format) = (music, format)
    frameCount = music.frameCount * format.rate / Music.rate
  }

  var nextTime: Duration { .seconds(Double(frame) / Double(format.rate)) }

  mutating func next() throws(VideoProblem) -> [UInt8]? {
    guard frame < frameCount else { return nil }
    let frames = frame..<min(frameCount, frame + Music.framesPerPacket)
    frame = frames.upperBound
    let first = frames.lowerBound * Music.rate / format.rate
    let last = (frames.upperBound - 1) * Music.rate / format.rate + 1
    let samples = try music.samples(first..<min(music.frameCount, last + 1))
    var packet: [UInt8] = []
    packet.reserveCapacity(frames.count * format.frameByteCount)
    for frame in frames {
      let (index, rest) = (frame * Music.rate).quotientAndRemainder(dividingBy: format.rate)
      func value(_ channel: Int) -> Int {
        let place = (index - first) * 2 + channel
        let (before, after) = (Int(samples[place]), Int(samples[min(place + 2, samples.count - 2 + channel)]))
        return before + (after - before) * rest / format.rate
      }
      let values = format.channels == 2 ? [value(0), value(1)] : [(value(0) + value(1)) / 2]
      for value in values { packet += UInt16(bitPattern: Int16(value)).bigEndianBytes }
    }
    return packet
  }
}
