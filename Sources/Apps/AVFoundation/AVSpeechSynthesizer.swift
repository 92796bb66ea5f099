// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// The slowest speech.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AVSpeechUtteranceMinimumSpeechRate: Float = 0
/// The usual speech.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AVSpeechUtteranceDefaultSpeechRate: Float = 0.5
/// The fastest speech.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AVSpeechUtteranceMaximumSpeechRate: Float = 1

/// The place at which speech pauses or stops.
public enum AVSpeechBoundary: Int, Sendable {
  /// At once.
  case immediate
  /// After the word. Here it is at once, too.
  case word
}

/// A voice.
open class AVSpeechSynthesisVoice: NSObject, @unchecked Sendable {
  /// The language, such as `en-US`.
  public let language: String
  /// The identifier.
  public let identifier: String
  /// The name.
  public var name: String { language }

  /// Creates a voice of a language; of the language of the process if it is nil.
  public init?(language: String?) {
    self.language = language ?? Self.currentLanguageCode()
    identifier = self.language
    super.init()
  }

  /// Creates a voice of an identifier.
  public init?(identifier: String) {
    (self.identifier, language) = (identifier, Self.currentLanguageCode())
    super.init()
  }

  /// Returns the language of the process.
  open class func currentLanguageCode() -> String { Locale.current.identifier(.bcp47) }

  /// Returns the voices: that of the language of the process.
  open class func speechVoices() -> [AVSpeechSynthesisVoice] {
    [AVSpeechSynthesisVoice(language: nil)].compactMap(\.self)
  }
}

/// Words to be spoken.
open class AVSpeechUtterance: NSObject, @unchecked Sendable {
  /// The words.
  public let speechString: String
  /// The voice; nil for that of the language.
  open var voice: AVSpeechSynthesisVoice?
  /// The speed, from 0 to 1.
  open var rate = AVSpeechUtteranceDefaultSpeechRate
  /// The pitch, 1 by default.
  open var pitchMultiplier: Float = 1
  /// The volume, from 0 to 1.
  open var volume: Float = 1
  /// The pause before the words in seconds.
  open var preUtteranceDelay: TimeInterval = 0
  /// The pause after the words in seconds.
  open var postUtteranceDelay: TimeInterval = 0

  /// Creates words.
  public init(string: String) {
    speechString = string
    super.init()
  }

  /// The letters of a second of usual speech. Ours: a quick speaker says about 15.
  private static let lettersPerSecond = 15.0

  /// The seconds that the words take.
  var seconds: Double {
    // A slow voice takes twice the time, a fast one half of it.
    let speed = pow(2, 2 * (Double(min(max(rate, 0), 1)) - 0.5))
    return Double(speechString.count) / Self.lettersPerSecond / speed
  }
}

/// Receives the beginning and the end of words. The calls come on the main queue.
public protocol AVSpeechSynthesizerDelegate: AnyObject {
  /// The words begin.
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance)
  /// The words were spoken.
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance)
  /// The speech pauses.
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance)
  /// The speech goes on.
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance)
  /// The words were cut off, or never begun.
  func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance)
}

extension AVSpeechSynthesizerDelegate {
  /// The default does nothing.
  public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance) {}
  /// The default does nothing.
  public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {}
  /// The default does nothing.
  public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance) {}
  /// The default does nothing.
  public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance) {}
  /// The default does nothing.
  public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {}
}

/// A speaker of words, one after the other, with its state and calls. Nothing is heard: the words take the car's time.
///
/// Invariant for `@unchecked Sendable`: the state is used under its lock only. The delegate is set by one thread, as on
/// iOS.
open class AVSpeechSynthesizer: NSObject, @unchecked Sendable {
  private struct State {
    var queue: [AVSpeechUtterance] = []
    var isPaused = false
    /// The time at which the current words began or went on, and the seconds that are left of them then.
    var start = 0.0
    var left = 0.0
    /// The number of the last beginning. An end of an earlier one is void.
    var turn = 0
  }

  /// The receiver of the calls.
  open weak var delegate: (any AVSpeechSynthesizerDelegate)?
  /// Whether the speech is part of the app's audio session.
  open var usesApplicationAudioSession = true
  private let state = Mutex(State())

  /// Whether there are words to speak.
  open var isSpeaking: Bool { state.withLock { !$0.queue.isEmpty } }
  /// Whether the speech pauses.
  open var isPaused: Bool { state.withLock { $0.isPaused } }

  /// The most words that wait. A prompt is one, a read message a few.
  private static let maximumQueue = 10_000

  /// Speaks words, after those that wait. If too many wait, the words are cancelled.
  open func speak(_ utterance: AVSpeechUtterance) {
    let isFirst: Bool? = state.withLock { state in
      guard state.queue.count < Self.maximumQueue else { return nil }
      state.queue.append(utterance)
      return state.queue.count == 1
    }
    guard let isFirst else { return tell { $0.speechSynthesizer($1, didCancel: utterance) } }
    if isFirst { begin() }
  }

  /// Stops. The words that are spoken or wait are cancelled.
  @discardableResult
  open func stopSpeaking(at boundary: AVSpeechBoundary) -> Bool {
    let cancelled = state.withLock { state in
      state.turn += 1
      defer { (state.queue, state.isPaused) = ([], false) }
      return state.queue
    }
    for utterance in cancelled { tell { $0.speechSynthesizer($1, didCancel: utterance) } }
    return !cancelled.isEmpty
  }

  /// Pauses.
  @discardableResult
  open func pauseSpeaking(at boundary: AVSpeechBoundary) -> Bool {
    let now = PlaybackClock.shared.now
    let paused: AVSpeechUtterance? = state.withLock { state in
      guard let current = state.queue.first, !state.isPaused else { return nil }
      state.isPaused = true
      state.left = max(0, state.left - (now - state.start))
      state.turn += 1
      return current
    }
    guard let paused else { return false }
    tell { $0.speechSynthesizer($1, didPause: paused) }
    return true
  }

  /// Goes on after a pause.
  @discardableResult
  open func continueSpeaking() -> Bool {
    let now = PlaybackClock.shared.now
    let next: (AVSpeechUtterance, turn: Int, left: Double)? = state.withLock { state in
      guard let current = state.queue.first, state.isPaused else { return nil }
      state.isPaused = false
      state.start = now
      state.turn += 1
      return (current, state.turn, state.left)
    }
    guard let next else { return false }
    tell { $0.speechSynthesizer($1, didContinue: next.0) }
    PlaybackClock.shared.after(next.left) { [weak self] in self?.end(next.turn) }
    return true
  }

  private func begin() {
    let now = PlaybackClock.shared.now
    let next: (AVSpeechUtterance, turn: Int, left: Double)? = state.withLock { state in
      guard let current = state.queue.first else { return nil }
      state.turn += 1
      state.start = now
      state.left = max(0, current.preUtteranceDelay) + current.seconds + max(0, current.postUtteranceDelay)
      return (current, state.turn, state.left)
    }
    guard let next else { return }
    PlaybackClock.shared.note(PlaybackClock.Event.speak, next.0.speechString, "speech synthesizer")
    tell { $0.speechSynthesizer($1, didStart: next.0) }
    PlaybackClock.shared.after(next.left) { [weak self] in self?.end(next.turn) }
  }

  private func end(_ turn: Int) {
    let spoken: AVSpeechUtterance? = state.withLock { state in
      guard state.turn == turn, !state.queue.isEmpty else { return nil }
      return state.queue.removeFirst()
    }
    guard let spoken else { return }
    tell { $0.speechSynthesizer($1, didFinish: spoken) }
    begin()
  }

  private func tell(_ call: @escaping @Sendable (any AVSpeechSynthesizerDelegate, AVSpeechSynthesizer) -> Void) {
    PlaybackClock.shared.after(0) { [weak self] in
      guard let self, let delegate = self.delegate else { return }
      call(delegate, self)
    }
  }
}
