// swift-iap2 · Apache-2.0

import CarPlaySession
import Foundation
import Glibc
import Testing

@testable import CarPlaySound

/// Programs that do not behave like ffmpeg.
@Suite struct CodecProcessTests {
  private func format(_ codec: AudioFormat.Codec) throws -> AudioFormat {
    try #require(codedFormats.first { $0.codec == codec })
  }

  private func hasEnded(_ id: pid_t) -> Bool { kill(id, 0) < 0 && errno == ESRCH }

  @Test(arguments: SoundProgram.codecs) func `a missing program is told`(_ codec: AudioFormat.Codec) throws {
    let missing = SoundProgram(path: "/nowhere/ffmpeg")
    let expected = SoundProblem.unavailable("/nowhere/ffmpeg cannot be started: it is not installed")
    let format = try format(codec)
    #expect(throws: expected) { try missing.check(codec, .encoding) }
    #expect(throws: expected) { try SoundEncoder(format, program: missing, onPacket: { _ in }, onEnd: { _ in }) }
    #expect(throws: expected) { try SoundDecoder(format, program: missing, onSound: { _ in }, onEnd: { _ in }) }
  }

  @Test func `a program without a codec is told`() throws {
    let script = try Script("echo ' V..... libopus  a film'; echo ' A..... aac  AAC'")
    try script.program.check(.aacLC, .encoding)
    #expect(throws: SoundProblem.unavailable("\(script.program.path) has no encoder libopus")) {
      try script.program.check(.opus, .encoding)
    }
    #expect(throws: SoundProblem.unavailable("\(script.program.path) has no decoder libopus")) {
      try script.program.check(.opus, .decoding)
    }
    #expect(throws: SoundProblem.unavailable("aac-eld is neither encoded nor decoded")) {
      try script.program.check(.aacELD, .decoding)
    }
  }

  @Test func `a program that is killed in the middle ends the encoder`() async throws {
    let script = try Script("head -c 1000 >/dev/null; kill -9 $$")
    let received = Received()
    let encoder = try SoundEncoder(
      format(.aacLC), program: script.program, onPacket: received.take, onEnd: received.end)
    let id = try await script.processID()
    try encoder.write([UInt8](repeating: 1, count: 500_000))
    #expect(try await received.problem() == .ended("codec was ended by signal 9"))
    #expect(hasEnded(id))
    // No signal ends this process, and the reason stays.
    #expect(throws: SoundProblem.ended("codec was ended by signal 9")) { try encoder.write([1]) }
    encoder.finish()
    #expect(received.ends.count == 1)
  }

  @Test func `the last words of a program are told`() async throws {
    let script = try Script("head -c 10 >/dev/null; echo one >&2; printf 'two\\033[2J\\n' >&2; exit 3")
    let received = Received()
    let encoder = try SoundEncoder(format(.opus), program: script.program, onPacket: received.take, onEnd: received.end)
    try encoder.write([UInt8](repeating: 1, count: 10))
    #expect(try await received.problem() == .ended("codec ended with 3 before its input did: two\u{FFFD}[2J"))
  }

  @Test func `a program that ends before its input has failed`() async throws {
    let script = try Script("exit 0")
    let received = Received()
    let encoder = try SoundEncoder(format(.opus), program: script.program, onPacket: received.take, onEnd: received.end)
    #expect(try await received.problem() == .ended("codec ended with 0 before its input did"))
    _ = encoder
  }

  @Test func `much on the error output does not stop a program`() async throws {
    let script = try Script("head -c 1000000 /dev/zero >&2; cat >/dev/null")
    let received = Received()
    let encoder = try SoundEncoder(format(.opus), program: script.program, onPacket: received.take, onEnd: received.end)
    encoder.finish()
    #expect(try await received.problem() == nil)
  }

  @Test(arguments: SoundProgram.codecs) func `a malformed output ends the encoder`(
    _ codec: AudioFormat.Codec
  ) async throws {
    let script = try Script("exec cat")
    let received = Received()
    let encoder = try SoundEncoder(format(codec), program: script.program, onPacket: received.take, onEnd: received.end)
    let id = try await script.processID()
    try encoder.write([UInt8](repeating: 1, count: 100))
    guard case .output? = try await received.problem() else { return #expect(Bool(false), "\(received.ends)") }
    #expect(hasEnded(id) && received.pieces.isEmpty)
  }

  @Test func `a program that reads nothing has a bound`() async throws {
    let script = try Script("exec sleep 1000")
    let received = Received()
    let process = try CodecProcess(
      [script.program.path], reader: ADTSReader(), endLimit: 0.2, onPiece: received.take, onEnd: received.end)
    let id = try await script.processID()
    let part = [UInt8](repeating: 1, count: CodecProcess.maximumWaiting / 16)
    #expect(throws: SoundProblem.full) { for _ in 0..<1000 { try process.write(part) } }
    process.finish()
    #expect(try await received.problem() == .ended("codec was ended by signal 9"))
    #expect(hasEnded(id))
  }

  @Test func `a codec that is released ends its program`() async throws {
    let script = try Script("exec sleep 1000")
    let received = Received()
    var encoder: SoundEncoder? = try SoundEncoder(
      format(.aacLC), program: script.program, onPacket: received.take, onEnd: received.end)
    let id = try await script.processID()
    try encoder?.write([1, 2, 3, 4])
    encoder = nil
    #expect(try await received.problem() == .cancelled)
    #expect(hasEnded(id))
  }
}
