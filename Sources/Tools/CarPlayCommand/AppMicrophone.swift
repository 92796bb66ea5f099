// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPrograms

/// The way of the microphone's sound to the apps of a phone. The gap between two recordings is left out.
final class AppMicrophone: MixOutput {
  private let app: AppPhone
  let isLive = false

  init(_ app: AppPhone) { self.app = app }

  /// The longest silence in samples that stands for lost packets. Ours.
  private static let maximumSilence = Int64(SoundMixer.rate)

  func write(_ piece: SoundMixer.Piece) {
    switch piece {
    case .silence(let count) where count > Self.maximumSilence: break
    case .silence(let count): app.hear([Int16](repeating: 0, count: Int(count)))
    // The microphone has one channel, so both sides are the same.
    case .samples(let samples):
      app.hear(stride(from: 0, to: samples.count, by: SoundMixer.channels).map { samples[$0] })
    }
  }

  func close() {}
}
