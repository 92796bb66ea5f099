// swift-iap2 · Apache-2.0

import Synchronization

/// A key with the context of its cipher. Copies of what owns the key share both, and one text at a time uses them.
final class CipherKey: Sendable {
  private let bytes: [UInt8]
  private let context: Mutex<CipherContext>

  /// - Precondition: The key has the bytes that the method needs.
  init(_ bytes: [UInt8], _ method: CipherContext.Method) {
    let context = CipherContext(method)
    precondition(context.keyByteCount == bytes.count)
    self.bytes = bytes
    self.context = Mutex(context)
  }

  /// Begins a text and returns what the body makes of it.
  func text<Result>(
    _ direction: CipherContext.Direction, vector: UInt128, _ body: (inout CipherContext) -> Result
  ) -> Result {
    context.withLock { context in
      context.begin(direction, key: bytes, vector: vector)
      return body(&context)
    }
  }
}
