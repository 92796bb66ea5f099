// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// A packet of OPUS (RFC 6716, 3).
struct OpusPacket {
  let bytes: [UInt8]
  /// The duration in samples of 48 kHz.
  let duration: Int

  /// The rate at which OPUS counts its samples, whatever the rate of the sound is.
  static let rate = OpusHeader.rate
  /// The size of the largest packet that is taken, above that of the three frames which most encoders put into one.
  static let maximumByteCount = 8192

  private init(bytes: [UInt8], duration: Int) { (self.bytes, self.duration) = (bytes, duration) }

  /// Creates a packet.
  ///
  /// - Throws: A problem of bytes that cannot be a packet.
  init(_ bytes: [UInt8]) throws(SoundProblem) {
    guard !bytes.isEmpty else { throw .packet("a packet of OPUS has no bytes") }
    guard bytes.count <= Self.maximumByteCount else {
      throw .packet("a packet of OPUS has \(bytes.count) bytes, expected at most \(Self.maximumByteCount)")
    }
    guard let header = OpusHeader(bytes) else {
      throw .packet("a packet of OPUS ends before the number of its frames")
    }
    guard header.isPossible else {
      throw .packet("a packet of OPUS has \(header.frameCount) frames, expected 1 to 120 ms of them")
    }
    self.init(bytes: bytes, duration: header.duration)
  }

  /// The packet in the place of a lost one with the same mode and duration as this one. Its frames have no bytes, so a
  /// decoder conceals them.
  var lost: [UInt8] {
    let mode = bytes[0] & 0xFC
    let count = OpusHeader([mode]).map { duration / $0.frameDuration } ?? 1
    return count == 1 ? [mode] : [mode | 3, UInt8(count)]
  }

  /// A packet of 20 ms without bytes in its only frame, for the full band of one channel.
  static let silence = OpusPacket(bytes: [31 << 3], duration: rate / 50)

  /// Returns the two packets at the start of a stream in Ogg (RFC 7845, 5).
  static func headers(of format: AudioFormat) -> [[UInt8]] {
    // No sample at the start is left out, and the volume stays.
    let head =
      Array("OpusHead".utf8) + [1, UInt8(format.channels)] + UInt16(0).littleEndianBytes
      + UInt32(format.rate).littleEndianBytes + UInt16(0).littleEndianBytes + [0]
    let maker = Array("swift-iap2".utf8)
    let tags =
      Array("OpusTags".utf8) + UInt32(maker.count).littleEndianBytes + maker + UInt32(0).littleEndianBytes
    return [head, tags]
  }
}

/// Reads the packets of OPUS behind the two headers of a stream in Ogg.
struct OpusReader: PieceReader {
  private var ogg = OggReader()
  private var missingHeaders = ["OpusHead", "OpusTags"]

  mutating func pieces(in bytes: ArraySlice<UInt8>) throws(SoundProblem) -> [[UInt8]] {
    var packets = try ogg.pieces(in: bytes)
    while let header = missingHeaders.first, let packet = packets.first {
      guard packet.starts(with: header.utf8) else { throw .output("the output of the encoder has no \(header)") }
      missingHeaders.removeFirst()
      packets.removeFirst()
    }
    return packets
  }
}
