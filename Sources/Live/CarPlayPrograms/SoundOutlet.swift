// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// The way of samples into the packets of a stream: as they are, or through an encoder.
struct SoundOutlet: Sendable {
  let choice: SoundChoice
  /// The format of the samples that it takes: PCM.
  let samples: AudioFormat
  /// The encoder; nil for a stream of PCM.
  private let coder: (any SoundCoder)?
  /// Whether the sound was ended.
  private(set) var isFinished = false
  /// The time at which the packets are over if each one is played when it was sent, or behind the one before; nil
  /// before the first one. The packets of an encoder come late.
  private(set) var end: MonotonicTime?

  /// The time between two looks at an encoder whose last packets have not come. Ours.
  static let lookTime = Duration.milliseconds(5)

  /// Creates the way into a stream; nil if its encoder cannot be started.
  init?(_ choice: SoundChoice, _ coders: SoundCoders) {
    self.choice = choice
    guard choice.format.codec != .pcm else {
      (samples, coder) = (choice.format, nil)
      return
    }
    guard let samples = AudioFormat.pcm(rate: choice.format.rate, channels: choice.format.channels),
      let coder = coders.make(choice.format)
    else { return nil }
    (self.samples, self.coder) = (samples, coder)
  }

  /// Sends samples now, or the packets that the encoder has made of earlier ones.
  ///
  /// - Parameters:
  ///   - payload: The samples, the highest byte first.
  ///   - machine: The session.
  ///   - time: The present time.
  /// - Returns: The state of the encoder. A stream of PCM needs none, so its sound is always complete.
  @discardableResult
  mutating func send(_ payload: [UInt8], _ machine: inout PhoneSession, at time: MonotonicTime) -> SoundCoderState {
    guard let coder else {
      send(payload, frameCount: payload.count / samples.frameByteCount, &machine, at: time)
      return .ended
    }
    coder.write(SampleOrder.swapped(payload, width: samples.bits / 8))
    return sendPackets(&machine, at: time)
  }

  /// Sends the packets that the encoder has made.
  ///
  /// - Parameters:
  ///   - machine: The session.
  ///   - time: The present time.
  /// - Returns: The state of the encoder.
  mutating func sendPackets(_ machine: inout PhoneSession, at time: MonotonicTime) -> SoundCoderState {
    guard let (packets, state) = coder?.takePackets() else { return .ended }
    for packet in packets { send(packet, frameCount: choice.framesPerPacket, &machine, at: time) }
    return state
  }

  private mutating func send(
    _ packet: [UInt8], frameCount: Int, _ machine: inout PhoneSession, at time: MonotonicTime
  ) {
    end = max(end ?? time, time).advanced(by: .seconds(Double(frameCount) / Double(choice.format.rate)))
    machine.send(sound: packet, frameCount: frameCount, of: choice.type, at: time)
  }

  /// Ends the sound. The last packets are those of ``sendPackets(_:at:)`` until the encoder has ended.
  mutating func finish() {
    isFinished = true
    coder?.finish()
  }
}
