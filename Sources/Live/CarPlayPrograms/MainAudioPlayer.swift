// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// A kind of main audio. The raw values are those of the wire (CarPlaySession.md#audio-formats).
public enum MainAudioKind: String, Sendable, Hashable, CaseIterable {
  /// Music, and other sound of apps.
  case media
  /// A ringtone.
  case alert
  /// A call, with the microphone.
  case telephony
  /// Siri, with the microphone.
  case speechRecognition

  /// The kinds of a head unit's offer that play it, the best first. A head unit may offer fewer kinds.
  var offered: [String] { [rawValue, "default", "compatibility"] }

  /// Whether the driver speaks.
  var wantsMicrophone: Bool { self == .telephony || self == .speechRecognition }

  /// The time between the arrival and the playing: long for music, so that lost packets can be requested, and short for
  /// what a driver answers. Ours.
  var latency: Duration { self == .media ? .milliseconds(500) : .milliseconds(100) }

  /// The formats of PCM in which a phone plays it, the best first. A call of an iPhone has 32 kHz and one channel
  /// (CarPlaySession.md#stream-use).
  var formats: [AudioFormat] {
    guard wantsMicrophone else { return Music.formats }
    let calls = [32_000, 24_000, 16_000, 48_000, 44_100, 8000].compactMap { AudioFormat.pcm(rate: $0, channels: 1) }
    return calls + Music.formats.filter { $0.channels == 2 }
  }
}

/// The main audio of a phone whose owner plays: one kind of sound at a time, while the phone has the speakers.
struct MainAudioPlayer: Sendable {
  /// A stream that this player set up.
  private struct Stream: Sendable {
    var kind: MainAudioKind
    var outlet: SoundOutlet
    var isRunning = false
  }

  private let rules: SoundRules
  /// The kind of sound that the owner plays; nil for silence.
  private var kind: MainAudioKind?
  private var open: Stream?
  /// Whether the head unit has not taken the stream. It is asked again for another sound, or when the modes change.
  private var isRejected = false
  /// The kind of sound before this one.
  private var before: MainAudioKind?
  /// The kinds that the head unit does not offer in any format of the phone.
  private(set) var refused: Set<MainAudioKind> = []

  /// The number of streams of each type that this player has ended, and whose end is not reported yet.
  private var ending: [StreamType: Int] = [:]

  init(_ rules: SoundRules) { self.rules = rules }

  /// Returns whether the events of a type of stream are those of this player.
  func owns(_ type: StreamType) -> Bool { open?.outlet.choice.type == type || ending[type, default: 0] > 0 }

  /// The kind of the sound that can be sent now, and the format of its samples; nil while the stream does not run.
  var running: (kind: MainAudioKind, format: AudioFormat)? {
    open.flatMap { $0.isRunning ? ($0.kind, $0.outlet.samples) : nil }
  }

  /// Sends samples of the sound that runs.
  mutating func send(_ samples: [UInt8], _ machine: inout PhoneSession, at time: MonotonicTime) {
    if open?.isRunning == true { open?.outlet.send(samples, &machine, at: time) }
  }

  /// Begins another kind of sound, or ends the sound. Music takes the speakers, because the driver wants it; a call and
  /// Siri have borrowed them.
  mutating func play(_ kind: MainAudioKind?, _ machine: inout PhoneSession, at time: MonotonicTime) {
    guard kind != self.kind else { return }
    (before, self.kind, isRejected) = (self.kind, kind, false)
    if kind == .media, ModeSnapshot(machine.arbiter).mainAudio.user != .phone {
      let take = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
      machine.change(ModeRequest([(.mainAudio, take)], reason: "music"), at: time)
    }
    update(&machine, at: time)
  }

  /// Follows the state of a stream.
  mutating func follow(
    _ type: StreamType, _ state: StreamState, _ machine: inout PhoneSession, at time: MonotonicTime
  ) {
    switch state {
    case .setUp: break
    case .running: if open?.outlet.choice.type == type { open?.isRunning = true }
    case .stopped where ending[type, default: 0] > 0: ending[type, default: 0] -= 1
    case .stopped, .closed, .notEchoed: if open?.outlet.choice.type == type { (open, isRejected) = (nil, true) }
    }
  }

  /// Follows a change of the side that has the speakers.
  mutating func followModes(_ machine: inout PhoneSession, at time: MonotonicTime) {
    isRejected = false
    update(&machine, at: time)
  }

  /// Opens or closes the stream after a change of the sound, or of the side that has the speakers.
  private mutating func update(_ machine: inout PhoneSession, at time: MonotonicTime) {
    let wanted = ModeSnapshot(machine.arbiter).mainAudio.user == .phone ? kind : nil
    guard open?.kind != wanted, !isRejected else { return }
    if let type = open?.outlet.choice.type {
      open = nil
      ending[type, default: 0] += 1
      machine.tearDown([type], at: time)
    }
    guard let wanted else { return }
    let isBehindCall = before == .telephony
    before = nil
    guard let choice = rules.choice(for: wanted, isBehindCall: isBehindCall, machine),
      let outlet = SoundOutlet(choice, rules.coders)
    else {
      refused.insert(wanted)
      return
    }
    let request = StreamRequest(
      choice.type, format: choice.format, audioType: choice.kind, framesPerPacket: choice.framesPerPacket,
      latencyMilliseconds: Int(wanted.latency / .milliseconds(1)), wantsMicrophone: wanted.wantsMicrophone)
    if machine.setUp(request, at: time) { open = Stream(kind: wanted, outlet: outlet) }
  }
}
