// swift-iap2 · Apache-2.0

import AVFoundation
import CarPlayPlatform
import Foundation
import MediaPlayer
import PortingSupport

/// The sound of the app in the car: its kind, and the other sound that becomes quieter for it.
extension CarHost {
  /// Observes the sound of this process.
  func watchSound() {
    AVAudioSession.sharedInstance().setObserver { [weak self] sound in
      Self.onMain { self?.soundChanged(sound) }
    }
    let clock = clock
    PlaybackClock.shared.set(
      PlaybackClock.Time(
        now: { clock.now.offset / .seconds(1) },
        after: { [weak self] seconds, body in
          Self.onMain { _ = self?.events.after(seconds, seconds > 0 ? .timer : .effect) { body() } }
        })
    ) { [weak self] event in
      Self.onMain {
        guard let self, self.app != nil else { return }
        if event.verb == PlaybackClock.Event.speak {
          self.speech = PhoneActivity.Speech(
            number: (self.speech?.number ?? 0) + 1, words: event.content, ducks: self.isDucked)
        }
        self.note(.fromApp, event.verb, event.content, object: event.player)
      }
    }
    Microphone.shared.setObserver { [weak self] event in
      Self.onMain {
        guard let self, self.app != nil else { return }
        switch event {
        case .records(let records):
          self.note(.fromApp, records ? "record" : "stop", "microphone", object: "audio engine")
        case .exception(let reason): self.raise(CarPlayException(name: Microphone.exceptionName, reason: reason))
        }
      }
    }
  }

  /// The recording of the app; nil if it does not use the microphone.
  var recording: PhoneActivity.Recording? {
    guard Microphone.shared.isRecording else { return nil }
    let session = AVAudioSession.sharedInstance().current
    return PhoneActivity.Recording(isCall: session.mode.isCall, mixes: session.options.contains(.mixWithOthers))
  }

  /// Passes sound of the car's microphone to the app: 16 bits, one channel at `Microphone.rate`, the lowest byte first.
  func hear(_ bytes: Data) async {
    let bytes = [UInt8](bytes)
    await Microphone.shared.take(
      stride(from: 0, to: bytes.count & ~1, by: 2).map {
        Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
      })
  }

  /// The sounds that the app plays. A player of the app's own, of which only the Now Playing information is known, is one
  /// sound.
  var playedSounds: [PhoneActivity.Sound] {
    let players = PlaybackClock.shared.sounds
    guard !players.isEmpty else { return isNowPlaying ? [PhoneActivity.Sound(number: 0)] : [] }
    return players.sorted { $0.key < $1.key }.map { number, sound in
      PhoneActivity.Sound(
        number: number, file: sound.file, place: sound.place, rate: sound.rate, volume: sound.volume,
        isPrompt: sound.session.mode == .voicePrompt, ducks: isDucked,
        mixes: sound.session.options.contains(.mixWithOthers))
    }
  }

  /// Whether the Now Playing information of the app reports a playback.
  private var isNowPlaying: Bool {
    guard app != nil, let info = nowPlaying.shown, (info.rate ?? 1) > 0 else { return false }
    switch MPNowPlayingInfoCenter.default().playbackState {
    case .unknown, .playing: return true
    case .paused, .stopped, .interrupted: return false
    }
  }

  /// Interrupts the app's sound, as a call or the car does, or ends the interruption.
  ///
  /// The players pause first. The advice at the end is that the app may play on, and `AVPlayer` does so by itself.
  /// Source: CarPlay/Behavior.md#sound-interruption.
  package func interruptSound(_ isInterrupted: Bool) {
    guard app != nil, isInterrupted != isSoundInterrupted else { return }
    isSoundInterrupted = isInterrupted
    note(.car, isInterrupted ? "interrupts the sound" : "gives the sound back")
    if isInterrupted {
      PlaybackClock.shared.interruptAll()
      Microphone.shared.interruptAll()
    } else {
      PlaybackClock.shared.endInterruption()
    }
    let type = isInterrupted ? AVAudioSession.InterruptionType.began : .ended
    var values: [AnyHashable: Any] = [AVAudioSessionInterruptionTypeKey: type.rawValue]
    if !isInterrupted {
      values[AVAudioSessionInterruptionOptionKey] = AVAudioSession.InterruptionOptions.shouldResume.rawValue
    }
    note(.toApp, "interruptionNotification", "\(type)", object: "audio session")
    SystemNotification.post(
      AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), userInfo: values)
  }

  private func soundChanged(_ sound: AVAudioSession.Sound) {
    guard app != nil else { return }
    note(.fromApp, sound.isActive ? "sound on" : "sound off", sound.words, object: "audio session")
    let ducks = sound.isActive && sound.options.contains(.duckOthers)
    if ducks != isDucked {
      isDucked = ducks
      note(.car, ducks ? "other sound is quieter" : "other sound is as before")
    }
    guard sound.isActive, rights.categories.contains(.navigation), !sound.options.contains(.mixWithOthers), !ducks
    else { return }
    report(
      CarDiagnostic(
        .note, what: "the prompts of a navigation app stop other sound", carShows: "no music after the first prompt",
        remedy: "set the options duckOthers and interruptSpokenAudioAndMixWithOthers, and be active only in a prompt"))
  }
}

extension AVAudioSession.Sound {
  /// The channel, which has its own volume in the car, and the kind of sound.
  fileprivate var words: String {
    let channel = mode == .voicePrompt ? "channel of prompts" : mode == .voiceChat ? "channel of calls" : "main channel"
    var options: [String] = []
    if self.options.contains(.duckOthers) { options.append("ducks others") }
    if self.options.contains(.mixWithOthers) { options.append("mixes with others") }
    if self.options.contains(.interruptSpokenAudioAndMixWithOthers) { options.append("pauses spoken content") }
    return ([channel] + options).joined(separator: ", ")
  }
}
