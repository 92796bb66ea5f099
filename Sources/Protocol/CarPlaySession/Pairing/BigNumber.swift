// swift-iap2 · Apache-2.0

import CGMP

/// A whole number of any size from 0 on, in the library GMP.
///
/// Numbers never change, so any thread may use them.
///
/// Invariant for `@unchecked Sendable`: the value is set before anybody else has the number.
@safe final class BigNumber: @unchecked Sendable {
  private let value = UnsafeMutablePointer<__mpz_struct>.allocate(capacity: 1)

  private init() { unsafe __gmpz_init(value) }

  deinit {
    unsafe __gmpz_clear(value)
    unsafe value.deallocate()
  }

  /// Reads a number whose highest byte comes first.
  convenience init(_ bytes: [UInt8]) {
    self.init()
    unsafe bytes.withUnsafeBytes { unsafe __gmpz_import(value, $0.count, 1, 1, 1, 0, $0.baseAddress) }
  }

  var isZero: Bool { unsafe value.pointee._mp_size == 0 }

  /// The bytes without leading zeros, the highest first.
  var bytes: [UInt8] {
    guard !isZero else { return [] }
    let count = (unsafe __gmpz_sizeinbase(value, 2) + 7) / 8
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
      unsafe __gmpz_export(buffer.baseAddress, &written, 1, 1, 1, 0, value)
    }
  }

  /// Returns the bytes with zeros before them.
  ///
  /// - Precondition: The number has at most as many bytes.
  func padded(to count: Int) -> [UInt8] {
    let bytes = bytes
    return [UInt8](repeating: 0, count: count - bytes.count) + bytes
  }

  private static func result(_ body: (BigNumber) -> Void) -> BigNumber {
    let result = BigNumber()
    body(result)
    return result
  }

  static func + (left: BigNumber, right: BigNumber) -> BigNumber {
    result { unsafe __gmpz_add($0.value, left.value, right.value) }
  }

  static func * (left: BigNumber, right: BigNumber) -> BigNumber {
    result { unsafe __gmpz_mul($0.value, left.value, right.value) }
  }

  /// Returns the remainder, which is never negative.
  static func % (left: BigNumber, right: BigNumber) -> BigNumber {
    result { unsafe __gmpz_mod($0.value, left.value, right.value) }
  }

  /// Returns the difference modulo a number.
  func minus(_ other: BigNumber, modulo: BigNumber) -> BigNumber {
    Self.result { result in
      unsafe __gmpz_sub(result.value, value, other.value)
      unsafe __gmpz_mod(result.value, result.value, modulo.value)
    }
  }

  /// Returns a power modulo an odd number. The time does not depend on the bits of the exponent, which is secret.
  func power(_ exponent: BigNumber, modulo: BigNumber) -> BigNumber {
    // The library wants an exponent above zero.
    if exponent.isZero { return BigNumber([1]) }
    return Self.result { unsafe __gmpz_powm_sec($0.value, value, exponent.value, modulo.value) }
  }
}
