// swift-iap2 · Apache-2.0

import CarPlaySession

/// A form in which a program reads the packets of a codec.
protocol PacketForm: Sendable {
  /// The number of samples of each channel in the last packet, at the rate of the stream.
  var frameCount: Int { get }
  /// Returns the start of a stream with one silent packet. With it the program knows rate and channels, and gives a time
  /// to the first packet of AAC.
  mutating func lead() -> [UInt8]
  /// Returns a packet in this form.
  ///
  /// - Throws: A problem of bytes that cannot be a packet.
  mutating func bytes(of packet: [UInt8]) throws(SoundProblem) -> [UInt8]
  /// Returns a packet in the place of a lost one, as long as the last packet.
  mutating func lost() -> [UInt8]
}

/// Access units of AAC-LC in ADTS frames.
struct AACForm: PacketForm {
  let format: AudioFormat

  var frameCount: Int { AACUnit.frameCount }

  func lead() -> [UInt8] { lost() }

  func bytes(of packet: [UInt8]) throws(SoundProblem) -> [UInt8] {
    guard (1...ADTS.maximumUnitByteCount).contains(packet.count) else {
      throw .packet("a packet of AAC has \(packet.count) bytes, expected 1 to \(ADTS.maximumUnitByteCount)")
    }
    return frame(packet)
  }

  func lost() -> [UInt8] { frame(AACUnit.silence) }

  private func frame(_ unit: [UInt8]) -> [UInt8] {
    guard let frame = ADTS.frame(unit, rate: format.rate, channels: format.channels) else {
      preconditionFailure("\(format) has no ADTS header")
    }
    return frame
  }
}

/// Packets of OPUS on pages of Ogg.
struct OpusForm: PacketForm {
  private let format: AudioFormat
  private var ogg = OggWriter()
  /// The number of samples of 48 kHz up to the end of the last packet.
  private var end = 0
  private var last = OpusPacket.silence

  init(_ format: AudioFormat) { self.format = format }

  var frameCount: Int { last.duration * format.rate / OpusPacket.rate }

  mutating func lead() -> [UInt8] { headers() + page(last.bytes) }

  /// Returns the pages at the start of a file.
  mutating func headers() -> [UInt8] {
    OpusPacket.headers(of: format).reduce(into: []) { $0 += ogg.page($1, end: 0) }
  }

  mutating func bytes(of packet: [UInt8]) throws(SoundProblem) -> [UInt8] {
    last = try OpusPacket(packet)
    return page(packet)
  }

  mutating func lost() -> [UInt8] { page(last.lost) }

  private mutating func page(_ bytes: [UInt8]) -> [UInt8] {
    end += last.duration
    return ogg.page(bytes, end: end)
  }
}
