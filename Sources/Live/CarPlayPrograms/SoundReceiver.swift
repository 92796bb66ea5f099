// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// The streams of sound that a side receives: their packets become content with a place and a time.
struct SoundReceiver: Sendable {
  private var timelines: [StreamType: SoundTimeline] = [:]
  /// The number of streams of each type so far.
  private var numbers: [StreamType: Int] = [:]

  /// Begins a stream.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - format: The format; nil if it has no sound.
  ///   - latency: The time between the arrival and the hearing of sound; nil if another rule decides it.
  mutating func begin(_ type: StreamType, _ format: AudioFormat?, latency: Duration?) {
    numbers[type, default: 0] += 1
    timelines[type] = format.map { SoundTimeline($0, latency: latency) }
  }

  /// Ends a stream. Returns the content; nil for a stream without sound.
  mutating func end(_ type: StreamType) -> ReceivedContent? {
    timelines.removeValue(forKey: type) == nil ? nil : .soundEnded(type, number: numbers[type] ?? 1)
  }

  /// Ends all streams without content.
  mutating func endAll() { timelines = [:] }

  /// Takes the payload of a packet. Returns the content; nil for a payload without samples.
  mutating func take(
    _ payload: [UInt8], _ type: StreamType, timestamp: UInt32, at time: MonotonicTime
  ) -> ReceivedContent? {
    guard let format = timelines[type]?.format, let frameCount = Self.frameCount(of: payload, format), frameCount > 0,
      let place = timelines[type]?.place(timestamp: timestamp, frameCount: frameCount, at: time)
    else { return nil }
    let number = numbers[type] ?? 1
    guard format.codec == .pcm else {
      return .packet(
        ReceivedPacket(
          type, number: number, format: format, position: place.position, start: place.start, bytes: payload))
    }
    let samples = SampleOrder.swapped(payload.prefix(frameCount * format.frameByteCount), width: format.bits / 8)
    return .sound(
      ReceivedSound(
        type, number: number, format: format, position: place.position, start: place.start, samples: samples))
  }

  /// Returns the number of samples of each channel in a payload; nil for one that is not passed on.
  private static func frameCount(of payload: [UInt8], _ format: AudioFormat) -> Int? {
    // The phone may send units of 480 or of 512 samples, so their places are those of their timestamps.
    if format.codec == .aacELD { return min(1, payload.count) }
    return format.frameCount(of: payload)
  }
}
