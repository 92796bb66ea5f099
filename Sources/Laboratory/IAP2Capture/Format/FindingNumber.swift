// swift-iap2 · Apache-2.0

/// A number. Integers are exact, because parameters have up to 64 bits.
enum FindingNumber: Sendable, Comparable {
  case integer(Int128)
  case real(Double)

  /// Reads `12`, `-3`, `0x1D01` or `0.5`; returns nil for text that is not a number.
  init?(_ text: String) {
    let digits = text.lowercased()
    if digits.hasPrefix("0x") {
      guard let number = Int128(digits.dropFirst(2), radix: 16) else { return nil }
      self = .integer(number)
    } else if let number = Int128(text) {
      self = .integer(number)
    } else {
      // `Double` also reads `inf`, `nan` and other words, which are no numbers here.
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
