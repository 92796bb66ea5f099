// swift-iap2 · Apache-2.0

import Basics
public import Cryptography

/// The writing side of a screen stream.
///
/// Only bodies of frames are encrypted. On a verified connection the whole header is authenticated, and the nonce
/// counts frames. Without pair-verify the body has no tag. Source: CarPlaySession.md#screen-frame.
public struct ScreenSealer: Sendable {
  private var cipher: ScreenCipher
  /// The number of frames that were sealed.
  public private(set) var frameCount: UInt64 = 0

  /// Creates a side with the phone's key of the stream, 32 bytes.
  public init(key: Secret) { cipher = .sealed(SealingKey(key)) }

  /// Creates a side of a session's stream by its `streamConnectionID`.
  public init(_ protection: StreamProtection, id: UInt64) { cipher = ScreenCipher(protection, id: id) }

  /// Returns the bytes of a message.
  ///
  /// - Precondition: The body has at most ``ScreenMessage/maximumBodyByteCount`` bytes with its tag.
  public mutating func seal(_ message: ScreenMessage) -> [UInt8] {
    guard message.kind == .frame else { return message.header(bodyByteCount: message.body.count) + message.body }
    let count = message.body.count + cipher.tagByteCount
    precondition(count <= ScreenMessage.maximumBodyByteCount)
    let header = message.header(bodyByteCount: count)
    defer { frameCount += 1 }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(header.count + count)
    bytes += header
    bytes += message.body
    cipher.seal(&bytes, from: header.count, number: frameCount, authenticating: header)
    return bytes
  }
}

/// The reading side of a screen stream.
public struct ScreenOpener: Sendable {
  /// The cipher; nil if the key is not known.
  private var cipher: ScreenCipher?
  /// The number of frames that were opened.
  public private(set) var frameCount: UInt64 = 0
  private var arrived = ReceiveBuffer()
  /// The bytes of the next message's header that have arrived, and after ``next()`` has returned a message, its header.
  /// The body is collected in the current buffer of `bodies`.
  package private(set) var header: [UInt8] = []
  private var isComplete = false
  private var bodies = BufferRing()
  private var hasConfiguration = false

  /// Creates a side with the phone's key of the stream, 32 bytes.
  public init(key: Secret) { cipher = .sealed(SealingKey(key)) }

  /// Creates a side of a session's stream by its `streamConnectionID`.
  public init(_ protection: StreamProtection, id: UInt64) { cipher = ScreenCipher(protection, id: id) }

  /// Creates a side that does not know the key, for a reader of a capture. Frames keep their sealed bodies.
  package init() { cipher = nil }

  /// Whether frames are opened.
  package var hasKey: Bool { cipher != nil }

  /// A reason why the stream ends.
  public enum Problem: Error, Sendable, Hashable {
    /// A body is longer than ``ScreenMessage/maximumBodyByteCount``. The body is not read.
    case bodyTooLong(Int)
    /// A frame was not sealed by the phone, or is out of order. The value is the number of the frame, from 0.
    case wrongFrame(UInt64)
    /// A frame arrived before the first configuration.
    case noConfiguration

    /// The problem as an event names it.
    package func valueProblem(of type: StreamType) -> ValueProblem {
      switch self {
      case .bodyTooLong(let count):
        ValueProblem(
          type.name, is: "a body has \(count) bytes", expected: "at most \(ScreenMessage.maximumBodyByteCount)")
      case .wrongFrame(let number):
        ValueProblem(
          type.name, is: "the tag of picture \(number) is wrong",
          expected: "the key of streamConnectionID, the header as authenticated bytes, and a nonce that counts pictures"
        )
      case .noConfiguration:
        ValueProblem(
          type.name, is: "a picture came before a configuration",
          expected: "first a message of type 1 with an avcC record")
      }
    }
  }

  /// Adds received bytes.
  public mutating func add(_ piece: some Sequence<UInt8>) { arrived.add(piece) }

  /// Returns the next message; nil until more bytes arrive.
  ///
  /// - Throws: ``Problem``, after which nothing can be opened.
  public mutating func next() throws(Problem) -> ScreenMessage? {
    if isComplete {
      header.removeAll(keepingCapacity: true)
      isComplete = false
    }
    if header.count < ScreenMessage.headerByteCount {
      arrived.move(ScreenMessage.headerByteCount - header.count, to: &header)
      guard header.count == ScreenMessage.headerByteCount else { return nil }
      bodies.turn()
    }
    let count = Int(UInt32(littleEndianBytes: header.prefix(4)))
    guard count <= ScreenMessage.maximumBodyByteCount else { throw .bodyTooLong(count) }
    arrived.move(count - bodies.current.count, to: &bodies.current)
    guard bodies.current.count == count else { return nil }
    var message = ScreenMessage(header: header[...])
    if message.kind == .frame {
      guard hasConfiguration else { throw .noConfiguration }
      guard cipher?.open(&bodies.current, number: frameCount, authenticating: header) != false else {
        throw .wrongFrame(frameCount)
      }
      frameCount += 1
    } else {
      hasConfiguration = hasConfiguration || message.kind == .configuration
    }
    message.body = bodies.current
    isComplete = true
    return message
  }
}
