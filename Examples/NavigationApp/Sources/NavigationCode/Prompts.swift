// swift-iap2 · Apache-2.0

import AVFoundation

/// The spoken prompts of the guidance. Other sound is quieter while they are heard, and as before after them.
@MainActor
final class Prompts: NSObject, AVSpeechSynthesizerDelegate {
  private let synthesizer = AVSpeechSynthesizer()

  override init() {
    super.init()
    synthesizer.delegate = self
  }

  /// Says a turn. A prompt that still runs is cut off, because its turn is over.
  func say(_ words: String) {
    if synthesizer.isSpeaking { _ = synthesizer.stopSpeaking(at: .immediate) }
    let session = AVAudioSession.sharedInstance()
    do {
      try session.setCategory(
        .playback, mode: .voicePrompt, options: [.duckOthers, .interruptSpokenAudioAndMixWithOthers])
      try session.setActive(true)
    } catch {
      // Without the session the words would stop other sound.
      return
    }
    synthesizer.speak(AVSpeechUtterance(string: words))
  }

  nonisolated func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {
    // The system refuses while other sound of the app plays, and then the session stays active for it.
    try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
  }
}
