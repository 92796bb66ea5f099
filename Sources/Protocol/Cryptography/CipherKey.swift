// swift-iap2 · Apache-2.0

import Synchronization

/// A key with the context of its cipher. Copies of what owns the key share both, and one text at a time uses them.
final class CipherKey: Sendable {
  private let key: Secret
  private let context: Mutex<CipherContext>

  init(_ key: Secret, _ method: CipherContext.Method) throws(CryptographyError) {
    let context = CipherContext(method)
    guard context.keyByteCount == key.byteCount else {
      throw .wrongKeyLength(found: key.byteCount, needed: context.keyByteCount)
    }
    self.key = key
    self.context = Mutex(context)
  }

  /// Begins a text and returns what the body makes of it.
  func text<Result>(
    _ direction: CipherContext.Direction, vector: UInt128, _ body: (inout CipherContext) -> Result
  ) -> Result {
    context.withLock { context in
      context.begin(direction, key: key, vector: vector)
      return body(&context)
    }
  }
}
