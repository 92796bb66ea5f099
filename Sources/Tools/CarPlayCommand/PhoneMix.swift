// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Foundation

/// The main audio of a phone: the sounds of its apps, and its own tones, mixed into packets of one format.
struct PhoneMix {
  private struct Source {
    /// The decoded file; nil for a tone.
    var file: SoundFile?
    var volume: Double
    /// The number of samples that were played.
    var frame = 0
  }

  /// The number of files that are decoded at once. A driver does not tell more apart.
  private static let maximumFileCount = 8

  let kind: MainAudioKind
  let format: AudioFormat
  /// Whether the phone's own tone of the kind is heard.
  let hasTone: Bool
  private var sources: [PhoneSounds.Item.ID: Source] = [:]
  /// The number of samples that were mixed.
  private(set) var frame = 0

  /// Creates a mix without sounds.
  ///
  /// - Parameters:
  ///   - kind: The kind of main audio, which decides the phone's own tone.
  ///   - format: A format of 16-bit PCM.
  ///   - hasTone: Whether the phone's own tone of the kind is heard.
  init(_ kind: MainAudioKind, _ format: AudioFormat, hasTone: Bool = true) {
    (self.kind, self.format, self.hasTone) = (kind, format, hasTone)
  }

  /// Begins the sounds that are new, and ends those that are gone.
  ///
  /// - Parameters:
  ///   - items: The sounds.
  ///   - times: The times at which they began.
  ///   - fail: Receives the path of a file that cannot be decoded, and the reason.
  mutating func play(
    _ items: [PhoneSounds.Item], since times: [PhoneSounds.Item.ID: ContinuousClock.Instant],
    fail: (String, String) -> Void
  ) {
    let ids = Set(items.map(\.id))
    sources = sources.filter { ids.contains($0.key) }
    for item in items {
      let sound = item.sound
      if sources[item.id] == nil {
        let passed = times[item.id].map { $0.duration(to: .now) / .seconds(1) } ?? 0
        let hasRoom = sources.values.count { $0.file != nil } < Self.maximumFileCount
        let file: SoundFile? = sound.file.flatMap { path in
          guard hasRoom, InstalledProgram.ffmpeg.isThere else {
            fail(path, hasRoom ? SoundFile.problem : "more than \(Self.maximumFileCount) files play at once")
            return nil
          }
          do {
            return try SoundFile(path, from: sound.place + passed * sound.rate, speed: sound.rate, as: format)
          } catch {
            fail(path, InputFile.reason(error))
            return nil
          }
        }
        sources[item.id] = Source(file: file, volume: sound.volume)
      }
      sources[item.id]?.volume = min(max(sound.volume, 0), 1)
    }
  }

  /// Replaces the files that cannot be decoded by tones.
  ///
  /// - Returns: Their sounds.
  mutating func replaceFailedFiles() -> [PhoneSounds.Item.ID] {
    let failed = sources.filter { $0.value.file?.hasFailed ?? false }.keys
    for id in failed { sources[id]?.file = nil }
    return Array(failed)
  }

  /// Returns the payload of the next packet. What is not decoded in time is silent.
  mutating func next(_ frameCount: Int) -> [UInt8] {
    let channels = format.channels
    var sum = (0..<frameCount * channels).map {
      hasTone ? Int(Tone.own(kind, frame + $0 / channels, rate: format.rate)) : 0
    }
    for (id, source) in sources {
      if let file = source.file {
        for (index, sample) in file.next(frameCount).enumerated() { sum[index] += Int(Double(sample) * source.volume) }
      } else {
        for index in sum.indices {
          let sample = Tone.music(source.frame + index / channels, rate: format.rate)
          sum[index] += Int(Double(sample) * source.volume)
        }
      }
      sources[id]?.frame += frameCount
    }
    frame += frameCount
    var packet: [UInt8] = []
    packet.reserveCapacity(2 * sum.count)
    for sample in sum {
      let sample = Int16(clamping: sample)
      packet.append(UInt8(truncatingIfNeeded: sample >> 8))
      packet.append(UInt8(truncatingIfNeeded: sample))
    }
    return packet
  }
}
