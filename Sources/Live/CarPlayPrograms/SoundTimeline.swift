// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// The places and times of the sound of one stream, from the timestamps of its packets and their arrival.
///
/// The first sample is heard the latency of the stream after its arrival, and the others follow at the rate of the
/// format. Sound that would be heard before its arrival is heard the latency after it: the sender has paused, and its
/// timestamps have not.
struct SoundTimeline: Sendable {
  /// How far sound may be ahead of its arrival, beyond the latency. Timestamps that would go further are not believed,
  /// so a stream is never longer than the time since its first packet and its samples require. Ours.
  static let maximumLead = Duration.seconds(2)

  /// The format of the stream.
  let format: AudioFormat
  /// The time between the arrival and the hearing of sound; nil if another rule decides it.
  private let latency: Duration?
  /// The arrival of the first packet.
  private var first: MonotonicTime?
  private var start: MonotonicTime?
  /// The timestamp and the position after the last sample.
  private var next: UInt32 = 0, end: Int64 = 0

  init(_ format: AudioFormat, latency: Duration?) { (self.format, self.latency) = (format, latency) }

  /// Places a packet behind those before it.
  ///
  /// - Parameters:
  ///   - timestamp: The timestamp of its first sample. Timestamps wrap at 32 bits.
  ///   - frameCount: Its samples of all channels, at least 1.
  ///   - time: The time of its arrival.
  /// - Returns: The position of its first sample, and the time at which position 0 is heard; nil if it is unknown.
  mutating func place(
    timestamp: UInt32, frameCount: Int, at time: MonotonicTime
  ) -> (position: Int64, start: MonotonicTime?) {
    let first = first ?? time
    if self.first == nil {
      (self.first, next) = (time, timestamp)
      start = latency.map { time.advanced(by: $0) }
    }
    let gap = Int64(Int32(bitPattern: timestamp &- next))
    let limit = first.duration(to: time) + (latency ?? .zero) + Self.maximumLead
    let position = gap > 0 && duration(end + gap) <= limit ? end + gap : end
    next = timestamp &+ UInt32(truncatingIfNeeded: frameCount)
    end = position + Int64(frameCount)
    if let latency, let start {
      let wait = time.duration(to: start.advanced(by: duration(position)))
      if wait < .zero || wait > latency + Self.maximumLead {
        self.start = time.advanced(by: latency - duration(position))
      }
    }
    return (position, start)
  }

  /// Returns the duration of a number of samples.
  private func duration(_ frameCount: Int64) -> Duration {
    let (seconds, rest) = frameCount.quotientAndRemainder(dividingBy: Int64(format.rate))
    return .seconds(seconds) + .nanoseconds(rest * 1_000_000_000 / Int64(format.rate))
  }
}
