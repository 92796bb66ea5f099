// swift-iap2 · Apache-2.0

import COpenSSL

/// The system's generator of random numbers for secrets.
public enum SecureRandom {
  /// Returns random bytes.
  ///
  /// - Precondition: `count` is not negative, and the system has a source of randomness.
  public static func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe bytes.withUnsafeMutableBufferPointer { unsafe fill($0) }
    return bytes
  }

  /// Returns a random secret.
  ///
  /// - Precondition: `byteCount` is not negative, and the system has a source of randomness.
  public static func secret(byteCount: Int) -> Secret {
    unsafe Secret(byteCount: byteCount) { unsafe fill($0) }
  }

  private static func fill(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    guard !bytes.isEmpty else { return }
    let isDone = unsafe RAND_priv_bytes_ex(Library.context, bytes.baseAddress, bytes.count, 256)
    precondition(isDone == 1, "the system has no source of randomness")
  }
}
