// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import Cryptography

/// The messages of one connection of a probe, which is encrypted from a point on.
struct WireChannel {
  private var reader = RequestReader()
  private var opener: FrameOpener?
  private var sealer: FrameSealer?

  /// Bytes of the peer that cannot be read, in words.
  struct Unreadable: Error {
    let reason: String
    /// Whether a frame does not open; otherwise its text is no message.
    let isFrame: Bool

    /// The damage, for a judge.
    var damage: SessionJudge.Damage { isFrame ? .frame : .message }
  }

  /// Encrypts the channel from now on, also for bytes that were not parsed.
  mutating func encrypt(reading: Secret, writing: Secret) throws(Unreadable) {
    let rest = reader.takeRest()
    (opener, sealer) = (FrameOpener(key: reading), FrameSealer(key: writing))
    _ = try receive(rest)
  }

  /// Returns the messages that bytes complete.
  mutating func receive(_ bytes: [UInt8]) throws(Unreadable) -> [RequestMessage] {
    if opener != nil {
      do throws(FrameOpener.WrongFrame) { reader.add(try opener!.open(bytes)) } catch {
        throw Unreadable(reason: "frame \(error.number) has a wrong tag", isFrame: true)
      }
    } else {
      reader.add(bytes)
    }
    var messages: [RequestMessage] = []
    do throws(RequestReader.Problem) {
      while let message = try reader.next() { messages.append(message) }
    } catch { throw Unreadable(reason: error.reason, isFrame: false) }
    return messages
  }

  /// Returns bytes as they are sent: in frames once the channel is encrypted.
  mutating func sealed(_ bytes: [UInt8]) -> [UInt8] { sealer?.seal(bytes) ?? bytes }
}
