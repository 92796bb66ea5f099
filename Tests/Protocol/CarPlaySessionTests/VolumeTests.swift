// swift-iap2 · Apache-2.0

import CarPlaySession
import Foundation
import Testing

@Suite struct VolumeTests {
  private let millisecond: Int64 = 1_000_000

  @Test func aDuckFallsAndAnUnduckRisesLinearlyInDecibels() {
    var volume = Volume()
    #expect(volume.gain(at: 0) == 1 && !volume.isDucked)
    volume.duck(at: 1000 * millisecond)
    for (time, decibels) in [(0, 0.0), (1000, 0), (1075, -5), (1150, -10), (1300, -20), (9000, -20)] {
      #expect(abs(volume.decibels(at: Int64(time) * millisecond) - decibels) < 1e-9)
    }
    volume.unduck(at: 2000 * millisecond)
    for (time, decibels) in [(2000, -20.0), (2125, -15), (2500, 0), (9000, 0)] {
      #expect(abs(volume.decibels(at: Int64(time) * millisecond) - decibels) < 1e-9)
    }
  }

  @Test func anUnduckWithoutADuckIsIgnoredAndASecondDuckReplacesTheFirst() {
    var volume = Volume()
    volume.unduck(at: 5)
    #expect(volume == Volume())
    volume.duck(to: -20, duration: 200, at: 0)
    volume.duck(to: -40, duration: 100, at: 100)
    #expect(volume.decibels(at: 100) == -10 && volume.decibels(at: 150) == -25 && volume.decibels(at: 200) == -40)
    volume.unduck(duration: 400, at: 200)
    let rising = volume
    volume.unduck(duration: 1, at: 300)
    #expect(volume == rising && volume.decibels(at: 400) == -20)
    // A duck during the way back starts from the present volume.
    volume.duck(to: -30, duration: 10, at: 400)
    #expect(volume.decibels(at: 405) == -25)
  }

  @Test func theGainIsThePowerOfTen() {
    for decibels in stride(from: -143.9, through: 0, by: 0.37) {
      var volume = Volume()
      volume.duck(to: decibels, duration: 0, at: 0)
      let expected = pow(10, decibels / 20)
      #expect(abs(volume.gain(at: 0) - expected) <= expected * 1e-14)
    }
    var silent = Volume()
    silent.duck(to: -.infinity, duration: 0, at: 0)
    #expect(silent.gain(at: 0) == 0)
  }

  @Test func samplesAreScaledInPlaceAndChannelsAlike() {
    var volume = Volume()
    var samples: [Int16] = [.max, .min, 1000, -1000]
    volume.apply(to: &samples, channelCount: 2, rate: 48_000, at: 0)
    #expect(samples == [.max, .min, 1000, -1000])
    volume.duck(to: -20, duration: 0, at: 0)
    volume.apply(to: &samples, channelCount: 2, rate: 48_000, at: 1)
    #expect(samples == [3277, -3277, 100, -100])
    // A ramp of -20 decibels in 10 samples: one sample of each channel is 2 decibels below the one before.
    var ramp = Volume()
    ramp.duck(to: -20, duration: 10 * millisecond, at: 0)
    var loud = [Int16](repeating: 10_000, count: 24)
    ramp.apply(to: &loud, channelCount: 2, rate: 1000, at: 0)
    let expected = (0..<12).map { Int16((10_000 * pow(10, -Double(min($0, 10)) / 10)).rounded()) }
    #expect(loud == expected.flatMap { [$0, $0] })
  }

  @Test func anyNumbersOfAPeerNeverTrap() {
    let numbers: [Int64] = [.min, -1, 0, 1, .max]
    for decibels in [Double.nan, .infinity, -.infinity, 20, -1e300, -0.0, .leastNonzeroMagnitude] {
      for duration in numbers {
        for time in numbers {
          var volume = Volume()
          volume.duck(to: decibels, duration: duration, at: time)
          volume.duck(to: decibels, duration: duration, at: 0)
          var samples: [Int16] = [.max, .min, 0]
          for now in numbers {
            #expect((0...1).contains(volume.gain(at: now)))
            volume.apply(to: &samples, channelCount: Int(now), rate: Int(time), at: now)
          }
          volume.unduck(duration: duration, at: time)
          #expect((0...1).contains(volume.gain(at: .max)))
        }
      }
    }
  }
}
