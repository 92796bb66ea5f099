// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography

/// The bytes of one side of a control or event connection, which become messages.
struct Direction: Sendable {
  private enum State: Sendable {
    case clear
    case sealed(FrameOpener)
    /// The keys are not known: only the lengths of frames can be read.
    case opaque(FrameCounter)
    case dead
  }

  private var reader = RequestReader()
  private var state = State.clear

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
    self = Direction(key: key)
    return take(rest, followsGap: false)
  }

  mutating func take(_ bytes: [UInt8], followsGap: Bool) -> Result {
    if followsGap {
      state = .dead
      return .end([], reason: "bytes before these were not captured, so the rest of this side cannot be read", nil)
    }
    switch state {
    case .dead: return .messages([])
    case .opaque(var counter):
      let (count, byteCount) = counter.take(bytes)
      state = .opaque(counter)
      return .frames(count, byteCount: byteCount)
    case .clear:
      reader.add(bytes)
      return messages()
    case .sealed(var opener):
      // The opener has the bytes of an incomplete frame, so it is taken out before it changes.
      state = .dead
      do throws(FrameOpener.WrongFrame) {
        reader.add(try opener.open(bytes))
        state = .sealed(opener)
        return messages()
      } catch {
        reader.add(error.before)
        let last = messages()
        let reason = error.reason
        if case .messages(let messages) = last { return .end(messages, reason: reason, .frame) }
        return last
      }
    }
  }

  private mutating func messages() -> Result {
    var messages: [RequestMessage] = []
    while true {
      do throws(RequestReader.Problem) {
        guard let message = try reader.next() else { return .messages(messages) }
        messages.append(message)
      } catch {
        state = .dead
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
