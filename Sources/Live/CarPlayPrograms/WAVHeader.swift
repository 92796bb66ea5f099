// swift-iap2 · Apache-2.0

import Basics

/// The header of a WAV file with linear PCM.
package struct WAVHeader: Sendable, Hashable {
  /// The size of the header in bytes. The samples follow it.
  package static let byteCount = 44
  /// The value of a size that is unknown. Players then read to the end of the file, as they do with WAV from a pipe.
  private static let unknown = UInt32.max

  /// The samples per second.
  package var rate: Int
  /// The bits of a sample: 16 or 24.
  package var bits: Int
  /// The number of channels.
  package var channels: Int

  /// Creates a header.
  ///
  /// - Parameters:
  ///   - rate: The samples per second.
  ///   - bits: The bits of a sample, 16 or 24.
  ///   - channels: The number of channels.
  package init(rate: Int, bits: Int, channels: Int) { (self.rate, self.bits, self.channels) = (rate, bits, channels) }

  /// Returns the bytes of the header.
  ///
  /// - Parameter sampleByteCount: The size of all samples in bytes; nil while it is unknown. A size that does not fit the
  ///   32 bits of the format is written as an unknown one.
  package func bytes(sampleByteCount: Int?) -> [UInt8] {
    let size = sampleByteCount.flatMap { UInt32(exactly: $0) } ?? Self.unknown
    // An odd number of bytes is followed by one that does not count.
    let (padded, isTooLong) = size.addingReportingOverflow(size & 1)
    let (whole, isWholeTooLong) = padded.addingReportingOverflow(UInt32(Self.byteCount - 8))
    let isUnknown = isTooLong || isWholeTooLong
    let frameByteCount = bits / 8 * channels
    var bytes = Array("RIFF".utf8) + (isUnknown ? Self.unknown : whole).littleEndianBytes + Array("WAVEfmt ".utf8)
    bytes += UInt32(16).littleEndianBytes
    // 1 is linear PCM.
    bytes += UInt16(1).littleEndianBytes + UInt16(channels).littleEndianBytes
    bytes += UInt32(rate).littleEndianBytes + UInt32(rate * frameByteCount).littleEndianBytes
    bytes += UInt16(frameByteCount).littleEndianBytes + UInt16(bits).littleEndianBytes
    return bytes + Array("data".utf8) + (isUnknown ? Self.unknown : size).littleEndianBytes
  }
}
