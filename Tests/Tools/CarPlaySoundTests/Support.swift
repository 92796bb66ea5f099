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
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(Probe.self, from: data)
  }

  struct Probe: Decodable {
    struct Stream: Decodable {
      var codecName: String
      var profile: String?
      var sampleRate: String
      var channels: Int
    }
    struct Packet: Decodable {
      var size: String
      var durationTime: String?
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

/// Returns 1.2 s of a chord that swells and ebbs, with other tones in each channel.
func chord(_ format: AudioFormat) -> [Int16] { chords[format] ?? [] }

private func makeChord(_ format: AudioFormat) -> [Int16] {
  let tones = [[220.0, 587, 1501], [311.0, 831, 1201]]
  var samples: [Int16] = []
  samples.reserveCapacity(format.rate * format.channels * 6 / 5)
  for index in 0..<format.rate * 6 / 5 {
    let time = 2 * Double.pi * Double(index) / Double(format.rate)
    let loudness = 1800 + 1200 * sin(3 * time)
    for channel in 0..<format.channels {
      var sum = 0.0
      for tone in tones[channel] { sum += sin(tone * time) }
      samples.append(Int16(sum * loudness))
    }
  }
  return samples
}

func bytes(_ samples: [Int16]) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(samples.count * 2)
  for sample in samples {
    bytes.append(UInt8(truncatingIfNeeded: sample))
    bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
  }
  return bytes
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
    // A program that another thread starts while this process writes the file would keep it open, and it could not run.
    let writer = try Process.run(
      URL(filePath: "/bin/sh"),
      arguments: ["-c", #"printf %s "$1" >"$2" && chmod 755 "$2""#, "sh", script, file.path()])
    writer.waitUntilExit()
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
