// swift-iap2 · Apache-2.0

import CarPlaySession
import Foundation
import Glibc
import Synchronization
import Testing

@testable import CarPlaySound

/// The program that encodes and decodes, and the one that judges its files, from one package of Debian.
enum FFmpeg {
  static let isThere = ["ffmpeg", "ffprobe"].allSatisfy { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      unsafe access("\($0)/\(name)", X_OK) == 0
    }
  }

  /// Returns what ffprobe says of the streams and packets of a file.
  static func probe(_ bytes: [UInt8], _ format: String) throws -> Probe {
    let file = FileManager.default.temporaryDirectory.appending(path: "sound-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "ffprobe", "-v", "error", "-err_detect", "crccheck", "-f", format, "-show_streams", "-show_packets", "-of",
      "json", file.path(),
    ]
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && text.isEmpty, "ffprobe: \(text)")
    return try JSONDecoder().decode(Probe.self, from: data)
  }

  struct Probe: Decodable {
    struct Stream: Decodable {
      var codec_name: String
      var profile: String?
      var sample_rate: String
      var channels: Int
    }
    struct Packet: Decodable {
      var size: String
      var duration_time: String?
    }
    var streams: [Stream]
    var packets: [Packet]
  }
}

/// The formats of the codecs that are encoded and decoded.
let codedFormats = AudioFormat.all.filter { SoundProgram.codecs.contains($0.codec) }

/// The pieces that a codec reports, and its end.
final class Received: Sendable {
  private struct State {
    var pieces: [[UInt8]] = []
    var ends: [SoundProblem?] = []
  }

  private let state = Mutex(State())

  var pieces: [[UInt8]] { state.withLock { $0.pieces } }
  var bytes: [UInt8] { pieces.flatMap(\.self) }
  var ends: [SoundProblem?] { state.withLock { $0.ends } }

  func take(_ piece: [UInt8]) { state.withLock { $0.pieces.append(piece) } }
  func end(_ problem: SoundProblem?) { state.withLock { $0.ends.append(problem) } }

  /// Waits for the end, and returns its problem.
  func problem() async throws -> SoundProblem? {
    try await wait("the end") { !self.ends.isEmpty }
    return try #require(ends.first)
  }
}

/// Waits until a condition holds, at most as long as a very busy machine needs.
func wait(_ what: String, until condition: () -> Bool) async throws {
  let deadline = ContinuousClock.now.advanced(by: .seconds(60))
  while !condition() {
    try #require(ContinuousClock.now < deadline, "\(what) did not come within 60 s")
    try await Task.sleep(for: .milliseconds(5))
  }
}

private let chords = Dictionary(uniqueKeysWithValues: codedFormats.map { ($0, makeChord($0)) })

/// Returns one and a half seconds of a chord that swells and ebbs, with other tones in each channel.
func chord(_ format: AudioFormat) -> [Int16] { chords[format] ?? [] }

private func makeChord(_ format: AudioFormat) -> [Int16] {
  (0..<format.rate * 3 / 2).flatMap { index in
    (0..<format.channels).map { channel in
      let time = Double(index) / Double(format.rate)
      let tones = channel == 0 ? [220.0, 587, 1501] : [311.0, 831, 1201]
      let loudness = 0.6 + 0.4 * sin(2 * .pi * 3 * time)
      return Int16(tones.reduce(0) { $0 + 3000 * sin(2 * .pi * $1 * time) } * loudness)
    }
  }
}

func bytes(_ samples: [Int16]) -> [UInt8] {
  samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
}

func samples(_ bytes: [UInt8]) -> [Int16] {
  stride(from: 0, to: bytes.count - 1, by: 2).map { Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8) }
}

/// Returns how far the error of samples lies below the original, in decibels, over places of both.
func signalToNoise(_ heard: [Int16], _ original: [Int16], delay: Int, _ range: Range<Int>) -> Double {
  var (signal, noise) = (0.0, 0.0)
  for place in range {
    let (a, b) = (Double(original[place]), Double(heard[place + delay]))
    signal += a * a
    noise += (a - b) * (a - b)
  }
  return 10 * log10(signal / max(noise, 1e-9))
}

/// The delay of the encoder in samples of each channel.
func delay(_ format: AudioFormat) -> Int { format.codec == .opus ? 312 * format.rate / 48_000 : 1024 }

/// Encodes samples, and returns the packets.
func encoded(_ samples: [Int16], _ format: AudioFormat) async throws -> [[UInt8]] {
  let received = Received()
  let encoder = try SoundEncoder(format, onPacket: received.take, onEnd: received.end)
  try encoder.write(bytes(samples))
  encoder.finish()
  #expect(try await received.problem() == nil)
  return received.pieces
}

/// A shell script in a folder of its own, in the place of the program.
final class Script {
  private let folder: URL
  let program: SoundProgram

  init(_ body: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "codec-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "codec")
    let pid = folder.appending(path: "pid").path()
    // The file is whole when it has its name.
    let script = "#!/bin/sh\necho $$ >\(pid).new\nmv \(pid).new \(pid)\n\(body)\n"
    try Data(script.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path())
    program = SoundProgram(path: file.path())
  }

  /// Waits until the script runs, and returns its process.
  func processID() async throws -> pid_t {
    let file = folder.appending(path: "pid").path()
    try await wait("the script") { FileManager.default.fileExists(atPath: file) }
    let text = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    return try #require(pid_t(text))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

extension SoundDecoder {
  /// Writes a packet.
  ///
  /// - Returns: Whether it can be a packet of the codec.
  func takes(_ packet: [UInt8], at time: UInt32? = nil) throws(SoundProblem) -> Bool {
    do throws(SoundProblem) { try write(packet, at: time) } catch {
      guard case .packet = error else { throw error }
      return false
    }
    return true
  }
}
