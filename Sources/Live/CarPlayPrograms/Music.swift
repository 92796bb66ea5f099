// swift-iap2 · Apache-2.0

public import CarPlaySession

/// Music that a phone plays: 16-bit PCM, stereo, 48 kHz, in the byte order of the wire.
public struct Music: Sendable {
  /// The samples, the highest byte first.
  public let bytes: [UInt8]
  /// The format.
  public static let format = AudioFormat.pcm(rate: 48_000, channels: 2)
  /// The size of a sample of both channels in bytes.
  public static let bytesPerFrame = 4
  /// The number of samples in a packet, which fits a datagram. Ours.
  public static let framesPerPacket = 352

  /// Reads samples whose lowest byte comes first. An incomplete sample is left out.
  public init(littleEndian bytes: [UInt8]) {
    var swapped = Array(bytes.prefix(bytes.count / Self.bytesPerFrame * Self.bytesPerFrame))
    for index in stride(from: 0, to: swapped.count, by: 2) { swapped.swapAt(index, index + 1) }
    self.bytes = swapped
  }
}
