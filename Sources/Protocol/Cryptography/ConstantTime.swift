// swift-iap2 · Apache-2.0

import COpenSSL

/// Comparisons whose time does not depend on the contents.
public enum ConstantTime {
  /// Returns whether two byte strings are equal. The time depends only on their lengths.
  public static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        unsafe left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
      }
    }
  }
}
