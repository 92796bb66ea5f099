// swift-iap2 · Apache-2.0

import CarPlayPrograms
import Foundation

/// The quiet tones of a phone. Each kind of sound has another one. Ours.
enum Tone {
  /// The largest sample: 30 dB below the loudest one.
  private static let amplitude = 1036.0

  /// Returns a sample of a tone with a frequency in hertz.
  static func sample(_ hertz: Double, _ frame: Int, rate: Int) -> Int16 {
    Int16(amplitude * sin(2 * .pi * hertz * Double(frame) / Double(rate)))
  }

  /// Returns a sample of music that cannot be decoded: two notes, each for half of a second.
  static func music(_ frame: Int, rate: Int) -> Int16 {
    sample(frame / (rate / 2) % 2 == 0 ? 523 : 659, frame, rate: rate)
  }

  /// Returns a sample of the phone's own sound of a kind; 0 for music, which has none. A ringtone of two notes rings
  /// for a second in three, the other side of a call is heard for a fifth of a second in two seconds, and Siri has a
  /// sound at its start.
  static func own(_ kind: MainAudioKind, _ frame: Int, rate: Int) -> Int16 {
    switch kind {
    case .media: 0
    case .alert: frame % (3 * rate) < rate ? sample(frame / (rate / 10) % 2 == 0 ? 880 : 1109, frame, rate: rate) : 0
    case .telephony: frame % (2 * rate) < rate / 5 ? sample(349, frame, rate: rate) : 0
    case .speechRecognition: frame < rate / 5 ? sample(784, frame, rate: rate) : 0
    }
  }
}
