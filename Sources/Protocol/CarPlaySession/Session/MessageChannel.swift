// swift-iap2 · Apache-2.0

import Cryptography

/// The messages of a control or event connection, which is encrypted from a point on.
struct MessageChannel: Sendable {
  private var reader = RequestReader()
  private var opener: FrameOpener?
  private var sealer: FrameSealer?

  /// Creates a channel in the clear.
  init() {}

  /// Creates a channel that is encrypted from its first byte.
  init(reading: Secret, writing: Secret) {
    opener = FrameOpener(key: reading)
    sealer = FrameSealer(key: writing)
  }

  /// The number of received bytes that were not parsed.
  var unreadByteCount: Int { reader.unreadByteCount + (opener?.unreadByteCount ?? 0) }

  /// Encrypts the channel from now on. Received bytes that were not parsed are treated as frames.
  mutating func encrypt(reading: Secret, writing: Secret) throws(SessionFailure) {
    let rest = reader.takeRest()
    opener = FrameOpener(key: reading)
    sealer = FrameSealer(key: writing)
    try receive(rest)
  }

  /// Processes bytes of the other side.
  mutating func receive(_ bytes: [UInt8]) throws(SessionFailure) {
    guard opener != nil else { return reader.add(bytes) }
    do throws(FrameOpener.WrongFrame) { try reader.add(opener!.open(bytes)) } catch { throw SessionFailure(.badFrame) }
  }

  /// Returns the next message; nil until more bytes arrive.
  mutating func next() throws(RequestReader.Problem) -> RequestMessage? { try reader.next() }

  /// Returns the bytes of a message as they are sent.
  mutating func bytes(_ message: RequestMessage) -> [UInt8] {
    let bytes = message.bytes
    return sealer?.seal(bytes) ?? bytes
  }
}
