// swift-iap2 · Apache-2.0

import CarPlaySession
import Foundation
import Glibc

/// The samples of a sound file, which a child process decodes while they are played.
///
/// Its reads do not wait. The pipe holds the samples that were not read, so the child decodes no further ahead.
final class SoundFile {
  /// The slowest and the fastest speed that it plays.
  private static let speeds = 0.5...100.0

  private let child = Process()
  private let output: FileHandle
  private let channels: Int
  /// The bytes that were read and not taken.
  private var bytes: [UInt8] = []
  /// Whether the child has written its last sample.
  private var isOver = false
  /// Whether any sample was decoded.
  private var hasBegun = false
  /// The reason why a file is not decoded.
  static var problem: String {
    InstalledProgram.ffmpeg.isThere ? "ffmpeg does not decode it" : "ffmpeg is not installed"
  }
  /// Whether the child cannot decode the file.
  var hasFailed: Bool { isOver && !hasBegun && !child.isRunning && child.terminationStatus != 0 }

  /// Starts to decode.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - place: The place of the first sample in seconds.
  ///   - speed: The speed; 1 is the usual one, and the pitch stays.
  ///   - format: The rate and the number of channels of the samples.
  /// - Throws: The system's error, if the child cannot be started.
  init(_ path: String, from place: Double = 0, speed: Double = 1, as format: AudioFormat) throws {
    channels = format.channels
    let pipe = Pipe()
    output = pipe.fileHandleForReading
    child.executableURL = URL(filePath: "/usr/bin/env")
    var arguments = Self.input(path, from: place)
    if speed != 1 {
      arguments += ["-af", "atempo=\(min(max(speed, Self.speeds.lowerBound), Self.speeds.upperBound))"]
    }
    child.arguments = [InstalledProgram.ffmpeg.name] + arguments + Self.output(format.rate, format.channels)
    (child.standardInput, child.standardOutput) = (FileHandle.nullDevice, pipe)
    // A file that cannot be decoded is reported by the owner.
    child.standardError = FileHandle.nullDevice
    try child.run()
    try pipe.fileHandleForWriting.close()
    _ = fcntl(output.fileDescriptor, F_SETFL, fcntl(output.fileDescriptor, F_GETFL) | O_NONBLOCK)
  }

  /// Returns the arguments of the program for a file from a place in seconds. A playlist could name an address in a
  /// network, so only files are read.
  static func input(_ path: String, from place: Double) -> [String] {
    let start = String(format: "%.6f", max(0, place))
    return ["-nostdin", "-loglevel", "error", "-protocol_whitelist", "file", "-ss", start, "-i", "file:\(path)", "-vn"]
  }

  /// Returns the arguments of the program for samples of 16 bits on its output.
  static func output(_ rate: Int, _ channels: Int) -> [String] {
    ["-ar", "\(rate)", "-ac", "\(channels)", "-f", "s16le", "-"]
  }

  deinit {
    if child.isRunning { child.terminate() }
    // The program ends at the next sample that it cannot write, even if it ignores the signal.
    try? output.close()
  }

  /// Returns samples of all channels; fewer if no more are decoded yet.
  func next(_ frameCount: Int) -> [Int16] {
    let wanted = frameCount * channels * 2
    fill(wanted)
    let count = min(bytes.count, wanted) / (2 * channels) * (2 * channels)
    let samples = stride(from: 0, to: count, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
    bytes.removeFirst(count)
    return samples
  }

  private func fill(_ wanted: Int) {
    while bytes.count < wanted, !isOver {
      let start = bytes.count
      bytes += [UInt8](repeating: 0, count: wanted - start)
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(output.fileDescriptor, $0.baseAddress.map { unsafe $0 + start }, wanted - start)
      }
      bytes.removeLast(wanted - start - max(0, count))
      if count > 0 { hasBegun = true }
      if count == 0 { isOver = true }
      if count < 0, errno != EINTR {
        if errno != EAGAIN { isOver = true }
        return
      }
    }
  }
}
