// swift-iap2 · Apache-2.0

import CarPlaySession

/// The connection of a phone's session, which decides the streams and the formats of its sound.
/// Source: CarPlaySession.md#stream-use.
public enum SessionProfile: String, Sendable, Hashable, CaseIterable {
  /// PCM on main and alternate audio.
  case wired
  /// Music in AAC-LC on a stream of its own, and other sound in OPUS.
  case wireless
  /// As wired, and behind a call the music has 8 kHz and two channels until its stream ends.
  case shortCall = "short-call"
}

/// A stream of sound as a phone sets it up.
struct SoundChoice: Sendable, Hashable {
  var type: StreamType
  var format: AudioFormat
  /// The kind of sound of the head unit's offer.
  var kind: String

  /// The number of samples of each channel in a packet.
  var framesPerPacket: Int { format.framesPerCodedPacket ?? Music.framesPerPacket }
}

/// The rules by which a phone chooses the stream and the format of its sound.
struct SoundRules: Sendable {
  var profile = SessionProfile.wired
  var coders = SoundCoders.none

  private typealias Candidates = (type: StreamType, formats: [AudioFormat])

  /// Returns the stream of a kind of main audio; nil if the head unit offers none of its formats.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - isBehindCall: Whether a call was the sound before.
  ///   - machine: The session.
  func choice(for kind: MainAudioKind, isBehindCall: Bool = false, _ machine: PhoneSession) -> SoundChoice? {
    var candidates = candidates(.mainAudio, kind.formats, opus: kind.wantsMicrophone ? Self.speech : Self.opus)
    if profile == .wireless, kind == .media {
      candidates = [
        (.mainHighAudio, Self.aac), (.mainAudio, kind.formats), (.mainAudio, Self.aac + Self.opus),
      ]
    }
    if profile == .shortCall, kind == .media, isBehindCall {
      candidates.insert((.mainAudio, Music.formats.filter { $0.rate == 8000 && $0.channels == 2 }), at: 0)
    }
    return first(of: candidates, kinds: kind.offered, machine)
  }

  /// Returns the stream of prompts; nil if the head unit offers none of their formats.
  func promptChoice(_ machine: PhoneSession) -> SoundChoice? {
    first(
      of: candidates(.alternateAudio, Music.formats, opus: Self.opus), kinds: [PromptPlayer.kind, "compatibility"],
      machine)
  }

  /// The formats of each codec, the best first.
  private static let aac = formats(.aacLC), opus = formats(.opus)
  /// The formats of OPUS for calls and Siri, the best first.
  private static let speech = opus.sorted { $0.rate == 24_000 && $1.rate != 24_000 }

  private static func formats(_ codec: AudioFormat.Codec) -> [AudioFormat] {
    AudioFormat.all.filter { $0.codec == codec }.sorted { $0.rate > $1.rate }
  }

  private func candidates(_ type: StreamType, _ pcm: [AudioFormat], opus: [AudioFormat]) -> [Candidates] {
    profile == .wireless
      ? [(type, opus), (type, pcm), (type, Self.aac)] : [(type, pcm), (type, opus), (type, Self.aac)]
  }

  /// Returns the first candidate that the head unit offers and this phone has an encoder for.
  private func first(of candidates: [Candidates], kinds: [String], _ machine: PhoneSession) -> SoundChoice? {
    for (type, formats) in candidates {
      let possible = formats.filter { $0.codec == .pcm || coders.codecs.contains($0.codec) }
      for kind in kinds {
        guard let format = possible.first(where: { machine.isOffered($0, of: type, kind: kind) }) else { continue }
        return SoundChoice(type: type, format: format, kind: kind)
      }
    }
    return nil
  }
}
