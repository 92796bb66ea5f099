// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography
import IAP2Capture

/// The bytes of one side of a control or event connection, which become messages.
struct Direction: Sendable {
  private enum State: Sendable {
    case clear
    case sealed(FrameOpener)
    /// The keys are not known: only the lengths of frames can be read.
    case opaque(FrameCounter)
    /// Nothing more can be read; whether the bytes are not encrypted.
    case dead(isClear: Bool)
  }

  private var reader = RequestReader()
  private var state = State.clear
  /// Whether a frame was opened, so that the key is right.
  private(set) var hasOpenedFrame = false
  /// The bytes in the clear; nil if no copy of the capture is written.
  var plain: PlainBytes?

  init() {}

  /// Creates a direction that is encrypted from its first byte.
  ///
  /// - Parameter key: The key; nil if it is not known.
  init(key: Secret?) { state = key.map { .sealed(FrameOpener(key: $0)) } ?? .opaque(FrameCounter()) }

  /// Whether the bytes are encrypted with an unknown key.
  var isOpaque: Bool { if case .opaque = state { true } else { false } }

  /// Whether a part of a message has come.
  var isWithinMessage: Bool { reader.isWithinMessage }

  /// The content of a piece of bytes.
  enum Result {
    case messages([RequestMessage])
    /// Complete frames with an unknown key: their number, and the bytes of their text.
    case frames(Int, byteCount: Int)
    /// Nothing more can be read. The messages before are complete. Bytes that were not captured are no damage.
    case end([RequestMessage], reason: String, SessionJudge.Damage?)
  }

  /// Encrypts the direction from now on. Bytes that were not parsed are frames.
  mutating func encrypt(key: Secret?) -> Result {
    let rest = reader.takeRest()
    var plain = plain
    plain?.encrypt(rest: rest.count)
    self = Direction(key: key)
    self.plain = plain
    return take(rest, followsGap: false)
  }

  /// - Parameter mark: The mark of the bytes in a capture whose sessions are in the clear; nil without one.
  mutating func take(_ bytes: [UInt8], followsGap: Bool, mark: DecryptedMark? = nil) -> Result {
    if followsGap {
      plain?.flush()
      let isClear = isClear
      plain?.append(bytes, isClear ? nil : .sealed, followsGap: true)
      state = .dead(isClear: isClear)
      return .end([], reason: "bytes before these were not captured, so the rest of this side cannot be read", nil)
    }
    switch (state, mark) {
    case (.clear, .damaged(let reason)):
      state = .dead(isClear: false)
      return .end([], reason: reason, .frame)
    case (.clear, .sealed), (.clear, .incomplete): return .messages([])
    case (.dead(let isClear), _):
      plain?.append(bytes, isClear ? nil : .sealed)
      return .messages([])
    case (.opaque(var counter), _):
      plain?.append(bytes, .sealed)
      let (count, byteCount) = counter.take(bytes)
      state = .opaque(counter)
      return .frames(count, byteCount: byteCount)
    case (.clear, _):
      reader.add(bytes)
      plain?.add(text: bytes)
      return messages()
    case (.sealed(let opener), _): return open(bytes, opener)
    }
  }

  private mutating func open(_ bytes: [UInt8], _ opener: FrameOpener) -> Result {
    // The opener has the bytes of an incomplete frame, so it is taken out before it changes.
    state = .dead(isClear: false)
    var opener = opener
    plain?.capture(bytes)
    defer { hasOpenedFrame = opener.count > 0 }
    do throws(FrameOpener.WrongFrame) {
      let text = try opener.open(bytes)
      reader.add(text)
      plain?.opened(text, unread: opener.unreadByteCount)
      state = .sealed(opener)
      return messages()
    } catch {
      reader.add(error.before)
      plain?.opened(error.before, unread: opener.unreadByteCount)
      let last = messages()
      state = .dead(isClear: false)
      let reason = error.reason(at: opener.openedByteCount)
      guard case .messages(let messages) = last else {
        plain?.fail(.sealed)
        return last
      }
      plain?.release(allBut: 0, isOpened: true)
      plain?.fail(.damaged(reason))
      return .end(messages, reason: reason, .frame)
    }
  }

  /// Whether the bytes that come are not encrypted.
  private var isClear: Bool {
    switch state {
    case .clear, .dead(isClear: true): true
    case .sealed, .opaque, .dead: false
    }
  }

  private mutating func messages() -> Result {
    var messages: [RequestMessage] = []
    let isClear = isClear
    while true {
      do throws(RequestReader.Problem) {
        guard let message = try reader.next() else {
          plain?.release(allBut: reader.incompleteByteCount, isOpened: !isClear)
          return .messages(messages)
        }
        messages.append(message)
      } catch {
        plain?.release(allBut: 0, isOpened: !isClear)
        plain?.fail(.incomplete)
        state = .dead(isClear: isClear)
        return .end(messages, reason: "the messages cannot be read: \(error.reason)", .message)
      }
    }
  }
}

/// A counter of frames whose key is not known. The length of a frame is not encrypted.
struct FrameCounter: Sendable {
  /// The bytes of the present frame that are still to come, and those of its length that have come.
  private var missing = 0
  private var length: [UInt8] = []

  mutating func take(_ bytes: [UInt8]) -> (count: Int, byteCount: Int) {
    var (count, byteCount) = (0, 0)
    var rest = bytes[...]
    while !rest.isEmpty {
      if missing == 0 {
        length.append(rest.removeFirst())
        guard length.count == 2 else { continue }
        let size = Int(length[0]) | Int(length[1]) << 8
        length = []
        (missing, byteCount) = (size + ChaCha20Poly1305.tagByteCount, byteCount + size)
      }
      let taken = min(missing, rest.count)
      missing -= taken
      rest = rest.dropFirst(taken)
      if missing == 0 { count += 1 }
    }
    return (count, byteCount)
  }
}
