// swift-iap2 · Apache-2.0

public import IAP2

/// The first content of streams that run: a picture without meaning, or a tenth of a second of silence.
///
/// A head unit tells that a stream runs when its first content comes, so the streams of scenarios need some.
public struct FirstContent: Sendable {
  private var filled: Set<StreamType> = []

  /// Creates content for no stream.
  public init() {}

  /// Sends content to a stream that begins to run.
  public mutating func handle(_ event: SessionEvent, _ machine: inout PhoneSession, at time: MonotonicTime) {
    switch event {
    case .stream(let type, .running, let format):
      guard filled.insert(type).inserted else { return }
      send(type, format, &machine, at: time)
    case .stream(let type, _, _): filled.remove(type)
    default: break
    }
  }

  /// The record of a configuration without parameter sets, which its frames could have.
  private static let configuration: [UInt8] = [1, 66, 0, 31, 0xFF, 0xE0, 0]

  private func send(
    _ type: StreamType, _ format: AudioFormat?, _ machine: inout PhoneSession, at time: MonotonicTime
  ) {
    switch type.family {
    case .screen:
      machine.send(ScreenMessage(.configuration, flags: 0x0116, body: Self.configuration), of: type, at: time)
      machine.send(ScreenMessage(.frame, isKeyFrame: true, body: [0, 0, 0, 1, 0x65]), of: type, at: time)
    case .audio:
      guard let format, format.codec == .pcm else { return }
      // A packet of two channels fits a datagram.
      let count = Music.framesPerPacket
      let silence = [UInt8](repeating: 0, count: count * format.channels * format.bits / 8)
      for _ in 0..<format.rate / 10 / count { machine.send(sound: silence, frameCount: count, of: type, at: time) }
    case .buffered, .data: break
    }
  }
}
