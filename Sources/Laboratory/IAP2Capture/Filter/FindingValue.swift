// swift-iap2 · Apache-2.0

import IAP2

/// What a field of a finding holds.
package enum FindingValue: Sendable, Equatable {
  case integer(Int128)
  case seconds(Double)
  case text(String)
  /// A number that has a name.
  case name(String, Int128)
  case bytes([UInt8])

  /// As it is shown; bytes in hexadecimal.
  package var text: String {
    switch self {
    case .integer(let number): "\(number)"
    case .seconds(let number): "\(number)"
    case .text(let text), .name(let text, _): text
    case .bytes(let bytes): Hex.text(bytes)
    }
  }

  /// Nil for what has no order.
  var number: FindingNumber? {
    switch self {
    case .integer(let number), .name(_, let number): .integer(number)
    case .seconds(let number): .real(number)
    case .text, .bytes: nil
    }
  }
}

/// Exact where it is whole: parameters have 64 bits.
enum FindingNumber: Sendable, Comparable {
  case integer(Int128)
  case real(Double)

  /// `12`, `-3`, `0x1D01`, `0.5`; nil for what is no number.
  init?(_ text: String) {
    let digits = text.lowercased()
    if digits.hasPrefix("0x") {
      guard let number = Int128(digits.dropFirst(2), radix: 16) else { return nil }
      self = .integer(number)
    } else if let number = Int128(text) {
      self = .integer(number)
    } else {
      // Not infinity, and no other word.
      guard digits.first.map({ "0123456789+-.".contains($0) }) == true, let number = Double(text), number.isFinite
      else { return nil }
      self = .real(number)
    }
  }

  private var real: Double {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    }
  }

  static func < (left: Self, right: Self) -> Bool {
    if case .integer(let left) = left, case .integer(let right) = right { return left < right }
    return left.real < right.real
  }

  static func == (left: Self, right: Self) -> Bool {
    if case .integer(let left) = left, case .integer(let right) = right { return left == right }
    return left.real == right.real
  }
}
