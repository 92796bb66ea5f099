// swift-iap2 · Apache-2.0

import AVFoundation
import Basics
import CarPlayTesting
import Foundation
import Synchronization
import Testing

extension CarTests {
  /// Tests of players and speech, whose sounds take the car's time.
  @Suite @MainActor
  struct PlayerTests {
    private final class Notes: NSObject, AVAudioPlayerDelegate, AVSpeechSynthesizerDelegate {
      var calls: [String] = []

      func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { calls.append("finish") }
      func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance) {
        calls.append("start \(utterance.speechString)")
      }
      func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {
        calls.append("finish \(utterance.speechString)")
      }
      func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance) {
        calls.append("pause")
      }
      func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance) {
        calls.append("continue")
      }
      func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {
        calls.append("cancel \(utterance.speechString)")
      }
    }

    /// Returns a WAV file of 8 bits at 8000 Hz, with a chunk before its samples.
    static func wav(seconds: Int) -> Data {
      let samples = [UInt8](repeating: 128, count: 8000 * seconds)
      func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + UInt32(body.count).littleEndianBytes + body + (body.count % 2 == 0 ? [] : [0])
      }
      let rate = UInt32(8000).littleEndianBytes
      let form = UInt16(1).littleEndianBytes + UInt16(1).littleEndianBytes + rate + rate
      let end = UInt16(1).littleEndianBytes + UInt16(8).littleEndianBytes
      let content = Array("WAVE".utf8) + chunk("LIST", [1, 2, 3]) + chunk("fmt ", form + end) + chunk("data", samples)
      return Data(chunk("RIFF", content))
    }

    private func launch() async -> Car {
      let car = Car(.standard)
      await car.launch(.navigation) { MapScene() }
      return car
    }

    @Test("A player plays in the car's time, pauses, goes on and ends once")
    func player() async throws {
      let car = await launch()
      let notes = Notes()
      let player = try AVAudioPlayer(data: Self.wav(seconds: 2))
      player.delegate = notes
      #expect(player.duration == 2 && !player.isPlaying)
      player.play()
      await car.wait(.seconds(1.5))
      #expect(player.isPlaying && player.currentTime == 1.5)
      player.pause()
      await car.wait(.seconds(60))
      #expect(!player.isPlaying && player.currentTime == 1.5 && notes.calls.isEmpty)
      player.play()
      await car.wait(.seconds(0.6))
      #expect(!player.isPlaying && player.currentTime == 0 && notes.calls == ["finish"])
      #expect(
        car.log.filter { $0.object == "audio player" }.map { "\($0.name) \($0.detail)" } == [
          "play data", "pause data", "play data",
        ])
    }

    @Test("A player repeats its sound, takes a place and a speed, and stops without an end")
    func repeats() async throws {
      let car = await launch()
      let notes = Notes()
      let player = try AVAudioPlayer(data: Self.wav(seconds: 2))
      player.delegate = notes
      (player.numberOfLoops, player.enableRate, player.rate) = (1, true, 2)
      player.currentTime = 1
      player.play()
      await car.wait(.seconds(1.25))
      #expect(player.currentTime == 1.5 && notes.calls.isEmpty)
      await car.wait(.seconds(1))
      #expect(!player.isPlaying && notes.calls == ["finish"])
      player.numberOfLoops = -1
      player.play()
      await car.wait(.seconds(600))
      #expect(player.isPlaying)
      player.stop()
      await car.wait(.seconds(600))
      #expect(notes.calls == ["finish"])
    }

    @Test("An interruption pauses what plays, and tells the app when it may play on")
    func interruption() async throws {
      let car = await launch()
      let notes = Notes()
      let player = try AVAudioPlayer(data: Self.wav(seconds: 20))
      player.delegate = notes
      let kinds = Mutex<[String]>([])
      let observer = NotificationCenter.default.addObserver(
        forName: AVAudioSession.interruptionNotification, object: nil, queue: nil
      ) { note in
        let type = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
        let options = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
        kinds.withLock { $0.append("\(type ?? 9) \(options ?? 9)") }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      player.play()
      await car.wait(.seconds(1))
      await car.interruptSound(true)
      await car.interruptSound(true)
      await car.wait(.seconds(60))
      #expect(!player.isPlaying && player.currentTime == 1 && kinds.withLock { $0 } == ["1 9"])
      await car.interruptSound(false)
      #expect(!player.isPlaying && kinds.withLock { $0 } == ["1 9", "0 1"] && notes.calls.isEmpty)
      #expect(player.play())
      await car.wait(.seconds(20))
      #expect(notes.calls == ["finish"])
    }

    @Test("What plays is known with its place, its speed and its volume, and ends with the player")
    func playedSounds() async throws {
      let car = await launch()
      func sounds() -> [String] {
        PlaybackClock.shared.sounds.sorted { $0.key < $1.key }.map {
          "\($0.value.file?.suffix(5) ?? "data") \($0.value.place) \($0.value.rate) \($0.value.volume)"
        }
      }
      let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).wav")
      try Self.wav(seconds: 4).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      var player: AVAudioPlayer? = try AVAudioPlayer(contentsOf: file)
      player?.play()
      let end = "\(file.path.suffix(5))"
      #expect(sounds() == ["\(end) 0.0 1.0 1.0"])
      await car.wait(.seconds(1))
      player?.volume = 0.5
      #expect(sounds() == ["\(end) 0.0 1.0 0.5"])
      player?.currentTime = 3
      #expect(sounds() == ["\(end) 3.0 1.0 0.5"])
      await car.wait(.seconds(2))
      #expect(sounds().isEmpty)
      let other = try AVAudioPlayer(data: Self.wav(seconds: 4))
      other.play()
      player?.play()
      #expect(sounds() == ["data 0.0 1.0 1.0", "\(end) 0.0 1.0 0.5"])
      // A player that the app forgets is silent.
      player = nil
      #expect(sounds() == ["data 0.0 1.0 1.0"])
      other.stop()
      #expect(sounds().isEmpty)
    }

    @Test("A sound that cannot be read is an error, and any other bytes have a length")
    func badSounds() throws {
      #expect(throws: CocoaError.self) { try AVAudioPlayer(data: Data()) }
      #expect(throws: CocoaError.self) { try AVAudioPlayer(contentsOf: URL(filePath: "/nowhere/a.mp3")) }
      #expect(try AVAudioPlayer(data: Data(repeating: 1, count: 32_000)).duration == 2)
      let whole = Self.wav(seconds: 1)
      for end in stride(from: 1, through: 80, by: 1) {
        #expect(try AVAudioPlayer(data: whole.prefix(end)).duration >= 0.01)
      }
      // A length beyond the file.
      var cut = whole
      cut.replaceSubrange(52..<56, with: [255, 255, 255, 255])
      #expect(try AVAudioPlayer(data: cut).duration == 1)
    }

    @Test("Words are spoken one after the other, pause and are cancelled")
    func speech() async {
      let car = await launch()
      let notes = Notes()
      let synthesizer = AVSpeechSynthesizer()
      synthesizer.delegate = notes
      // Two seconds of usual speech each.
      let (a, b) = (String(repeating: "a", count: 30), String(repeating: "b", count: 30))
      synthesizer.speak(AVSpeechUtterance(string: a))
      synthesizer.speak(AVSpeechUtterance(string: b))
      await car.settle()
      #expect(notes.calls == ["start \(a)"] && synthesizer.isSpeaking)
      await car.wait(.seconds(2))
      #expect(notes.calls == ["start \(a)", "finish \(a)", "start \(b)"])
      await car.wait(.seconds(1))
      synthesizer.pauseSpeaking(at: .word)
      await car.wait(.seconds(60))
      #expect(synthesizer.isPaused)
      synthesizer.continueSpeaking()
      await car.wait(.seconds(0.9))
      #expect(synthesizer.isSpeaking)
      await car.wait(.seconds(0.1))
      #expect(!synthesizer.isSpeaking && notes.calls.suffix(3) == ["pause", "continue", "finish \(b)"])
      synthesizer.speak(AVSpeechUtterance(string: a))
      synthesizer.speak(AVSpeechUtterance(string: b))
      synthesizer.stopSpeaking(at: .immediate)
      await car.wait(.seconds(60))
      #expect(notes.calls.suffix(3) == ["start \(a)", "cancel \(a)", "cancel \(b)"])
      #expect(car.log.filter { $0.name == "speak" }.map(\.detail) == [a, b, a])
    }

    @Test("What an app played does not end in the next app")
    func anotherApp() async throws {
      let car = await launch()
      let notes = Notes()
      let player = try AVAudioPlayer(data: Self.wav(seconds: 2))
      player.delegate = notes
      player.play()
      await car.settle()
      let next = await launch()
      await next.wait(.seconds(10))
      #expect(notes.calls.isEmpty && car.end == nil)
    }
  }
}
