// swift-iap2 · Apache-2.0

public import CarPlaySession

/// An encoder of the sound of one stream, which the owner of a program provides. No call waits.
public protocol SoundCoder: Sendable {
  /// Takes samples at the rate and with the channels of the format: 16 bits, the lowest byte first.
  func write(_ samples: [UInt8])
  /// Ends the sound. The packets of the samples that wait still come.
  func finish()
  /// Returns the packets that are complete and were not returned before, in their order, and the state behind them.
  func takePackets() -> (packets: [[UInt8]], state: SoundCoderState)
}

/// The state of an encoder behind the packets that it returned.
public enum SoundCoderState: Sendable, Hashable {
  /// More packets may come.
  case active
  /// The sound is complete.
  case ended
  /// The encoder failed, and no more packets come.
  case failed
}

/// The encoders that the owner of a program provides.
public struct SoundCoders: Sendable {
  /// The codecs.
  public var codecs: Set<AudioFormat.Codec>
  /// Creates an encoder into a format of one of the codecs; nil if it cannot be started.
  public var make: @Sendable (AudioFormat) -> (any SoundCoder)?

  /// Creates a set of encoders.
  ///
  /// - Parameters:
  ///   - codecs: The codecs.
  ///   - make: Creates an encoder into a format of one of them; nil if it cannot be started.
  public init(_ codecs: Set<AudioFormat.Codec>, make: @escaping @Sendable (AudioFormat) -> (any SoundCoder)?) {
    (self.codecs, self.make) = (codecs, make)
  }

  /// No encoders.
  public static let none = SoundCoders([]) { _ in nil }
}
