// swift-iap2 · Apache-2.0

extension SoundLength {
  /// The header of a frame of MPEG audio.
  private struct Frame {
    /// The bits of a second.
    var bitRate: Int
    var sampleRate: Int
    var samples: Int
    /// The bytes of the frame.
    var size: Int
    /// The bytes before the main data of a frame of layer III.
    var side: Int
    /// The bits that are the same in each frame: version, layer and sample rate.
    var kind: UInt64

    /// The rates of MPEG 1 in kbit/s, by layer and index.
    private static let rates1 = [
      [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
      [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
      [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    ]
    /// The rates of MPEG 2 and 2.5 in kbit/s: those of layer I, and those of layers II and III.
    private static let rates2 = [
      [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
      [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// Reads a header; nil for other bytes, and for a free bit rate.
    init?(_ bytes: SoundBytes, at place: Int) {
      guard let header = bytes.big(place, 4), header >> 21 == 0x7FF else { return nil }
      // 3 is MPEG 1, 2 is MPEG 2 and 0 is MPEG 2.5.
      let version = header >> 19 & 3
      let layer = 4 - Int(header >> 17 & 3)
      let (rate, frequency) = (Int(header >> 12 & 15), Int(header >> 10 & 3))
      guard version != 1, layer < 4, rate > 0, rate < 15, frequency < 3 else { return nil }
      let isFirst = version == 3
      bitRate = 1000 * (isFirst ? Self.rates1[layer - 1] : Self.rates2[layer == 1 ? 0 : 1])[rate - 1]
      sampleRate = [44_100, 48_000, 32_000][frequency] >> (isFirst ? 0 : version == 2 ? 1 : 2)
      samples = layer == 1 ? 384 : layer == 3 && !isFirst ? 576 : 1152
      let padding = Int(header >> 9 & 1)
      size = layer == 1 ? (12 * bitRate / sampleRate + padding) * 4 : samples / 8 * bitRate / sampleRate + padding
      let isMono = header >> 6 & 3 == 3
      side = isFirst ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
      kind = header & 0xFFFE_0C00
    }
  }

  /// The bytes in which the first frame must begin.
  private static let search = 65_536

  /// Reads the number of frames in the first one, or takes its bit rate as that of all.
  static func mp3(_ bytes: SoundBytes) -> Double? {
    let start = endOfTags(bytes)
    guard let (place, frame) = firstFrame(bytes, from: start) else { return nil }
    let tag = place + 4 + frame.side
    if bytes.has("Xing", at: tag) || bytes.has("Info", at: tag) {
      if let length = xing(bytes, at: tag, frame) { return length }
    } else if bytes.has("VBRI", at: place + 36), let frames = bytes.big(place + 50, 4), frames > 0 {
      return Double(frames) * Double(frame.samples) / Double(frame.sampleRate)
    }
    let hasTag = bytes.has("TAG", at: bytes.count - 128)
    return Double(bytes.count - place - (hasTag ? 128 : 0)) * 8 / Double(frame.bitRate)
  }

  private static func firstFrame(_ bytes: SoundBytes, from start: Int) -> (Int, Frame)? {
    guard start < bytes.count else { return nil }
    for place in start..<min(bytes.count, start + search) {
      guard let frame = Frame(bytes, at: place) else { continue }
      let next = place + frame.size
      // Two frames in a row are no accident.
      if Frame(bytes, at: next)?.kind == frame.kind || next >= bytes.count && place == start { return (place, frame) }
    }
    return nil
  }

  /// Reads the number of frames, and what LAME says of the silence at both ends.
  private static func xing(_ bytes: SoundBytes, at tag: Int, _ frame: Frame) -> Double? {
    guard let flags = bytes.big(tag + 4, 4), flags & 1 != 0, let frames = bytes.big(tag + 8, 4), frames > 0 else {
      return nil
    }
    // The frames, the bytes, the table of contents and the quality, each if its flag is set.
    let sizes = [4, 4, 100, 4]
    let end = tag + 8 + sizes.indices.reduce(0) { $0 + (flags >> UInt64($1) & 1 == 0 ? 0 : sizes[$1]) }
    var samples = Double(frames) * Double(frame.samples)
    if bytes.has("LAME", at: end) || bytes.has("Lavc", at: end) || bytes.has("Lavf", at: end),
      let silence = bytes.big(end + 21, 3)
    {
      let silent = Double(silence >> 12 + silence & 0xFFF)
      if silent < samples { samples -= silent }
    }
    return samples / Double(frame.sampleRate)
  }
}
