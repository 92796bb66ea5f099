// swift-iap2 · Apache-2.0

public import Foundation

/// The number of units of a time.
public typealias CMTimeValue = Int64
/// The units of a second.
public typealias CMTimeScale = Int32

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The nanoseconds of a second, which apps use as a scale. Dispatch on Linux does not have it.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000

/// A time as a fraction of seconds. On iOS it belongs to the module CoreMedia, which AVFoundation has.
///
/// The order is that of the public header (CMTime.h): negative infinity, numbers, indefinite, positive infinity, invalid.
public struct CMTime: Hashable, Comparable, Sendable {
  private enum Kind: Int {
    case negativeInfinity, number, indefinite, positiveInfinity, invalid
  }

  /// The number of units.
  public let value: CMTimeValue
  /// The units of a second.
  public let timescale: CMTimeScale
  private let kind: Kind

  private init(_ kind: Kind, _ value: CMTimeValue = 0, _ timescale: CMTimeScale = 0) {
    (self.kind, self.value, self.timescale) = (kind, value, timescale)
  }

  /// Creates an invalid time.
  public init() { self = .invalid }

  /// Creates a time of units; invalid without a positive scale.
  public init(value: CMTimeValue, timescale: CMTimeScale) {
    self = timescale > 0 ? CMTime(.number, value, timescale) : .invalid
  }

  /// Creates the nearest time of seconds. If the value is too large for the scale, the scale is smaller.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    guard !seconds.isNaN, preferredTimescale > 0 else {
      self = .invalid
      return
    }
    var scale = preferredTimescale
    var value: CMTimeValue?
    while scale > 0 {
      value = CMTimeValue(exactly: (seconds * Double(scale)).rounded())
      guard value == nil else { break }
      scale /= 2
    }
    self = value.map { CMTime(.number, $0, scale) } ?? (seconds < 0 ? .negativeInfinity : .positiveInfinity)
  }

  /// No time has passed.
  public static let zero = CMTime(value: 0, timescale: 1)
  /// The time is not set.
  public static let invalid = CMTime(.invalid)
  /// The time is not known, such as the length of a stream.
  public static let indefinite = CMTime(.indefinite)
  /// The time is later than all numbers.
  public static let positiveInfinity = CMTime(.positiveInfinity)
  /// The time is earlier than all numbers.
  public static let negativeInfinity = CMTime(.negativeInfinity)

  /// The time in seconds; not a number if it is invalid or indefinite.
  public var seconds: Double {
    switch kind {
    case .number: Double(value) / Double(timescale)
    case .positiveInfinity: .infinity
    case .negativeInfinity: -.infinity
    case .indefinite, .invalid: .nan
    }
  }

  /// Whether the time is set.
  public var isValid: Bool { kind != .invalid }
  /// Whether the time is a number.
  public var isNumeric: Bool { kind == .number }
  /// Whether the time is not known.
  public var isIndefinite: Bool { kind == .indefinite }
  /// Whether the time is later than all numbers.
  public var isPositiveInfinity: Bool { kind == .positiveInfinity }
  /// Whether the time is earlier than all numbers.
  public var isNegativeInfinity: Bool { kind == .negativeInfinity }

  /// Returns whether two times are the same, also with different scales.
  public static func == (a: CMTime, b: CMTime) -> Bool { !(a < b) && !(b < a) }

  /// Returns whether a time is before another one.
  public static func < (a: CMTime, b: CMTime) -> Bool {
    guard a.isNumeric, b.isNumeric else { return a.kind.rawValue < b.kind.rawValue }
    return Int128(a.value) * Int128(b.timescale) < Int128(b.value) * Int128(a.timescale)
  }

  /// Adds the time to a hash. Equal times of different scales have the same one.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    guard isNumeric else { return }
    let divisor = Self.divisor(value.magnitude, UInt64(timescale))
    hasher.combine(value / CMTimeValue(divisor))
    hasher.combine(timescale / CMTimeScale(divisor))
  }

  /// Returns the sum. That of opposite infinities is invalid, and a sum that is too large is infinite.
  public static func + (a: CMTime, b: CMTime) -> CMTime {
    guard a.isNumeric, b.isNumeric else {
      let isOpposite = [a.kind, b.kind].contains(.negativeInfinity) && [a.kind, b.kind].contains(.positiveInfinity)
      if isOpposite || !a.isValid || !b.isValid { return .invalid }
      return a.isNumeric || (a.isIndefinite && !b.isNumeric) ? b : a
    }
    // The least common scale, or the largest one.
    let common = Int64(a.timescale) / Int64(divisor(UInt64(a.timescale), UInt64(b.timescale))) * Int64(b.timescale)
    let scale = CMTimeScale(clamping: common)
    let sum =
      Int128(a.value) * Int128(common / Int64(a.timescale))
      + Int128(b.value) * Int128(common / Int64(b.timescale))
    guard let value = CMTimeValue(exactly: sum * Int128(scale) / Int128(common)) else {
      return sum < 0 ? .negativeInfinity : .positiveInfinity
    }
    return CMTime(value: value, timescale: scale)
  }

  /// Returns the difference. That of equal infinities is invalid.
  public static func - (a: CMTime, b: CMTime) -> CMTime {
    switch b.kind {
    case .number where b.value == .min: a + CMTime(.number, .max, b.timescale)
    case .number: a + CMTime(.number, -b.value, b.timescale)
    case .positiveInfinity: a + .negativeInfinity
    case .negativeInfinity: a + .positiveInfinity
    case .indefinite, .invalid: a + b
    }
  }

  /// Returns the greatest common divisor, which is at least 1 for a scale above 0.
  private static func divisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a time in seconds; not a number if it is invalid or indefinite.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a time of units.
public func CMTimeMake(value: CMTimeValue, timescale: CMTimeScale) -> CMTime {
  CMTime(value: value, timescale: timescale)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns the nearest time of seconds.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: CMTimeScale) -> CMTime {
  CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns -1 if the first time is before the second one, 1 if it is after it, and 0 if they are the same.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1 < time2 ? -1 : time1 == time2 ? 0 : 1 }

extension NSValue {
  /// The encoding of four numbers of 64 bits. Foundation on Linux knows no encoding of a time.
  private static let encoding = "{CGRect={CGPoint=dd}{CGSize=dd}}"

  /// Creates a value with a time.
  public convenience init(time: CMTime) {
    var numbers = SIMD4<Int64>(time.value, Int64(time.timescale), time.kindNumber, 0)
    unsafe self.init(bytes: &numbers, objCType: Self.encoding)
  }

  /// The time of a value that was created with one; invalid for another value.
  public var timeValue: CMTime {
    guard unsafe String(cString: objCType) == Self.encoding else { return .invalid }
    var numbers = SIMD4<Int64>()
    unsafe getValue(&numbers)
    return CMTime(kindNumber: numbers[2], value: numbers[0], timescale: CMTimeScale(truncatingIfNeeded: numbers[1]))
  }
}

extension CMTime {
  fileprivate var kindNumber: Int64 { Int64(kind.rawValue) }

  fileprivate init(kindNumber: Int64, value: CMTimeValue, timescale: CMTimeScale) {
    let kind = Kind(rawValue: Int(kindNumber)) ?? .invalid
    self = kind == .number ? CMTime(value: value, timescale: timescale) : CMTime(kind)
  }
}
