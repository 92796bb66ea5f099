// swift-iap2 · Apache-2.0

/// A format of sound, which is one bit of a number. Source: CarPlaySession.md#audio-formats.
public struct AudioFormat: Sendable, Hashable {
  /// The form of the payload.
  public enum Codec: String, Sendable, Hashable, CaseIterable {
    /// Linear PCM with interleaved channels, the highest byte of a sample first.
    case pcm
    /// Apple Lossless.
    case alac
    /// AAC-LC, one raw access unit in each packet.
    case aacLC = "aac-lc"
    /// AAC-ELD.
    case aacELD = "aac-eld"
    /// Opus, one Opus packet in each packet of the stream.
    case opus
  }

  /// The number of the bit.
  public let bit: Int
  /// The form of the payload.
  public let codec: Codec
  /// The sample rate in samples per second.
  public let rate: Int
  /// The number of bits in a sample.
  public let bits: Int
  /// The number of channels.
  public let channels: Int

  /// The value on the wire.
  public var rawValue: UInt64 { 1 << UInt64(bit) }

  /// The size of one sample of all channels in bytes, for PCM.
  public var frameByteCount: Int { bits / 8 * channels }

  /// The formats that are known, in the order of their bits.
  public static let all: [AudioFormat] = {
    var formats: [AudioFormat] = []
    func add(_ bit: Int, _ codec: Codec, _ rate: Int, bits: Int = 16, _ channels: Int) {
      formats.append(AudioFormat(bit: bit, codec: codec, rate: rate, bits: bits, channels: channels))
    }
    for (index, rate) in [8000, 16_000, 24_000, 32_000].enumerated() {
      for channels in 1...2 { add(2 + 2 * index + channels - 1, .pcm, rate, channels) }
    }
    for (index, (rate, bits)) in [(44_100, 16), (44_100, 24), (48_000, 16), (48_000, 24)].enumerated() {
      for channels in 1...2 { add(10 + 2 * index + channels - 1, .pcm, rate, bits: bits, channels) }
    }
    for (index, (rate, bits)) in [(44_100, 16), (44_100, 24), (48_000, 16), (48_000, 24)].enumerated() {
      add(18 + index, .alac, rate, bits: bits, 2)
    }
    for (index, rate) in [44_100, 48_000].enumerated() {
      add(22 + index, .aacLC, rate, 2)
    }
    for (index, rate) in [44_100, 48_000].enumerated() {
      add(24 + index, .aacELD, rate, 2)
    }
    for (index, rate) in [16_000, 24_000].enumerated() {
      add(26 + index, .aacELD, rate, 1)
    }
    for (index, rate) in [16_000, 24_000, 48_000].enumerated() {
      add(28 + index, .opus, rate, 1)
    }
    for (index, rate) in [44_100, 48_000].enumerated() {
      add(31 + index, .aacELD, rate, 1)
    }
    return formats
  }()

  /// Reads the value of a stream's set-up; nil for a value that is not one known bit.
  public init?(rawValue: UInt64) {
    guard let format = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = format
  }

  private init(bit: Int, codec: Codec, rate: Int, bits: Int, channels: Int) {
    (self.bit, self.codec, self.rate, self.bits, self.channels) = (bit, codec, rate, bits, channels)
  }

  /// Returns the PCM format of 16 bits with a rate and a number of channels.
  ///
  /// - Returns: The format; nil for a rate or a number of channels without a bit.
  public static func pcm(rate: Int, channels: Int) -> AudioFormat? {
    all.first { $0.codec == .pcm && $0.rate == rate && $0.channels == channels && $0.bits == 16 }
  }

  /// Returns the known formats whose bits are set in a number.
  public static func formats(in value: UInt64) -> [AudioFormat] { all.filter { value & $0.rawValue != 0 } }
}

extension AudioFormat: CustomStringConvertible {
  /// A text such as `pcm/48000/16/2`.
  public var description: String { "\(codec.rawValue)/\(rate)/\(bits)/\(channels)" }
}
