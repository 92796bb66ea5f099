// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Foundation
import Synchronization

/// The main audio of a phone with apps, mixed in real time for the session.
final class PhoneSpeaker: Sendable {
  /// The session's side of the speaker.
  struct Port: Sendable {
    /// Begins another kind of sound or ends it, and returns the kind that can be sent now and the format of its
    /// samples.
    var play: @Sendable (MainAudioKind?) async -> (kind: MainAudioKind, format: AudioFormat)?
    /// Sends packets of samples. Returns whether a stream still runs.
    var send: @Sendable ([[UInt8]]) async -> Bool
  }

  private struct State {
    var sounds = PhoneSounds()
    /// The time at which each sound began.
    var times: [PhoneSounds.Item.ID: ContinuousClock.Instant] = [:]
    /// The files that were reported as not decoded. A player repeats a file.
    var failed: Set<String> = []
  }

  private let port: Port
  private let state = Mutex(State())
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  /// The time after which a stream of music without sound is closed: a player pauses between two songs. Ours.
  private static let linger = Duration.seconds(2)
  /// The time between two looks at a stream that does not run yet, and at one that the head unit keeps waiting.
  private static let lookTime = Duration.milliseconds(20), longLookTime = Duration.milliseconds(250)
  /// The number of looks after which the head unit keeps a stream waiting.
  private static let lookCount = 50
  /// The number of packets that are sent at once, so that the phone wakes up less often.
  private static let packetsAtOnce = 3

  init(_ port: Port) {
    self.port = port
    (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Plays these sounds from now on, and no others.
  func play(_ sounds: PhoneSounds) {
    state.withLock { state in
      let ids = Set(sounds.items.map(\.id))
      state.times = state.times.filter { ids.contains($0.key) }
      for id in ids where state.times[id] == nil { state.times[id] = .now }
      state.sounds = sounds
    }
    change.yield()
  }

  /// Ends the sound.
  func finish() { change.finish() }

  /// Sends the sound until ``finish()``.
  func run() async {
    for await _ in changes {
      guard let kind = state.withLock({ $0.sounds.kind }) else { continue }
      await play(kind)
    }
  }

  /// Sends a kind of sound, and those that follow it, until there is no sound for a while.
  private func play(_ first: MainAudioKind) async {
    var kind = first
    var silence: ContinuousClock.Instant?
    var mix: PhoneMix?
    var start = ContinuousClock.now
    var looks = 0
    while !Task.isCancelled {
      let (sounds, times) = state.withLock { ($0.sounds, $0.times) }
      if let now = sounds.kind { (kind, silence) = (now, nil) } else { silence = silence ?? .now }
      if let silence, kind != .media || silence.duration(to: .now) >= Self.linger { break }
      guard let (running, format) = await port.play(kind), running == kind else {
        mix = nil
        // The next sound takes the speakers again.
        if silence != nil { break }
        looks += 1
        try? await Task.sleep(for: looks < Self.lookCount ? Self.lookTime : Self.longLookTime)
        continue
      }
      looks = 0
      if mix?.kind != kind || mix?.format != format || mix?.hasTone != sounds.isPhones {
        (mix, start) = (PhoneMix(kind, format, hasTone: sounds.isPhones), .now)
      }
      mix?.play(sounds.main, since: times, fail: note)
      for id in mix?.replaceFailedFiles() ?? [] {
        guard let path = sounds.items.first(where: { $0.id == id })?.sound.file else { continue }
        note(path, SoundFile.problem)
      }
      var packets: [[UInt8]] = []
      for _ in 0..<Self.packetsAtOnce {
        guard let bytes = mix?.next(Music.framesPerPacket) else { break }
        packets.append(bytes)
      }
      guard await port.send(packets) else {
        mix = nil
        continue
      }
      let sent = Duration.seconds(1) * (mix?.frame ?? 0) / format.rate
      try? await Task.sleep(until: start.advanced(by: sent))
    }
    _ = await port.play(nil)
  }

  /// Notes once that a file is not heard.
  private func note(_ path: String, _ reason: String) {
    guard state.withLock({ $0.failed.insert(path).inserted }) else { return }
    Output.note("\(path): \(reason); a tone is heard in its place")
  }
}
