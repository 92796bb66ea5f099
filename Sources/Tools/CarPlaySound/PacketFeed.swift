// swift-iap2 · Apache-2.0

import CarPlaySession

/// The packets of a stream in the form for a program that decodes, with others in the places of those that were lost.
struct PacketFeed: Sendable {
  private let format: AudioFormat
  private var form: any PacketForm
  /// The time of the next packet if none is lost.
  private var expected: UInt32?

  /// The longest time of lost packets that is filled, in seconds. A longer one is a pause. Ours.
  static let maximumGapSeconds = 2

  /// - Throws: A problem of a format that is not decoded.
  init(_ format: AudioFormat) throws(SoundProblem) {
    self.format = format
    switch format.codec {
    case .aacLC: form = AACForm(format: format)
    case .opus: form = OpusForm(format)
    case .pcm, .alac, .aacELD: throw .format(format)
    }
  }

  /// Returns the start of the stream, and the number of samples in it that belong to no packet.
  mutating func lead() -> (bytes: [UInt8], frameCount: Int) { (form.lead(), form.frameCount) }

  /// Returns a packet behind those in the places of the packets that were lost before it.
  ///
  /// - Parameters:
  ///   - packet: The packet.
  ///   - time: The time of its first sample; nil if it follows the packet before.
  /// - Throws: A problem of bytes that cannot be a packet.
  mutating func bytes(of packet: [UInt8], at time: UInt32?) throws(SoundProblem) -> [UInt8] {
    var bytes: [UInt8] = []
    if let time {
      let count = lostCount(before: time)
      for _ in 0..<(count ?? 0) { bytes += form.lost() }
      expected = count == nil ? time : expected.map { $0 &+ UInt32((count ?? 0) * form.frameCount) }
    }
    bytes += try form.bytes(of: packet)
    expected = expected.map { $0 &+ UInt32(form.frameCount) }
    return bytes
  }

  /// Returns the number of packets that were lost before a time; nil if the sound starts anew there.
  ///
  /// Times that are no whole number of packets apart are rounded. The error does not grow, because the expected time is
  /// that of the sound.
  private func lostCount(before time: UInt32) -> Int? {
    guard let expected else { return nil }
    let gap = Int(Int32(bitPattern: time &- expected))
    let half = form.frameCount / 2
    guard (-half...Self.maximumGapSeconds * format.rate).contains(gap) else { return nil }
    return (gap + half) / form.frameCount
  }
}
