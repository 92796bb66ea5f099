// swift-iap2 · Apache-2.0

import IAP2

/// A value of a field of a finding.
public enum FindingValue: Sendable, Hashable {
  /// An integer.
  case integer(Int128)
  /// A time in seconds.
  case seconds(Double)
  /// A text.
  case text(String)
  /// A number that has a name.
  case name(String, Int128)
  /// Bytes.
  case bytes([UInt8])
  /// A truth value.
  case flag(Bool)
  /// A number with a fraction.
  case real(Double)

  /// The value as it is printed; bytes are hexadecimal.
  package var text: String {
    switch self {
    case .integer(let number): "\(number)"
    case .seconds(let number): Self.decimal(number)
    case .text(let text), .name(let text, _): text
    case .bytes(let bytes): Hex.text(bytes)
    case .flag(let value): "\(value)"
    case .real(let number): "\(number)"
    }
  }

  /// The times that captures have are whole nanoseconds; more digits come from the arithmetic.
  static func rounded(_ seconds: Double) -> Double {
    let nanoseconds = (seconds * 1e9).rounded()
    return nanoseconds.magnitude < 9e15 ? nanoseconds / 1e9 : seconds
  }

  /// Returns seconds with at most nine decimals and without an exponent.
  private static func decimal(_ seconds: Double) -> String {
    guard let nanoseconds = Int64(exactly: (seconds * 1e9).rounded()), nanoseconds.magnitude < 9_000_000_000_000_000
    else { return "\(seconds)" }
    let (whole, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    let sign = nanoseconds < 0 ? "-" : ""
    guard rest > 0 else { return "\(sign)\(whole)" }
    var digits = String(rest)
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(sign)\(whole).\(digits)"
  }

  /// The value as a number; nil for values without an order.
  var number: FindingNumber? {
    switch self {
    case .integer(let number), .name(_, let number): .integer(number)
    case .seconds(let number), .real(let number): .real(number)
    case .flag(let value): .integer(value ? 1 : 0)
    case .text, .bytes: nil
    }
  }
}
