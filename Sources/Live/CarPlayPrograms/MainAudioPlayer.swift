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
    var format: AudioFormat
    var isRunning = false
  }

  static let stream = StreamType.mainAudio

  /// The kind of sound that the owner plays; nil for silence.
  private var kind: MainAudioKind?
  private var open: Stream?
  /// The kinds that the head unit does not offer in any format of the phone.
  private(set) var refused: Set<MainAudioKind> = []

  /// The number of streams that this player has ended, and whose end is not reported yet.
  private var endingCount = 0

  /// Whether the events of the stream are those of this player.
  var isOpen: Bool { open != nil || endingCount > 0 }

  /// The kind and the format of the sound that can be sent now; nil while the stream does not run.
  var running: (kind: MainAudioKind, format: AudioFormat)? {
    open.flatMap { $0.isRunning ? ($0.kind, $0.format) : nil }
  }

  /// Begins another kind of sound, or ends the sound. Music takes the speakers, because the driver wants it; a call and
  /// Siri have borrowed them.
  mutating func play(_ kind: MainAudioKind?, _ machine: inout PhoneSession, at time: MonotonicTime) {
    guard kind != self.kind else { return }
    self.kind = kind
    if kind == .media, ModeSnapshot(machine.arbiter).mainAudio.user != .phone {
      let take = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
      machine.change(ModeRequest([(.mainAudio, take)], reason: "music"), at: time)
    }
    update(&machine, at: time)
  }

  /// Follows the state of the stream.
  mutating func follow(_ state: StreamState, _ machine: inout PhoneSession, at time: MonotonicTime) {
    switch state {
    case .setUp: break
    case .running: open?.isRunning = true
    case .stopped where endingCount > 0: endingCount -= 1
    // The head unit does not want it. The next sound tries again.
    case .stopped, .closed, .notEchoed: (open, kind) = (nil, nil)
    }
  }

  /// Opens or closes the stream after a change of the sound, or of the side that has the speakers.
  mutating func update(_ machine: inout PhoneSession, at time: MonotonicTime) {
    let wanted = ModeSnapshot(machine.arbiter).mainAudio.user == .phone ? kind : nil
    guard open?.kind != wanted else { return }
    if open != nil {
      open = nil
      endingCount += 1
      machine.tearDown([Self.stream], at: time)
    }
    guard let wanted else { return }
    let choices = wanted.offered.lazy.compactMap { [machine] kind in
      wanted.formats.first { machine.isOffered($0, of: Self.stream, kind: kind) }.map { (kind, $0) }
    }
    guard let (offered, format) = choices.first else {
      refused.insert(wanted)
      return
    }
    let request = StreamRequest(
      Self.stream, format: format, audioType: offered, framesPerPacket: Music.framesPerPacket,
      latencyMilliseconds: Int(wanted.latency / .milliseconds(1)), wantsMicrophone: wanted.wantsMicrophone)
    if machine.setUp(request, at: time) { open = Stream(kind: wanted, format: format) }
  }
}
