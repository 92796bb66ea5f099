// swift-iap2 · Apache-2.0

import CarPlayPhone
import CarPlayPlatform
import CarPlayPrograms
import CarPlaySession
import Foundation
import Testing

@testable import CarPlayCommand

/// The sounds of a phone's apps, mixed into packets.
struct PhoneMixTests {
  /// The looks after which a child that does not decode fails the test. On a busy machine each takes longer.
  private static let lookCount = 100_000
  private static let stereo = AudioFormat.pcm(rate: 48_000, channels: 2)!

  /// Returns the samples of packets until `count` of them have come, all channels in one row.
  private func samples(_ mix: inout PhoneMix, _ frameCount: Int) -> [Int] {
    let bytes = mix.next(frameCount)
    return stride(from: 0, to: bytes.count, by: 2).map {
      Int(Int16(bitPattern: UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])))
    }
  }

  private func item(_ number: Int, _ file: String? = nil, volume: Double = 1, place: Double = 0) -> PhoneSounds.Item {
    PhoneSounds.Item(app: 0, sound: PhoneActivity.Sound(number: number, file: file, place: place, volume: volume))
  }

  @Test func `the kind of sound is that of the driver's own words first`() {
    let music = [item(1)]
    #expect(PhoneSounds().kind == nil)
    #expect(PhoneSounds(items: music).kind == .media)
    #expect(PhoneSounds(items: music, call: .ringing).kind == .alert)
    #expect(PhoneSounds(items: music, call: .ringing, showsSiri: true).kind == .speechRecognition)
    #expect(PhoneSounds(items: music, call: .talking, showsSiri: true).kind == .telephony)
    let prompt = PhoneSounds.Item(app: 1, sound: PhoneActivity.Sound(number: 1, isPrompt: true))
    #expect(PhoneSounds(items: music, recording: .init(isCall: true)).kind == .telephony)
    #expect(PhoneSounds(items: music, recording: .init()).kind == .speechRecognition)
    #expect(PhoneSounds(items: music, recording: .init()).main == music)
    #expect(PhoneSounds(items: music, call: .talking, recording: .init()).main.isEmpty)
    #expect(PhoneSounds(items: [prompt]).kind == nil && PhoneSounds(items: [prompt]).prompts == [prompt])
  }

  @Test func `tones are quiet, differ from each other, and stop with their sounds`() {
    var mix = PhoneMix(.media, Self.stereo)
    func fail(_ path: String, _ reason: String) { Issue.record("\(path): \(reason)") }
    #expect(samples(&mix, 480).allSatisfy { $0 == 0 })
    mix.play([item(0)], since: [:], fail: fail)
    let one = samples(&mix, 4800)
    #expect(one.contains { abs($0) > 900 } && one.allSatisfy { abs($0) < 1100 })
    #expect(stride(from: 0, to: one.count, by: 2).allSatisfy { one[$0] == one[$0 + 1] })
    mix.play([item(0, volume: 0)], since: [:], fail: fail)
    #expect(samples(&mix, 4800).allSatisfy { $0 == 0 })
    mix.play([], since: [:], fail: fail)
    #expect(samples(&mix, 4800).allSatisfy { $0 == 0 } && mix.frame == 480 + 3 * 4800)
    let kinds = MainAudioKind.allCases.map { kind in
      var own = PhoneMix(kind, Self.stereo)
      return samples(&own, 48_000)
    }
    #expect(Set(kinds).count == kinds.count && kinds[0].allSatisfy { $0 == 0 })
  }

  @Test(.enabled(if: InstalledProgram.ffmpeg.isThere, "ffmpeg is not installed"))
  func `files are heard sample by sample, from their place, and with their volume`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-mix-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    /// Writes a WAV file of 48 kHz, whose samples count up, and returns its path.
    func file(_ name: String, step: Int, count: Int) throws -> String {
      func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
      let data = (0..<count).flatMap { number($0 * step, 2) + number(-$0 * step, 2) }
      let header =
        Array("RIFF".utf8) + number(36 + data.count, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2)
        + number(2, 2) + number(48_000, 4) + number(192_000, 4) + number(4, 2) + number(16, 2)
      let path = folder.appending(path: name)
      try Data(header + Array("data".utf8) + number(data.count, 4) + data).write(to: path)
      return path.path
    }
    /// Returns the samples of a channel that are not silent, after `count` of them have come.
    func heard(_ item: PhoneSounds.Item, _ count: Int, channel: Int) async throws -> [Int] {
      var mix = PhoneMix(.media, Self.stereo)
      mix.play([item], since: [:]) { Issue.record("\($0): \($1)") }
      var heard: [Int] = []
      for _ in 0..<Self.lookCount where heard.count < count {
        let samples = samples(&mix, 96)
        heard += stride(from: channel, to: samples.count, by: 2).map { samples[$0] }.filter { $0 != 0 }
        try await Task.sleep(for: .microseconds(100))
      }
      return heard
    }
    let path = try file("-i a b.wav", step: 2, count: 9600)
    #expect(try await heard(item(1, path), 9599, channel: 0) == (1..<9600).map { 2 * $0 })
    #expect(
      try await heard(item(1, path, volume: 0.5, place: 0.1), 4800, channel: 1) == (4800..<9600).map { -$0 })
  }

  @Test(.enabled(if: InstalledProgram.ffmpeg.isThere, "ffmpeg is not installed"))
  func `a file that is no sound becomes a tone`() async throws {
    var mix = PhoneMix(.media, Self.stereo)
    mix.play([item(1, "/nowhere/song.mp3")], since: [:]) { Issue.record("\($0): \($1)") }
    var failed: [PhoneSounds.Item.ID] = []
    for _ in 0..<Self.lookCount where failed.isEmpty {
      #expect(samples(&mix, 96).allSatisfy { $0 == 0 })
      try await Task.sleep(for: .microseconds(100))
      failed = mix.replaceFailedFiles()
    }
    #expect(failed == [item(1).id] && mix.replaceFailedFiles().isEmpty)
    #expect(samples(&mix, 4800).contains { abs($0) > 900 })
  }
}
