// swift-iap2 · Apache-2.0

extension AudioFormat {
  /// The number of samples of each channel in an access unit of AAC-LC. Source: CarPlaySession.md#audio-payload.
  package static let framesPerAACUnit = 1024

  /// The number of samples of each channel in the packets that our phone sends: an access unit of AAC-LC, or 20 ms of
  /// OPUS; nil for the other codecs.
  package var framesPerCodedPacket: Int? {
    switch codec {
    case .aacLC: Self.framesPerAACUnit
    case .opus: rate / 50
    case .pcm, .alac, .aacELD: nil
    }
  }

  /// Returns the number of samples of each channel in the payload of a packet; nil if the payload does not show it.
  package func frameCount(of payload: [UInt8]) -> Int? {
    switch codec {
    case .pcm: payload.count / frameByteCount
    case .aacLC: payload.isEmpty ? nil : Self.framesPerAACUnit
    case .opus: OpusHeader(payload).flatMap { $0.isPossible ? $0.duration * rate / OpusHeader.rate : nil }
    case .alac, .aacELD: nil
    }
  }
}

/// The header of a packet of OPUS (RFC 6716, 3.1).
package struct OpusHeader: Sendable, Hashable {
  /// The number of frames in the packet.
  package let frameCount: Int
  /// The duration of a frame in samples of 48 kHz.
  package let frameDuration: Int

  /// The rate at which OPUS counts its samples, whatever the rate of the sound is.
  package static let rate = 48_000
  /// The longest duration of a packet, 120 ms, in samples of 48 kHz.
  private static let maximumDuration = rate / 1000 * 120

  /// The duration of the packet in samples of 48 kHz.
  package var duration: Int { frameCount * frameDuration }
  /// Whether a packet can have this duration.
  package var isPossible: Bool { (1...Self.maximumDuration).contains(duration) }

  /// Reads the header; nil for a packet that ends before its header does.
  package init?(_ packet: [UInt8]) {
    guard let first = packet.first else { return nil }
    switch first & 3 {
    case 0: frameCount = 1
    case 1, 2: frameCount = 2
    default:
      guard packet.count > 1 else { return nil }
      frameCount = Int(packet[1] & 0x3F)
    }
    let number = Int(first >> 3)
    // In quarters of 10 ms: SILK has 10 to 60 ms, hybrid frames 10 and 20 ms, CELT 2.5 to 20 ms.
    let quarters =
      switch number {
      case 0..<12: [4, 8, 16, 24][number % 4]
      case 12..<16: [4, 8][number % 2]
      default: [1, 2, 4, 8][number % 4]
      }
    frameDuration = quarters * Self.rate / 400
  }
}
