// swift-iap2 · Apache-2.0

import COpenSSL

/// The bytes of a key or of another secret. They are overwritten when the last copy of the value ends.
///
/// Two secrets are compared in a time that depends only on their lengths.
public struct Secret: Sendable {
  private let storage: Storage

  /// The memory of a secret.
  ///
  /// Invariant for `@unchecked Sendable`: the bytes are written before the initializer of ``Secret`` returns, and never
  /// again before the end.
  @safe private final class Storage: @unchecked Sendable {
    let bytes: UnsafeMutableBufferPointer<UInt8>

    init(byteCount: Int) {
      unsafe bytes = .allocate(capacity: byteCount)
      unsafe bytes.initialize(repeating: 0)
    }

    deinit {
      unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
      unsafe bytes.deallocate()
    }
  }

  /// Creates a secret of that size, whose bytes the body writes.
  init(byteCount: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
    storage = Storage(byteCount: byteCount)
    unsafe body(storage.bytes)
  }

  /// Copies bytes. The caller's own copy stays as it is.
  public init(copying bytes: Span<UInt8>) {
    unsafe self.init(byteCount: bytes.count) { target in
      unsafe bytes.withUnsafeBufferPointer { unsafe _ = target.update(fromContentsOf: $0) }
    }
  }

  /// Copies bytes. The caller's own copy stays as it is.
  public init(_ bytes: [UInt8]) { self.init(copying: bytes.span) }

  /// The number of bytes.
  public var byteCount: Int { unsafe storage.bytes.count }

  /// The bytes, where they are.
  public var span: Span<UInt8> {
    @_lifetime(borrow self) get {
      let span = unsafe Span(_unsafeElements: UnsafeBufferPointer(storage.bytes))
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// A copy of the bytes, for a file or a message. Nothing overwrites it.
  public var bytes: [UInt8] { unsafe Array(storage.bytes) }
}

extension Secret: Hashable {
  /// Compares in a time that depends only on the lengths.
  public static func == (left: Secret, right: Secret) -> Bool { ConstantTime.areEqual(left.span, right.span) }

  /// Feeds the bytes to the hasher.
  public func hash(into hasher: inout Hasher) {
    let span = span
    for index in span.indices { hasher.combine(span[index]) }
  }
}

extension Secret: CustomStringConvertible, CustomReflectable {
  /// The number of bytes; never the bytes.
  public var description: String { "secret of \(byteCount) bytes" }

  /// A mirror without the bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
