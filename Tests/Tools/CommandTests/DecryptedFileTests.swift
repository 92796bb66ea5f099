// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Tests of `iap2 decode --decrypted`: the file, its mode, and what the command says and refuses.
@Suite(.ownTurn) struct DecryptedFileTests {
  private static let capture = "captures/carplay/peer-phone.pcap", keys = "captures/carplay/peer-phone.keys"

  private static func inFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await body(folder)
    try FileManager.default.removeItem(at: folder)
  }

  private static func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path()) }

  @Test func theFileIsPrivateAndReadsWithoutKeys() async throws {
    try await Self.inFolder { folder in
      let file = folder.appending(path: "clear.pcapng")
      try Data("an older file".utf8).write(to: file)
      let outcome = try await Command.run(
        "decode", Self.capture, "--key-log", Self.keys, "--decrypted", file.path(), "--filter", "carPlayRequest")
      #expect(outcome.status == 0 && outcome.errors.contains("its content is private"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("still sealed"))
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
      #expect((attributes[.posixPermissions] as? Int) == 0o600)
      let again = try await Command.run("decode", file.path(), "--filter", "carPlayRequest")
      #expect(again.output == outcome.output && !again.output.isEmpty)
      let copy = folder.appending(path: "copy.pcapng")
      let twice = try await Command.run("decode", file.path(), "--decrypted", copy.path())
      #expect(twice.status == 65 && twice.errors.contains("in the clear already") && !Self.exists(copy))
    }
  }

  @Test func nothingIsWrittenWithoutAnOpenedSession() async throws {
    try await Self.inFolder { folder in
      let file = folder.appending(path: "clear.pcapng")
      let sealed = try await Command.run("decode", Self.capture, "--decrypted", file.path())
      #expect(sealed.status == 65, "\(sealed.errors)")
      let reason = "neither --key-log nor the capture has its secret"
      let lines = sealed.errors.split(separator: "\n").filter { $0.contains("no CarPlay session could be opened") }
      #expect(lines.count == 1 && lines[0].contains("control of session 1") && lines[0].contains(reason))
      // All that can be read is shown.
      #expect(sealed.output.contains("POST /pair-setup"))
      #expect(!Self.exists(file))
      try Data("an older file".utf8).write(to: file)
      let bad = try await Command.run("decode", "README.md", "--decrypted", file.path())
      #expect(bad.status == 65)
      #expect(try Data(contentsOf: file) == Data("an older file".utf8))
    }
  }

  @Test func aSecretThatDoesNotFitIsNamed() async throws {
    try await Self.inFolder { folder in
      let keys = folder.appending(path: "keys")
      let file = folder.appending(path: "clear.pcapng")
      let text = try String(contentsOf: Command.root.appending(path: Self.keys), encoding: .utf8)
      let wrong = text.split(separator: "\n").map { line in
        line.hasPrefix("CARPLAY_PAIR_VERIFY") ? String(line.dropLast(4)) + "0000" : String(line)
      }
      try Data(wrong.joined(separator: "\n").utf8).write(to: keys)
      let outcome = try await Command.run(
        "decode", Self.capture, "--key-log", keys.path(), "--decrypted", file.path(), "--filter", "carPlayRequest")
      #expect(outcome.status == 65 && !Self.exists(file))
      #expect(outcome.errors.contains("control of session 1") && outcome.errors.contains("the tag of frame 0 is wrong"))
    }
  }

  @Test func aCopyIsNotOpenedFurther() async throws {
    try await Self.inFolder { folder in
      // A capture with two sessions, of which the first key log opens one.
      let keys = folder.appending(path: "keys")
      let text = try String(contentsOf: Command.root.appending(path: Self.keys), encoding: .utf8)
      let other = try String(
        contentsOf: Command.root.appending(path: "captures/carplay/peer-headunit.keys"), encoding: .utf8)
      try Data(other.utf8).write(to: keys)
      let (one, two) = (folder.appending(path: "both.pcap"), folder.appending(path: "clear.pcapng"))
      let records = try ["peer-phone", "peer-headunit"].map {
        try Data(contentsOf: Command.root.appending(path: "captures/carplay/\($0).pcap"))
      }
      try (records[0] + records[1].dropFirst(24)).write(to: one)
      let partial = try await Command.run(
        "decode", one.path(), "--key-log", keys.path(), "--decrypted", two.path(), "--filter", "carPlayRequest")
      #expect(partial.status == 0 && partial.errors.contains("control of session 1 ("), "\(partial.errors)")
      try Data(text.utf8).write(to: keys)
      for command in ["decode", "explain"] {
        let again = try await Command.run(command, two.path(), "--key-log", keys.path())
        let lines = again.errors.split(separator: "\n").filter { $0.contains("a key log opens nothing more in it") }
        #expect(lines.count == 1, "\(again.errors)")
        #expect(!(try await Command.run(command, two.path())).errors.contains("opens nothing more"))
      }
    }
  }

  @Test func standardOutputIsRefused() async throws {
    for option in ["--decrypted", "--extract"] {
      let outcome = try await Command.run("decode", Self.capture, "--key-log", Self.keys, option, "-")
      #expect(outcome.status == 64 && outcome.errors.contains("cannot go to standard output"), "\(outcome.errors)")
      #expect(!Self.exists(Command.root.appending(path: "-")))
    }
  }

  @Test func theReasonWhyNothingIsExtractedIsRight() async throws {
    try await Self.inFolder { folder in
      let keys = folder.appending(path: "keys")
      let text = try String(contentsOf: Command.root.appending(path: Self.keys), encoding: .utf8)
      let wrong = text.split(separator: "\n").map { $0.hasPrefix("CARPLAY_PAIR_VERIFY") ? "\($0.dropLast(4))0000" : $0 }
      try wrong.joined(separator: "\n").write(to: keys, atomically: true, encoding: .utf8)
      let none = folder.appending(path: "none")
      try Data().write(to: none)
      for (capture, keys, reason) in [
        (Self.capture, none.path(), "the streams are sealed: --key-log names the secrets"),
        (Self.capture, "captures/carplay/peer-headunit.keys", "the key logs have no secret of a session"),
        (Self.capture, keys.path(), "the secret in the key log opens nothing"),
        ("captures/sessions/tcp.pcapng", none.path(), "has no CarPlay session"),
      ] {
        let outcome = try await Command.run(
          "decode", capture, "--key-log", keys, "--json", "--extract", folder.path())
        #expect(outcome.status == 0 && outcome.errors.contains(reason), "\(capture), \(keys): \(outcome.errors)")
      }
    }
  }

  @Test func anInputIsNeverTheOutput() async throws {
    try await Self.inFolder { folder in
      let capture = folder.appending(path: "capture.pcap")
      let keys = folder.appending(path: "keys")
      try FileManager.default.copyItem(at: Command.root.appending(path: Self.capture), to: capture)
      try FileManager.default.copyItem(at: Command.root.appending(path: Self.keys), to: keys)
      let before = [try Data(contentsOf: capture), try Data(contentsOf: keys)]
      for output in [capture, keys] {
        let outcome = try await Command.run(
          "decode", capture.path(), "--key-log", keys.path(), "--decrypted", output.path())
        #expect(outcome.status == 64 && outcome.errors.contains("name another file"), "\(outcome.errors)")
      }
      #expect([try Data(contentsOf: capture), try Data(contentsOf: keys)] == before)
    }
  }
}
