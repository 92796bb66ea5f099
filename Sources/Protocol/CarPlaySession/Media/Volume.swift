// swift-iap2 · Apache-2.0

/// The volume of music that the phone lowers for a prompt. Source: CarPlaySession.md#ducking.
///
/// The ramp is linear in decibels. All times are in nanoseconds of one clock, which the caller reads.
public struct Volume: Sendable, Hashable {
  /// The default volume and the default times of a duck. Ours.
  public static let duckDecibels = -20.0, duckDuration: Int64 = 300_000_000, unduckDuration: Int64 = 500_000_000
  /// The lowest volume. Ours: 16-bit samples have a range of 96 decibels, so it is silence.
  public static let silenceDecibels = -144.0

  private var (from, target) = (0.0, 0.0)
  private var start: Int64 = 0
  private var duration: Int64 = 0
  /// Whether the volume is lowered or on its way down.
  public private(set) var isDucked = false

  /// Creates a volume without a duck.
  public init() {}

  /// Lowers the volume from its present value. A second duck replaces the first.
  ///
  /// - Parameters:
  ///   - decibels: The volume at the end of the ramp. It is limited to ``silenceDecibels``…0; NaN means the default.
  ///   - duration: The duration of the ramp in nanoseconds; a negative one counts as 0.
  ///   - now: The time at which the ramp starts.
  public mutating func duck(
    to decibels: Double = Volume.duckDecibels, duration: Int64 = Volume.duckDuration, at now: Int64
  ) {
    let decibels = decibels.isNaN ? Self.duckDecibels : decibels
    ramp(to: min(0, max(Self.silenceDecibels, decibels)), duration: duration, at: now)
    isDucked = true
  }

  /// Raises the volume to its full value. Without a duck, nothing changes.
  public mutating func unduck(duration: Int64 = Volume.unduckDuration, at now: Int64) {
    guard isDucked else { return }
    ramp(to: 0, duration: duration, at: now)
    isDucked = false
  }

  /// Returns the volume at a time in decibels, at most 0.
  public func decibels(at time: Int64) -> Double { decibels(at: Double(time)) }

  /// Returns the factor for samples at a time, from 0 to 1.
  public func gain(at time: Int64) -> Double { Self.gain(decibels(at: time)) }

  /// Applies the volume to interleaved 16-bit samples in place.
  ///
  /// - Parameters:
  ///   - samples: The samples in the byte order of this machine.
  ///   - channelCount: The number of channels, at least 1.
  ///   - rate: The sample rate in samples per second, at least 1.
  ///   - time: The time of the first sample.
  public func apply(to samples: inout [Int16], channelCount: Int, rate: Int, at time: Int64) {
    let (channels, step) = (max(1, channelCount), 1_000_000_000 / Double(max(1, rate)))
    let first = Double(time)
    // Outside a ramp all samples have one factor.
    var gain = Self.gain(decibels(at: first))
    let isConstant = decibels(at: first) == decibels(at: first + Double(samples.count / channels) * step)
    if isConstant, gain == 1 { return }
    for index in samples.indices {
      if !isConstant, index % channels == 0 {
        gain = Self.gain(decibels(at: first + Double(index / channels) * step))
      }
      samples[index] = Int16((Double(samples[index]) * gain).rounded())
    }
  }

  private mutating func ramp(to decibels: Double, duration: Int64, at now: Int64) {
    from = self.decibels(at: now)
    (target, start, self.duration) = (decibels, now, max(0, duration))
  }

  private func decibels(at time: Double) -> Double {
    let elapsed = time - Double(start)
    if duration == 0 { return elapsed < 0 ? from : target }
    let progress = min(1, max(0, elapsed / Double(duration)))
    return progress == 1 ? target : from + (target - from) * progress
  }

  /// The factor of a volume: 10 to the power of a twentieth of the decibels. Below the lowest volume it is 0.
  private static func gain(_ decibels: Double) -> Double {
    guard decibels > silenceDecibels else { return 0 }
    guard decibels < 0 else { return 1 }
    let exponent = decibels / 20 * 3.321928094887362  // The logarithm of 10 to the base 2.
    let whole = exponent.rounded()
    // The series of e^x for |x| below 0.35; twelve terms are more exact than a Double.
    let x = (exponent - whole) * 0.6931471805599453  // The logarithm of 2.
    var (term, sum) = (1.0, 1.0)
    for index in 1...12 {
      term *= x / Double(index)
      sum += term
    }
    return sum * Double(sign: .plus, exponent: Int(whole), significand: 1)
  }
}
