// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing

@testable import CarPlayPrograms

/// The places of sound in its stream, and the times at which it is heard.
@Suite struct SoundTimelineTests {
  private static let second = 48_000

  private static func timeline(latency: Duration? = .milliseconds(500)) throws -> SoundTimeline {
    SoundTimeline(try #require(AudioFormat.pcm(rate: second, channels: 2)), latency: latency)
  }

  private static func time(_ milliseconds: Int) -> MonotonicTime { .zero.adding(milliseconds: milliseconds) }

  @Test func aLostPacketAndAPauseLeaveTheirPlaceAlsoWhereTimestampsWrap() throws {
    var timeline = try Self.timeline()
    let first = UInt32.max - 99
    let places = [(0, 0), (200, 4), (600, 12), (600 + Self.second, 1012)].map { offset, milliseconds in
      timeline.place(
        timestamp: first &+ UInt32(offset), frameCount: 200, at: Self.time(milliseconds))
    }
    #expect(places.map(\.position) == [0, 200, 600, Int64(600 + Self.second)])
    #expect(places.allSatisfy { $0.start == Self.time(500) })
  }

  /// A phone may send timestamps that differ by 12 hours in each packet.
  @Test func timestampsThatRunAheadOfTheClockLeaveNoGap() throws {
    var timeline = try Self.timeline()
    _ = timeline.place(timestamp: 0, frameCount: 100, at: .zero)
    var end: Int64 = 100
    for step in 1...1000 {
      let jump = [UInt32(1) << 31 - 1, UInt32(3 * Self.second), 1 << 31, 0xFFFF_FF00][step % 4]
      let place = timeline.place(timestamp: jump &* UInt32(step), frameCount: 100, at: Self.time(step))
      #expect(place.position >= end)
      end = place.position + 100
    }
    // One second, 100 000 samples, and what a stream may run ahead.
    #expect(end <= Int64(Self.second + 100_000 + 2 * Self.second + Self.second / 2))
  }

  @Test func soundAfterAPauseWithoutTimestampsIsHeardTheLatencyAfterItsArrival() throws {
    var timeline = try Self.timeline()
    _ = timeline.place(timestamp: 0, frameCount: Self.second, at: .zero)
    let place = timeline.place(timestamp: UInt32(Self.second), frameCount: 480, at: Self.time(4000))
    #expect(place.position == Int64(Self.second))
    #expect(place.start == Self.time(4000 + 500 - 1000))
  }

  @Test func soundThatArrivesFasterThanItPlaysIsNotKeptForLong() throws {
    var timeline = try Self.timeline()
    for step in 0..<100 {
      let place = timeline.place(timestamp: UInt32(step * Self.second), frameCount: Self.second, at: Self.time(step))
      let start = try #require(place.start)
      let wait = Self.time(step).duration(to: start.advanced(by: .seconds(step)))
      #expect(wait >= .zero && wait <= .milliseconds(2500))
    }
  }

  @Test func aStreamWithoutALatencyHasPlacesAndNoTimes() throws {
    var timeline = try Self.timeline(latency: nil)
    for step in 0..<3 {
      let place = timeline.place(timestamp: UInt32(step * 100), frameCount: 100, at: Self.time(step))
      #expect(place.position == Int64(step * 100) && place.start == nil)
    }
  }

  @Test func theHeaderOfAnUnknownAndOfATooLargeSizeIsTheSame() {
    let header = WAVHeader(rate: 44_100, bits: 24, channels: 1)
    let open = header.bytes(sampleByteCount: nil)
    #expect(
      open.count == WAVHeader.byteCount && open.suffix(4) == [255, 255, 255, 255] && open[4..<8] == open.suffix(4))
    for count in [Int(UInt32.max), Int(UInt32.max) - 1, 5 << 30] {
      #expect(header.bytes(sampleByteCount: count) == open)
    }
    // The size of the whole counts the byte that makes it even.
    let odd = header.bytes(sampleByteCount: 3)
    #expect(odd[4..<8] == [40, 0, 0, 0] && odd.suffix(4) == [3, 0, 0, 0])
  }
}
