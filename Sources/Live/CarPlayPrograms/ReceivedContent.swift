// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

/// A piece of content that a side received, in a form for files. A phone receives the sound of the microphone alone.
public enum ReceivedContent: Sendable, Hashable {
  /// H.264 as a byte stream (Annex B): parameter sets, or a picture.
  case screen(StreamType, [UInt8])
  /// Samples of a stream of sound.
  case sound(ReceivedSound)
  /// A packet of a stream of AAC-LC, OPUS or AAC-ELD.
  case packet(ReceivedPacket)
  /// The end of a stream of sound; the number counts the streams of the type.
  case soundEnded(StreamType, number: Int)
  /// The volume of all sound but that of `alternateAudio` from now on.
  case volume(Volume)
  /// The number of pictures of a screen that ended, and the number of those that arrived more than 33 ms after their
  /// time.
  case count(StreamType, pictures: Int, late: Int)
  /// The end of the session. All its streams have ended.
  case sessionEnded
}

/// Received samples, with their place in the stream.
public struct ReceivedSound: Sendable, Hashable {
  /// The type of the stream.
  public var type: StreamType
  /// The number of the stream among those of the type, from 1 on.
  public var number: Int
  /// The format of the samples: PCM.
  public var format: AudioFormat
  /// The place of the first sample, in samples of all channels since the first one of the stream. The place after a
  /// lost packet or a pause of the sender follows from the timestamps, and is never before the end of earlier samples.
  public var position: Int64
  /// The time at which position 0 is heard; nil if it is unknown. It moves when the sender pauses and its timestamps do
  /// not, because all later sound is then heard later.
  public var start: MonotonicTime?
  /// Whole samples with interleaved channels, the lowest byte of a sample first.
  public var samples: [UInt8]

  /// Creates a piece of sound.
  ///
  /// - Parameters:
  ///   - type: The type of the stream.
  ///   - number: The number of the stream among those of the type.
  ///   - format: The format of the samples, PCM.
  ///   - position: The place of the first sample in the stream.
  ///   - start: The time at which position 0 is heard; nil if it is unknown.
  ///   - samples: Whole samples, the lowest byte first.
  public init(
    _ type: StreamType, number: Int, format: AudioFormat, position: Int64, start: MonotonicTime?, samples: [UInt8]
  ) {
    (self.type, self.number, self.format) = (type, number, format)
    (self.position, self.start, self.samples) = (position, start, samples)
  }

  /// The number of samples of all channels.
  public var frameCount: Int { samples.count / format.frameByteCount }
}

/// A received packet of coded sound, with its place in the stream.
public struct ReceivedPacket: Sendable, Hashable {
  /// The type of the stream.
  public var type: StreamType
  /// The number of the stream among those of the type, from 1 on.
  public var number: Int
  /// The format of the stream.
  public var format: AudioFormat
  /// The place of the first sample, as that of ``ReceivedSound``. The length of a packet of AAC-ELD is unknown, so such
  /// a packet is only known to be behind the one before it.
  public var position: Int64
  /// The time at which position 0 is heard, without the time that a decoder needs; nil if it is unknown.
  public var start: MonotonicTime?
  /// The payload: an access unit of AAC, or a packet of OPUS.
  public var bytes: [UInt8]

  /// Creates a packet.
  ///
  /// - Parameters:
  ///   - type: The type of the stream.
  ///   - number: The number of the stream among those of the type.
  ///   - format: The format of the stream.
  ///   - position: The place of the first sample in the stream.
  ///   - start: The time at which position 0 is heard; nil if it is unknown.
  ///   - bytes: The payload.
  public init(
    _ type: StreamType, number: Int, format: AudioFormat, position: Int64, start: MonotonicTime?, bytes: [UInt8]
  ) {
    (self.type, self.number, self.format) = (type, number, format)
    (self.position, self.start, self.bytes) = (position, start, bytes)
  }
}
