// swift-iap2 · Apache-2.0

import AVFoundation
import Foundation
import Glibc
import Testing

/// The lengths of sounds. The duration of each file of ffmpeg is the one in its arguments.
@Suite struct SoundLengthTests {
  /// The seconds of each file of ffmpeg.
  private static let seconds = 3.5

  /// A form of a file, the arguments of ffmpeg, and how near its length is.
  private struct Form {
    var file: String
    var arguments = ""
    var error = 1e-6
  }

  private static let forms = [
    Form(file: "a.wav"), Form(file: "a.aiff"), Form(file: "a.caf"),
    Form(file: "a.flac"),
    Form(file: "flac.oga", arguments: "-c:a flac"),
    Form(file: "alac.m4a", arguments: "-c:a alac", error: 0.001),
    Form(file: "vorbis.ogg", arguments: "-c:a libvorbis", error: 0.001),
    Form(file: "a.opus", arguments: "-c:a libopus", error: 0.001),
    // LAME says how much silence it has added.
    Form(file: "constant.mp3", arguments: "-b:a 128k", error: 0.001),
    Form(file: "variable.mp3", arguments: "-q:a 5 -write_id3v1 1 -metadata title=A", error: 0.001),
    Form(file: "untagged.mp3", arguments: "-q:a 5 -id3v2_version 0", error: 0.001),
    Form(file: "slow.mp3", arguments: "-ar 22050 -ac 1 -b:a 32k", error: 0.001),
    Form(file: "slowest.mp3", arguments: "-ar 8000 -ac 1 -b:a 16k", error: 0.001),
    // ffmpeg counts all of the last packet of 4096 samples, and ffprobe too.
    Form(file: "alac.caf", arguments: "-c:a alac", error: 0.1),
    // Frames of 1024 or 1152 samples, with silence at both ends.
    Form(file: "a.m4a", arguments: "-c:a aac", error: 0.03),
    Form(file: "front.mp4", arguments: "-c:a aac -movflags +faststart", error: 0.03),
    Form(file: "plain.mp3", arguments: "-b:a 64k -write_xing 0 -write_id3v1 1", error: 0.08),
    Form(file: "plain.mp2", arguments: "-c:a mp2 -b:a 192k", error: 0.05),
  ]

  private static let hasFFmpeg = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    unsafe access("\($0)/ffmpeg", X_OK) == 0
  }

  /// Makes all files in one run of ffmpeg.
  private func withFiles(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "lengths-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    let source = "sine=frequency=440:sample_rate=44100:duration=\(Self.seconds)"
    var arguments = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source]
    for form in Self.forms { arguments += form.arguments.split(separator: " ").map(String.init) + [form.file] }
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    try body(folder)
  }

  @Test(.enabled(if: hasFFmpeg, "ffmpeg is not installed"))
  func `the length of a sound is that of its file, whatever its form is`() throws {
    try withFiles { folder in
      for form in Self.forms {
        let file = folder.appending(path: form.file)
        let data = try Data(contentsOf: file)
        let lengths = try [AVAudioPlayer(contentsOf: file).duration, AVAudioPlayer(data: data).duration]
        #expect(lengths.allSatisfy { abs($0 - Self.seconds) <= form.error }, "\(form.file): \(lengths)")
        // A part of larger data does not begin at index 0.
        #expect(try AVAudioPlayer(data: (Data([1, 2]) + data).dropFirst(2)).duration == lengths[0])
      }
    }
  }

  @Test(.enabled(if: hasFFmpeg, "ffmpeg is not installed"))
  func `files that were cut or changed have some length`() throws {
    try withFiles { folder in
      for form in Self.forms {
        let data = try Data(contentsOf: folder.appending(path: form.file))
        for end in Array(1..<100) + Array(stride(from: 100, to: min(data.count, 2048), by: 97)) {
          let length = try AVAudioPlayer(data: data.prefix(end)).duration
          #expect(length >= 0.01 && length.isFinite, "\(form.file), \(end) bytes")
        }
        for place in 0..<64 {
          for byte: UInt8 in [0, 0xFF] {
            var changed = data.prefix(2048)
            changed[place] = byte
            let length = try AVAudioPlayer(data: changed).duration
            #expect(length >= 0.01 && length.isFinite, "\(form.file), byte \(place) is \(byte)")
          }
        }
      }
    }
  }

  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    bytes(UInt32(content.count + 8)) + Array(name.utf8) + content
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Number($0)) }
  }

  /// The numbers are those of ISO/IEC 14496-12, 8.2.2.
  @Test func `a movie may have numbers of 64 bits, or no length`() throws {
    func length(_ header: [UInt8]) throws -> Double {
      let movie = Self.box("moov", Self.box("free", []) + Self.box("mvhd", header))
      // A box with a size of 64 bits before it.
      let large = Self.bytes(UInt32(1)) + Array("mdat".utf8) + Self.bytes(UInt64(16 + 5)) + [1, 2, 3, 4, 5]
      return try AVAudioPlayer(data: Data(Self.box("ftyp", Array("M4A ".utf8)) + large + movie)).duration
    }
    let dates = [UInt8](repeating: 0, count: 16)
    #expect(
      try length([1, 0, 0, 0] + dates + Self.bytes(UInt32(600)) + Self.bytes(UInt64(600) << 32)) == 0x1_0000_0000)
    #expect(try length([0, 0, 0, 0] + dates.prefix(8) + Self.bytes(UInt32(600)) + Self.bytes(UInt32(900))) == 1.5)
    for unknown in [0, UInt32.max] {
      #expect(try length([0, 0, 0, 0] + dates.prefix(8) + Self.bytes(UInt32(600)) + Self.bytes(unknown)) == 0.01)
    }
  }

  /// The header is that of Fraunhofer's encoder, 36 bytes behind the start of the first frame.
  @Test func `an MP3 file may have the table of another encoder`() throws {
    // MPEG 1, layer III, 128 kbit/s, 44.1 kHz: 417 bytes and 1152 samples a frame.
    var frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413)
    let next = frame
    let table = Array("VBRI".utf8) + [0, 1, 0, 0, 0, 75] + Self.bytes(UInt32(9999)) + Self.bytes(UInt32(441))
    frame.replaceSubrange(36..<36 + table.count, with: table)
    #expect(try AVAudioPlayer(data: Data(frame + next)).duration == 11.52)
  }

  @Test func `a large file is not read`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "large-\(UUID().uuidString).flac")
    defer { try? FileManager.default.removeItem(at: file) }
    // 48000 frames a second, and 96000 frames.
    let header = Array("fLaC".utf8) + [0, 0, 0, 34] + [UInt8](repeating: 0, count: 10)
    let numbers = UInt64(48_000) << 44 | 96_000
    try Data(header + Self.bytes(numbers) + [UInt8](repeating: 0, count: 16)).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    // A hole: no disk has the bytes, and no memory would.
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    #expect(try AVAudioPlayer(contentsOf: file).duration == 2)
  }

  @Test func `a folder and an empty file are errors`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "empty-\(UUID().uuidString).mp3")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(throws: CocoaError.self) { try AVAudioPlayer(contentsOf: file) }
    #expect(throws: CocoaError.self) { try AVAudioPlayer(contentsOf: file.deletingLastPathComponent()) }
  }
}
