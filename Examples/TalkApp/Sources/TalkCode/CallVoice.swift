// swift-iap2 · Apache-2.0

import AVFoundation
import Synchronization

/// The driver's voice in a call. A real app sends it to the other side; this one says how long and how loud it was.
@MainActor
final class CallVoice {
  private struct Voice {
    var seconds = 0.0
    /// The loudest sample, from 0 to 1.
    var loudest: Float = 0
  }

  private let engine = AVAudioEngine()
  private let voice = Mutex(Voice())

  /// Begins to record.
  func begin() {
    let session = AVAudioSession.sharedInstance()
    do {
      try session.setCategory(.playAndRecord, mode: .voiceChat)
      try session.setActive(true)
      listen()
      try engine.start()
    } catch { print("no microphone: \(error)") }
  }

  /// Ends the recording.
  func end() {
    guard engine.isRunning else { return }
    engine.stop()
    engine.inputNode.removeTap(onBus: 0)
    let heard = voice.withLock { voice in
      defer { voice = Voice() }
      return voice
    }
    guard heard.seconds > 0 else { return }
    let decibels = 20 * log10(max(heard.loudest, 1 / 32_768))
    print(String(format: "the driver spoke for %.1f s, at most %.0f dB", heard.seconds, decibels))
  }

  /// Installs a tap that is not isolated to the main actor, because the engine calls it on another thread.
  private nonisolated func listen() {
    engine.inputNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { [self] buffer, _ in
      guard let samples = buffer.floatChannelData?[0] else { return }
      let loudest = (0..<Int(buffer.frameLength)).map { abs(samples[$0]) }.max() ?? 0
      voice.withLock { voice in
        voice.seconds += Double(buffer.frameLength) / buffer.format.sampleRate
        voice.loudest = max(voice.loudest, loudest)
      }
    }
  }
}
