// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CommandSupport
import Foundation
import Glibc

/// The sound device of this machine, through a player that is installed and reads the mix from its standard input.
///
/// The session never waits for the device: a mix that the player does not read in time is not heard. Without a device,
/// a line says so, and the session goes on.
final class SoundDevice: MixOutput {
  /// The players in the order of preference. Those that find no device leave it to the next one.
  private static let players = [
    (
      program: "pw-cat",
      // Older versions without --raw read no raw samples from the standard input.
      command: "pw-cat -h < /dev/null | grep -q -e --raw && pw-cat --playback --raw --rate \(SoundMixer.rate) "
        + "--channels \(SoundMixer.channels) --format s16 -"
    ),
    (
      program: "aplay",
      command: "aplay -q -t raw -f S16_LE -r \(SoundMixer.rate) -c \(SoundMixer.channels)"
    ),
    (
      program: "ffplay",
      command: "ffplay -loglevel quiet -nodisp -autoexit -fflags nobuffer -probesize 32 -f s16le "
        + "-ar \(SoundMixer.rate) -ch_layout stereo -i -"
    ),
  ]

  /// The time in seconds for the player to play the rest at the end: more than its buffer and the pipe hold. Ours.
  private static let endSeconds = 2.0
  private static let frameByteCount = SoundMixer.channels * 2

  let isLive = true
  private let names: String
  private let process: ShellCommand
  private let pipe = Pipe()
  /// The bytes of a sample of both channels of which the player has only a part.
  private var rest: [UInt8] = []
  private var isOver = false

  /// Starts a player.
  ///
  /// - Returns: nil if no player is installed, after a line that says so.
  init?() throws {
    let players = Self.players.filter { InstalledProgram(name: $0.program).isThere }
    names = players.map(\.program).joined(separator: ", ")
    guard !players.isEmpty else {
      Output.note(
        "--audio device finds no player, so no sound is heard: install pw-cat (pipewire-bin), aplay (alsa-utils) or "
          + "ffplay (ffmpeg); the session goes on")
      return nil
    }
    // The messages of players about missing devices have many lines.
    process = try ShellCommand(
      players.map { "{ \($0.command); } 2> /dev/null" }.joined(separator: " || "), input: pipe.fileHandleForReading,
      failure: "--audio device: cannot start a player")
    try pipe.fileHandleForReading.close()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  func write(_ piece: SoundMixer.Piece) throws {
    switch piece {
    case .silence(let frameCount):
      // The clock adds little at a time, and a longer silence would not fit the pipe.
      let count = Int(min(frameCount, Int64(SoundMixer.rate)))
      write([UInt8](repeating: 0, count: count * Self.frameByteCount))
    case .samples(let samples): write(SoundMixer.bytes(samples))
    }
  }

  private func write(_ frames: [UInt8]) {
    guard !isOver else { return }
    let bytes = rest + frames
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(pipe.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count)
    }
    if count < 0, errno != EAGAIN, errno != EINTR {
      isOver = true
      Output.note(
        "--audio device: no sound device was found, or the player ended (\(names)); the session goes on without sound")
    }
    let written = max(0, count)
    // The player must get whole samples, whatever it does not get in time.
    let next = written < rest.count ? 0 : (written - rest.count + Self.frameByteCount - 1) / Self.frameByteCount
    rest = Array(bytes[written..<rest.count + next * Self.frameByteCount])
  }

  func close() throws {
    try pipe.fileHandleForWriting.close()
    if isOver || !process.waitForExit(Self.endSeconds) { process.end() }
  }
}
