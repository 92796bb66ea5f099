// swift-iap2 · Apache-2.0

import CarPlayPrograms
import CarPlaySession
import CommandSupport
import Foundation
import Glibc
import Testing

@testable import CarPlayCommand

/// The WAV files of `--audio`.
@Suite struct SoundFilesTests {
  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "sounds-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) } }
    try body(folder)
  }

  private func sound(
    _ samples: [UInt8], number: Int = 1, position: Int64 = 0, bits: Int = 16, channels: Int = 2
  ) throws -> ReceivedContent {
    let format = try #require(
      AudioFormat.all.first { $0.codec == .pcm && $0.rate == 48_000 && $0.bits == bits && $0.channels == channels })
    return .sound(
      ReceivedSound(.mainAudio, number: number, format: format, position: position, start: .zero, samples: samples))
  }

  /// Returns what ffprobe says about a file: codec, rate, channels and duration.
  private func probe(_ file: URL) throws -> [String]? {
    let program = InstalledProgram(name: "ffprobe")
    guard program.isThere else { return nil }
    let data = try program.output([
      "-v", "error", "-show_entries", "stream=codec_name,sample_rate,channels,duration", "-of", "csv=p=0", file.path(),
    ])
    return try String(decoding: #require(data), as: UTF8.self).split { ",\n".contains($0) }.map(String.init)
  }

  @Test func eachStreamHasAFile() throws {
    try inFolder { folder in
      let files = try SoundFiles(folder: folder.path())
      for (number, position) in [(1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1)] {
        files.take(
          try sound([UInt8](repeating: UInt8(number), count: 4), number: number, position: Int64(position)), at: .zero)
        if number == 2, position == 1 { files.take(.soundEnded(.mainAudio, number: 2), at: .zero) }
      }
      try files.close()
      for number in 1...3 {
        let data = try Data(contentsOf: folder.appending(path: "mainAudio-\(number).wav"))
        let header = WAVHeader(rate: 48_000, bits: 16, channels: 2).bytes(sampleByteCount: 8)
        #expect(Array(data) == header + [UInt8](repeating: UInt8(number), count: 8))
      }
    }
  }

  @Test func aGapIsSilenceAndAPlayerReadsItsLength() throws {
    try inFolder { folder in
      let file = folder.appending(path: "mainAudio-1.wav")
      let files = try SoundFiles(folder: folder.path())
      files.take(try sound([1, 2, 3, 4]), at: .zero)
      files.take(try sound([5, 6, 7, 8], position: 48_000 - 1), at: .zero)
      files.take(.soundEnded(.mainAudio, number: 1), at: .zero)
      try files.close()
      let samples = try Data(contentsOf: file).dropFirst(WAVHeader.byteCount)
      #expect(Array(samples) == [1, 2, 3, 4] + [UInt8](repeating: 0, count: 47_998 * 4) + [5, 6, 7, 8])
      if let probed = try probe(file) { #expect(probed == ["pcm_s16le", "48000", "2", "1.000000"]) }
    }
  }

  @Test func aFileThatWasNotClosedPlaysToItsEnd() throws {
    try inFolder { folder in
      let path = folder.appending(path: "open.wav")
      var file = try WAVFile(path.path(), WAVHeader(rate: 48_000, bits: 24, channels: 1))
      try file.write([UInt8](repeating: 1, count: 24_000 * 3))
      if let probed = try probe(path) { #expect(probed.prefix(3) == ["pcm_s24le", "48000", "1"]) }
      let program = InstalledProgram(name: "ffmpeg")
      if program.isThere {
        let data = try program.output(["-v", "fatal", "-i", path.path(), "-f", "s24le", "-"])
        #expect(data == Data(repeating: 1, count: 24_000 * 3))
      }
      try file.close()
    }
  }

  @Test func aMixHasItsSilenceAndAnOddSizeAByteMore() throws {
    try inFolder { folder in
      let path = folder.appending(path: "mix.wav")
      let mix = try MixFile(path.path())
      try mix.write(.samples([1, -1]))
      try mix.write(.silence(frameCount: 2))
      try mix.write(.samples([2, -2]))
      try mix.write(.silence(frameCount: 1))
      try mix.close()
      let header = WAVHeader(rate: 48_000, bits: 16, channels: 2).bytes(sampleByteCount: 20)
      let samples: [UInt8] = [1, 0, 255, 255] + [UInt8](repeating: 0, count: 8) + [2, 0, 254, 255, 0, 0, 0, 0]
      #expect(Array(try Data(contentsOf: path)) == header + samples)
      let (odd, oddPath) = (WAVHeader(rate: 48_000, bits: 24, channels: 1), folder.appending(path: "odd.wav"))
      var file = try WAVFile(oddPath.path(), odd)
      try file.write([1, 2, 3])
      try file.close()
      #expect(Array(try Data(contentsOf: oddPath)) == odd.bytes(sampleByteCount: 3) + [1, 2, 3, 0])
    }
  }

  @Test func filesOfAnEarlierRunStayUntilTheFirstSamples() throws {
    try inFolder { folder in
      let files = ["mainAudio-1.wav", "mix.wav"].map { folder.appending(path: $0) }
      for file in files { try Data("earlier".utf8).write(to: file) }
      try SoundFiles(folder: folder.path()).close()
      try SoundMix(try MixFile(files[1].path())).close()
      for file in files { #expect(try Data(contentsOf: file) == Data("earlier".utf8)) }
    }
  }

  @Test func aPipeIsNoFileForSound() throws {
    try inFolder { folder in
      let path = folder.appending(path: "mainAudio-1.wav").path()
      let isMade = unsafe mkfifo(path, 0o600) == 0
      #expect(isMade)
      let files = try SoundFiles(folder: folder.path())
      files.take(try sound([1, 2, 3, 4]), at: .zero)
      #expect(throws: CommandFailure.self) { try files.close() }
      #expect(throws: CommandFailure.self) { try MixFile(path) }
      #expect(throws: CommandFailure.self) { try MixFile("/dev/null") }
    }
  }

  @Test func unitsOfAACELDAreBehindTheirLengths() throws {
    try inFolder { folder in
      let files = try SoundFiles(folder: folder.path())
      let format = try #require(AudioFormat.all.first { $0.codec == .aacELD })
      for (number, size) in [(1, 2), (1, 300), (2, 1)] {
        let unit = [UInt8](repeating: UInt8(number), count: size)
        files.take(
          .packet(ReceivedPacket(.mainAudio, number: number, format: format, position: 0, start: nil, bytes: unit)),
          at: .zero)
      }
      files.take(.soundEnded(.mainAudio, number: 2), at: .zero)
      try files.close()
      func content(_ number: Int) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: "mainAudio-\(number).aac-eld")))
      }
      #expect(try content(1) == [0, 2, 1, 1, 1, 44] + [UInt8](repeating: 1, count: 300))
      #expect(try content(2) == [0, 1, 2])
    }
  }

  @Test func aMixIsNotTheFileOfAStream() throws {
    try inFolder { folder in
      let mix = try MixFile(folder.appending(path: "mainAudio-1.wav").path())
      let files = try SoundFiles(folder: folder.path())
      files.take(try sound([1, 2, 3, 4]), at: .zero)
      #expect(throws: CommandFailure.self) { try files.close() }
      try mix.close()
    }
  }

  @Test func aHeadUnitHasOneOutputOfEachKind() {
    let targets = ["sounds", "mix:drive.wav", "device"].compactMap(AudioTarget.init)
    #expect(targets == [.folder("sounds"), .mix("drive.wav"), .device] && AudioTarget.problem(of: targets) == nil)
    #expect(AudioTarget.problem(of: [.mix("")])?.contains("needs a file") == true)
    for target in targets { #expect(AudioTarget.problem(of: targets + [target])?.contains("once") == true) }
  }
}
