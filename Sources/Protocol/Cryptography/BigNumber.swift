// swift-iap2 · Apache-2.0

import COpenSSL

/// A whole number of any size from 0 on. Its bytes are overwritten when the last reference ends.
///
/// Invariant for `@unchecked Sendable`: the value is set before another owner has the number, and never changes.
@safe public final class BigNumber: @unchecked Sendable {
  private let value: OpaquePointer

  private init() {
    guard let value = unsafe BN_new() else { preconditionFailure("libcrypto makes a number") }
    unsafe self.value = value
  }

  deinit { unsafe BN_clear_free(value) }

  /// Reads a number whose highest byte comes first.
  public convenience init(_ bytes: Span<UInt8>) {
    self.init()
    let isRead = unsafe bytes.withAddress { unsafe BN_bin2bn($0, CInt($1), value) != nil }
    precondition(isRead, "libcrypto reads every number")
  }

  /// Whether the number is 0.
  public var isZero: Bool { unsafe BN_is_zero(value) == 1 }

  private var byteCount: Int { (Int(unsafe BN_num_bits(value)) + 7) / 8 }

  /// The bytes without leading zeros, the highest first.
  public var bytes: [UInt8] { padded(to: byteCount) }

  /// The bytes of a secret number without leading zeros, the highest first.
  public var secret: Secret { unsafe Secret(byteCount: byteCount) { unsafe write(to: $0) } }

  /// Returns the bytes with zeros before them.
  ///
  /// - Precondition: The number has at most as many bytes.
  public func padded(to count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe bytes.withUnsafeMutableBufferPointer { unsafe write(to: $0) }
    return bytes
  }

  private func write(to bytes: UnsafeMutableBufferPointer<UInt8>) {
    let written = unsafe BN_bn2binpad(value, bytes.baseAddress, CInt(bytes.count))
    precondition(Int(written) == bytes.count, "the number has more than \(bytes.count) bytes")
  }

  /// Returns a new number that the body writes with memory of libcrypto.
  private static func result(_ body: (_ result: OpaquePointer, _ memory: OpaquePointer) -> CInt) -> BigNumber {
    guard let memory = unsafe BN_CTX_secure_new_ex(Library.context) else {
      preconditionFailure("libcrypto has memory for numbers")
    }
    defer { unsafe BN_CTX_free(memory) }
    let result = BigNumber()
    let isDone = unsafe body(result.value, memory)
    precondition(isDone == 1, "libcrypto computes with every number")
    return result
  }

  /// Returns the sum.
  public static func + (left: BigNumber, right: BigNumber) -> BigNumber {
    unsafe result { result, _ in unsafe BN_add(result, left.value, right.value) }
  }

  /// Returns the product.
  public static func * (left: BigNumber, right: BigNumber) -> BigNumber {
    unsafe result { unsafe BN_mul($0, left.value, right.value, $1) }
  }

  /// Returns the remainder, which is never negative.
  ///
  /// - Precondition: The divisor is not 0.
  public static func % (left: BigNumber, right: BigNumber) -> BigNumber {
    unsafe result { unsafe BN_nnmod($0, left.value, right.value, $1) }
  }

  /// Returns the difference modulo a number, which is not 0.
  public func minus(_ other: BigNumber, modulo: BigNumber) -> BigNumber {
    unsafe Self.result { unsafe BN_mod_sub($0, value, other.value, modulo.value, $1) }
  }

  /// Returns a power modulo an odd number above 1. The time does not depend on the bits of the exponent, which is
  /// secret.
  public func power(_ exponent: BigNumber, modulo: BigNumber) -> BigNumber {
    precondition(unsafe BN_is_odd(modulo.value) == 1 && BN_is_one(modulo.value) == 0)
    let base = self % modulo
    return unsafe Self.result {
      unsafe BN_mod_exp_mont_consttime($0, base.value, exponent.value, modulo.value, $1, nil)
    }
  }
}
