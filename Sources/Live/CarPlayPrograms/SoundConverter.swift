// swift-iap2 · Apache-2.0

import CarPlaySession

/// A converter of a stream's sound to the form of a mix: the rate and the two channels of ``SoundMixer``. A sample at
/// another rate lies on the line between two samples, without a filter. One channel is heard on both sides.
struct SoundConverter: Sendable {
  private let format: AudioFormat
  /// The position after the last sample; nil before the first.
  private var end: Int64?
  /// The last sample on both sides.
  private var last: [Float] = []
  /// The next converted sample, counted from position 0 of the stream.
  private var next: Int64 = 0

  /// Creates a converter of a format of PCM.
  init(_ format: AudioFormat) { self.format = format }

  /// Converts the next piece of the stream. The line to a sample that has not arrived waits for the next piece.
  ///
  /// - Returns: The first converted sample, counted from position 0 of the stream, and the samples: left, right, left and
  ///   so on, of 16 bits, with a fraction.
  mutating func convert(_ sound: ReceivedSound) -> (first: Int64, samples: [Float]) {
    let (rate, newRate) = (Int64(format.rate), Int64(SoundMixer.rate))
    var input = read(sound.samples)
    var base = sound.position
    if end == sound.position {
      input = last + input
      base -= 1
    } else {
      next = (sound.position * newRate + rate - 1) / rate
    }
    end = sound.position + Int64(sound.frameCount)
    last = input.suffix(2)
    let first = next
    var samples: [Float] = []
    samples.reserveCapacity(input.count * SoundMixer.rate / format.rate + 2)
    while true {
      let (index, rest) = (next * rate).quotientAndRemainder(dividingBy: newRate)
      let place = Int(index - base) * 2
      guard place + (rest == 0 ? 0 : 2) < input.count else { break }
      for side in place...(place + 1) {
        let value = input[side]
        samples.append(rest == 0 ? value : value + (input[side + 2] - value) * Float(rest) / Float(newRate))
      }
      next += 1
    }
    return (first, samples)
  }

  /// Reads samples, and returns those of both sides as 16 bits with a fraction.
  private func read(_ bytes: [UInt8]) -> [Float] {
    let width = format.bits / 8
    var samples: [Float] = []
    samples.reserveCapacity(bytes.count / width * 2 / format.channels)
    for start in stride(from: 0, to: bytes.count - width + 1, by: width) {
      // The highest byte has the sign.
      var value = Int32(Int8(bitPattern: bytes[start + width - 1]))
      for index in (0..<width - 1).reversed() { value = value << 8 | Int32(bytes[start + index]) }
      let sample = Float(value) / Float(Int32(1) << Int32(format.bits - 16))
      samples.append(sample)
      if format.channels == 1 { samples.append(sample) }
    }
    return samples
  }
}
