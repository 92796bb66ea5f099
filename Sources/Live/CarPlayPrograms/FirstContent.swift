// swift-iap2 · Apache-2.0

public import Basics
public import CarPlaySession

extension PhoneSession {
  /// The record of a configuration without parameter sets, which its frames may contain.
  private static let emptyConfiguration: [UInt8] = [1, 66, 0, 31, 0xFF, 0xE0, 0]

  /// Sends a picture without meaning, or about a tenth of a second of silence, on a stream that starts to run.
  ///
  /// A head unit reports that a stream runs when the first content arrives, so the streams of scenarios need content.
  public mutating func sendFirstContent(of type: StreamType, _ format: AudioFormat?, at time: MonotonicTime) {
    switch type.family {
    case .screen:
      let configuration = ScreenMessage(
        .configuration, flags: ScreenMessage.h264Flags, body: Self.emptyConfiguration)
      send(configuration, of: type, at: time)
      send(ScreenMessage(.frame, isKeyFrame: true, body: [0, 0, 0, 1, 0x65]), of: type, at: time)
    case .audio:
      guard let format, format.codec == .pcm else { return }
      // A packet of two channels fits a datagram.
      let count = Music.framesPerPacket
      let silence = [UInt8](repeating: 0, count: count * format.channels * format.bits / 8)
      for _ in 0..<format.rate / 10 / count { send(sound: silence, frameCount: count, of: type, at: time) }
    case .buffered, .data: break
    }
  }
}
