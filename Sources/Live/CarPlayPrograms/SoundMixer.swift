// swift-iap2 · Apache-2.0

package import Basics
import CarPlaySession

/// A mix of all sound of a head unit as the driver hears it: each stream at its time, and all but prompts at the volume
/// that the phone lowers for a prompt.
///
/// The mix of a session begins with its first sound. It is made as time goes on, so the mixer holds only sound that is
/// not heard yet. Sound whose time is unknown is left out.
package struct SoundMixer: Sendable {
  /// The samples per second of the mix.
  package static let rate = 48_000
  /// The channels of the mix: left and right.
  package static let channels = 2

  /// A piece of the mix. Each one follows the piece before it.
  package enum Piece: Sendable, Hashable {
    /// Silence, by its samples of both channels.
    case silence(frameCount: Int64)
    /// Samples: left, right, left and so on.
    case samples([Int16])
  }

  /// Returns samples with the lowest byte of each first.
  package static func bytes(_ samples: [Int16]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(samples.count * 2)
    for sample in samples {
      bytes.append(UInt8(truncatingIfNeeded: sample))
      bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    return bytes
  }

  /// The largest number of samples of both channels in a piece: a tenth of a second. Ours.
  private static let maximumFrameCount: Int64 = 4800
  /// The time for which an ended stream is still heard. A phone ends a stream when it expects the end of its sound, and
  /// the network delays both. Ours.
  static let tail = Duration.milliseconds(100)

  /// The shortest delay of sound that arrives when it is heard: a sample at 8 kHz, the lowest rate, because the line to
  /// a sample waits for that sample.
  package static let minimumDelay = Duration.microseconds(125)

  private let delay: Duration
  /// The streams in the order of their beginnings.
  private var sources: [Source] = []
  private var volume = Volume()
  /// The next sample of the mix, counted from the origin of the clock; nil before the first sound of a session.
  private var next: Int64?

  /// Creates a mixer.
  ///
  /// - Parameter delay: The time for which all sound is delayed. An owner that calls ``advance(to:)`` by a clock of its
  ///   own needs it as long as content is late on its way.
  package init(delay: Duration = SoundMixer.minimumDelay) { self.delay = delay }

  /// Takes content, and returns the mix until its time.
  package mutating func take(_ content: ReceivedContent, at time: MonotonicTime) -> [Piece] {
    var mixed = advance(to: time)
    switch content {
    case .sound(let sound): add(sound)
    case .volume(let volume): self.volume = volume
    case .soundEnded(let type, let number):
      guard let index = index(of: type, number) else { break }
      sources[index].cut(from: end(at: time))
      sources[index].isEnded = true
    case .sessionEnded:
      for index in sources.indices { sources[index].cut(from: end(at: time)) }
      if let last = sources.compactMap(\.end).max() { mixed += mix(until: last) }
      self = SoundMixer(delay: delay)
    case .screen, .packet, .count: break
    }
    return mixed
  }

  /// Returns the mix until a time.
  package mutating func advance(to time: MonotonicTime) -> [Piece] { mix(until: Self.frame(at: time)) }

  private func index(of type: StreamType, _ number: Int) -> Int? {
    sources.firstIndex { $0.type == type && $0.number == number }
  }

  /// Returns the sample at which a stream falls silent that ends at a time.
  private func end(at time: MonotonicTime) -> Int64 { Self.frame(at: time.advanced(by: delay + Self.tail)) }

  private mutating func add(_ sound: ReceivedSound) {
    guard let start = sound.start else { return }
    let index = index(of: sound.type, sound.number) ?? sources.endIndex
    if index == sources.endIndex { sources.append(Source(sound)) }
    sources[index].add(sound, start: Self.frame(at: start.advanced(by: delay)))
  }

  private mutating func mix(until end: Int64) -> [Piece] {
    if let next { for index in sources.indices { sources[index].drop(before: next) } }
    guard var frame = next ?? firstSound, frame < end else { return [] }
    var pieces: [Piece] = []
    while frame < end {
      let begin = min(max(frame, firstSound ?? end), end)
      if begin > frame {
        pieces.append(.silence(frameCount: begin - frame))
        frame = begin
      } else {
        let stop = min(frame + Self.maximumFrameCount, end)
        pieces.append(.samples(samples(frame..<stop)))
        frame = stop
        for index in sources.indices { sources[index].drop(before: frame) }
      }
    }
    next = frame
    sources.removeAll { $0.isEnded && $0.end == nil }
    return pieces
  }

  /// The first sample of a stream that is not mixed yet.
  private var firstSound: Int64? { sources.compactMap(\.first).min() }

  private func samples(_ frames: Range<Int64>) -> [Int16] {
    let gains = gains(frames)
    var sum = [Float](repeating: 0, count: frames.count * Self.channels)
    for source in sources { source.add(frames, to: &sum, gains: source.type == .alternateAudio ? nil : gains) }
    return sum.map { Int16(max(-32_768, min(32_767, $0.rounded()))) }
  }

  /// Returns the volume of samples; nil if it is the full one.
  private func gains(_ frames: Range<Int64>) -> [Float]? {
    let (first, last) = (Self.nanoseconds(of: frames.lowerBound), Self.nanoseconds(of: frames.upperBound))
    let gain = volume.gain(at: first)
    // A ramp goes in one direction, so equal ends have no ramp between them.
    guard volume.decibels(at: first) != volume.decibels(at: last) else {
      return gain == 1 ? nil : [Float](repeating: Float(gain), count: frames.count)
    }
    return frames.map { Float(volume.gain(at: Self.nanoseconds(of: $0))) }
  }

  // MARK: Time

  // 6 samples take 125 µs.
  private static let unit: (frames: Int64, nanoseconds: Int64) = (6, 125_000)

  static func frame(at time: MonotonicTime) -> Int64 {
    let (units, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: unit.nanoseconds)
    return units * unit.frames + rest * unit.frames / unit.nanoseconds
  }

  private static func nanoseconds(of frame: Int64) -> Int64 {
    let (units, rest) = frame.quotientAndRemainder(dividingBy: unit.frames)
    return units * unit.nanoseconds + rest * unit.nanoseconds / unit.frames
  }
}

/// The sound of a stream that is not heard yet.
private struct Source: Sendable {
  /// Converted sound in the order of its time.
  private struct Piece: Sendable {
    var first: Int64
    var samples: [Float]
    var frames: Range<Int64> { first..<first + Int64(samples.count / SoundMixer.channels) }
  }

  let type: StreamType
  let number: Int
  var isEnded = false
  private var converter: SoundConverter
  private var pieces: [Piece] = []

  init(_ sound: ReceivedSound) {
    (type, number, converter) = (sound.type, sound.number, SoundConverter(sound.format))
  }

  /// The first sample; nil without sound.
  var first: Int64? { pieces.first?.first }
  /// The sample after the last one; nil without sound.
  var end: Int64? { pieces.last?.frames.upperBound }

  /// Adds sound of a stream whose position 0 is heard at the sample `start`. It replaces earlier sound at its time.
  mutating func add(_ sound: ReceivedSound, start: Int64) {
    let (first, samples) = converter.convert(sound)
    guard !samples.isEmpty else { return }
    cut(from: start + first)
    pieces.append(Piece(first: start + first, samples: samples))
  }

  /// Removes the sound from a sample on.
  mutating func cut(from frame: Int64) {
    while let last = pieces.last, last.frames.upperBound > frame {
      pieces.removeLast()
      guard last.first < frame else { continue }
      let count = Int(frame - last.first) * SoundMixer.channels
      pieces.append(Piece(first: last.first, samples: Array(last.samples.prefix(count))))
    }
  }

  /// Removes the pieces that end before a sample.
  mutating func drop(before frame: Int64) {
    pieces.removeFirst(pieces.prefix { $0.frames.upperBound <= frame }.count)
  }

  /// Adds the samples of a range to a sum, with the gain of each.
  func add(_ frames: Range<Int64>, to sum: inout [Float], gains: [Float]?) {
    for piece in pieces {
      let common = frames.clamped(to: piece.frames)
      if piece.first >= frames.upperBound { break }
      for frame in common {
        let gain = gains?[Int(frame - frames.lowerBound)] ?? 1
        let (from, to) = (Int(frame - piece.first) * 2, Int(frame - frames.lowerBound) * 2)
        for side in 0..<SoundMixer.channels { sum[to + side] += piece.samples[from + side] * gain }
      }
    }
  }
}
