// swift-iap2 · Apache-2.0

import Crypto

/// The writing side of a screen stream.
///
/// Only bodies of frames are encrypted. The whole header is authenticated, and the nonce counts frames.
/// Source: CarPlaySession.md#screen-frame.
public struct ScreenSealer: Sendable {
  private let key: SymmetricKey
  /// The number of frames that were sealed.
  public private(set) var frameCount: UInt64 = 0

  /// Creates a side with the phone's key of the stream, 32 bytes.
  public init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  /// Returns the bytes of a message.
  ///
  /// - Precondition: The body has at most ``ScreenMessage/maximumBodyByteCount`` bytes with its tag.
  public mutating func seal(_ message: ScreenMessage) -> [UInt8] {
    guard message.kind == .frame else { return message.header(bodyByteCount: message.body.count) + message.body }
    let header = message.header(bodyByteCount: message.body.count + 16)
    precondition(message.body.count + 16 <= ScreenMessage.maximumBodyByteCount)
    do {
      let box = try ChaChaPoly.seal(message.body, using: key, nonce: try countNonce(frameCount), authenticating: header)
      frameCount += 1
      return header + box.ciphertext + box.tag
    } catch { preconditionFailure("a key of 32 bytes and a nonce of 12 seal every body: \(error)") }
  }
}

/// The reading side of a screen stream.
public struct ScreenOpener: Sendable {
  private let key: SymmetricKey
  /// The number of frames that were opened.
  public private(set) var frameCount: UInt64 = 0
  private var bytes: [UInt8] = []
  private var hasConfiguration = false

  /// Creates a side with the phone's key of the stream, 32 bytes.
  public init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  /// A reason why the stream ends.
  public enum Problem: Error, Sendable, Hashable {
    /// A body is longer than ``ScreenMessage/maximumBodyByteCount``; it is not read.
    case bodyTooLong(Int)
    /// A frame is not of the phone, or not the next one; its number, from 0.
    case wrongFrame(UInt64)
    /// A frame came before the first configuration.
    case noConfiguration
  }

  /// Takes bytes.
  public mutating func add(_ piece: some Sequence<UInt8>) { bytes += piece }

  /// Returns the next message; nil until more bytes come.
  ///
  /// - Throws: ``Problem``, after which nothing can be opened.
  public mutating func next() throws(Problem) -> ScreenMessage? {
    guard bytes.count >= ScreenMessage.headerByteCount else { return nil }
    let count = Int(bytes[...].little(0, 4))
    guard count <= ScreenMessage.maximumBodyByteCount else { throw .bodyTooLong(count) }
    let end = ScreenMessage.headerByteCount + count
    guard bytes.count >= end else { return nil }
    let header = bytes[..<ScreenMessage.headerByteCount]
    var message = ScreenMessage(header: header)
    let body = bytes[ScreenMessage.headerByteCount..<end]
    if message.kind == .frame {
      guard hasConfiguration else { throw .noConfiguration }
      guard let plain = open(body, header) else { throw .wrongFrame(frameCount) }
      message.body = plain
      frameCount += 1
    } else {
      hasConfiguration = hasConfiguration || message.kind == .configuration
      message.body = Array(body)
    }
    bytes.removeFirst(end)
    return message
  }

  private func open(_ body: ArraySlice<UInt8>, _ header: ArraySlice<UInt8>) -> [UInt8]? {
    guard body.count >= 16 else { return nil }
    do {
      let box = try ChaChaPoly.SealedBox(
        nonce: try countNonce(frameCount), ciphertext: body.dropLast(16), tag: body.suffix(16))
      return Array(try ChaChaPoly.open(box, using: key, authenticating: header))
    } catch {
      // The caller ends the stream.
      return nil
    }
  }
}
