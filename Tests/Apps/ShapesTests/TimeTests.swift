// swift-iap2 · Apache-2.0

import AVFoundation
import Foundation
import Testing

/// Times of Core Media: the results of its public header, CMTime.h.
@Suite struct TimeTests {
  private static let ordered: [CMTime] = [
    .negativeInfinity, CMTime(value: .min, timescale: 1), CMTime(value: -1, timescale: 3), .zero,
    CMTime(value: 1, timescale: 3), CMTime(value: .max, timescale: .max), CMTime(value: .max, timescale: 1),
    .indefinite,
    .positiveInfinity, .invalid,
  ]

  @Test func `times have an order, and equal times of two scales are one`() {
    for (i, a) in Self.ordered.enumerated() {
      for (j, b) in Self.ordered.enumerated() {
        #expect((a < b) == (i < j) && (a == b) == (i == j) && CMTimeCompare(a, b) == (i < j ? -1 : i == j ? 0 : 1))
      }
    }
    let times: Set = [CMTime(value: 1, timescale: 2), CMTime(value: 300, timescale: 600)]
    #expect(times.count == 1 && CMTime(value: 0, timescale: 90_000) == .zero)
  }

  @Test func `times are made of seconds`() {
    #expect(CMTime(seconds: 1.5, preferredTimescale: 600) == CMTimeMake(value: 900, timescale: 600))
    #expect(CMTimeGetSeconds(CMTimeMakeWithSeconds(-0.25, preferredTimescale: 1000)) == -0.25)
    #expect(!CMTime(seconds: .nan, preferredTimescale: 1).isValid && !CMTime(value: 1, timescale: 0).isValid)
    #expect(CMTime(seconds: .infinity, preferredTimescale: 1).isPositiveInfinity)
    #expect(CMTime(seconds: -1e300, preferredTimescale: 1).isNegativeInfinity)
    // The scale is smaller where the value would be too large.
    #expect(CMTime(seconds: 1e15, preferredTimescale: 1_000_000_000).seconds == 1e15)
    #expect(CMTime.indefinite.seconds.isNaN && CMTime().seconds.isNaN && CMTime.indefinite.isValid)
    #expect(!CMTime.indefinite.isNumeric && CMTime.zero.isNumeric && CMTime.indefinite.isIndefinite)
  }

  @Test func `times are added and subtracted`() {
    let (third, half) = (CMTime(value: 1, timescale: 3), CMTime(value: 1, timescale: 2))
    #expect(third + half == CMTime(value: 5, timescale: 6) && half - third == CMTime(value: 1, timescale: 6))
    // No scale of 32 bits has both.
    let (a, b) = (CMTime(value: 1, timescale: 2_147_483_629), CMTime(value: 1_000, timescale: 999))
    #expect(abs((a + b).seconds - (a.seconds + b.seconds)) < 1e-9)
    let most = CMTime(value: .max, timescale: 1)
    #expect((most + most).isPositiveInfinity && (CMTime(value: .min, timescale: 1) - most).isNegativeInfinity)
    #expect(!(CMTime.positiveInfinity - .positiveInfinity).isValid && !(CMTime.invalid + .zero).isValid)
    #expect((CMTime.positiveInfinity + .indefinite).isPositiveInfinity && (half - .indefinite).isIndefinite)
    #expect((half - .positiveInfinity).isNegativeInfinity)
    for a in Self.ordered {
      for b in Self.ordered { #expect(a + b == b + a) }
    }
  }

  @Test func `an object keeps a time`() {
    for time in Self.ordered { #expect(NSValue(time: time).timeValue == time) }
    #expect(!NSValue(range: NSRange(location: 1, length: 2)).timeValue.isValid)
  }
}
