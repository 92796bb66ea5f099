// swift-iap2 · Apache-2.0

import COpenSSL

/// The context of libcrypto that all calls of this module use.
///
/// It does not read `openssl.cnf`, so the settings of the machine cannot remove a cipher.
enum Library {
  nonisolated(unsafe) static let context = unsafe OSSL_LIB_CTX_new()

  /// Returns the value of a call of libcrypto that fails only for bytes from outside, and removes what the call left in
  /// the thread's queue of errors.
  static func value<Value>(of body: () -> Value) -> Value {
    defer { ERR_clear_error() }
    return body()
  }

  /// Returns the bytes for which a call of libcrypto allocates memory; none if the call fails.
  ///
  /// - Parameter body: Sets the address of the memory and returns the number of bytes.
  static func bytes(of body: (_ address: inout UnsafeMutablePointer<UInt8>?) -> Int) -> [UInt8] {
    var address: UnsafeMutablePointer<UInt8>?
    let count = value { unsafe body(&address) }
    defer { unsafe CRYPTO_free(address, "", 0) }
    return unsafe Array(UnsafeBufferPointer(start: address, count: max(0, count)))
  }

  /// Returns a message digest that every libcrypto from 3.0 on has.
  static func digest(_ name: String) -> OpaquePointer {
    guard let digest = unsafe EVP_MD_fetch(context, name, nil) else { preconditionFailure("libcrypto has no \(name)") }
    return unsafe digest
  }
}

extension Span<UInt8> {
  /// Calls the body with the address of the bytes and their number. The address is never null, because some functions of
  /// libcrypto take null for an absent text.
  func withAddress<Result>(_ body: (UnsafePointer<UInt8>, Int) -> Result) -> Result {
    unsafe withUnsafeBufferPointer { bytes in
      if let address = bytes.baseAddress { return unsafe body(address, bytes.count) }
      let none: UInt8 = 0
      return unsafe withUnsafePointer(to: none) { unsafe body($0, 0) }
    }
  }
}
