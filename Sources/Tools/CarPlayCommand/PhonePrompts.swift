// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlayPrograms
import CommandSupport
import Synchronization

/// The prompts of a phone's apps: words and files, which are made into sound one after the other.
final class PhonePrompts: Sendable {
  /// A prompt that is not made yet.
  private struct Prompt: Sendable {
    var ducks: Bool
    var make: @Sendable () async -> Music
  }

  /// The number of prompts that wait. A driver hears one or two.
  private static let maximumCount = 16

  private let prompts: AsyncStream<Prompt>
  private let sender: AsyncStream<Prompt>.Continuation
  /// The sounds of files that were taken already.
  private let taken = Mutex<Set<PhoneSounds.Item.ID>>([])
  private let hasDropped = Atomic(false)

  init() { (prompts, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumCount)) }

  /// Takes words.
  func take(_ speech: PhoneActivity.Speech) {
    add(Prompt(ducks: speech.ducks) { await Voice.sound(of: speech.words) })
  }

  /// Takes the prompts of the apps' sounds that are new.
  func take(_ sounds: PhoneSounds) {
    let new = taken.withLock { taken in
      defer { taken = Set(sounds.prompts.map(\.id)) }
      return sounds.prompts.filter { !taken.contains($0.id) }
    }
    for item in new {
      add(
        Prompt(ducks: item.sound.ducks) {
          guard let path = item.sound.file else { return Voice.toneOfPrompt }
          if let sound = await Voice.sound(ofFile: path, from: item.sound.place) { return sound }
          Output.note("\(path): \(SoundFile.problem); a tone is heard in its place")
          return Voice.toneOfPrompt
        })
    }
  }

  private func add(_ prompt: Prompt) {
    guard case .dropped = sender.yield(prompt), !hasDropped.exchange(true, ordering: .relaxed) else { return }
    Output.note("apps speak faster than a driver can hear: prompts are left out")
  }

  /// Ends the prompts.
  func finish() { sender.finish() }

  /// Makes the prompts, and passes them on until ``finish()``.
  ///
  /// - Parameter say: Receives the sound and whether it lowers the music.
  func run(_ say: @Sendable (Music, _ ducks: Bool) async -> Void) async {
    for await prompt in prompts {
      guard !Task.isCancelled else { return }
      await say(await prompt.make(), prompt.ducks)
    }
  }
}
