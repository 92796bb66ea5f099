// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Tests of output files: an input is never an output of the same command, and an existing capture is replaced only by
/// the first record.
@Suite(.ownTurn) struct OutputFileTests {
  private static func inFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await body(folder)
    try FileManager.default.removeItem(at: folder)
  }

  @Test(arguments: ["data", "symbolic", "hard"]) func anInputIsNeverAnOutputByAnyName(output: String) async throws {
    try await Self.inFolder { folder in
      let data = folder.appending(path: "data")
      try Data("precious".utf8).write(to: data)
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "symbolic"), withDestinationURL: data)
      try FileManager.default.linkItem(at: data, to: folder.appending(path: "hard"))
      let place = folder.appending(path: output).path()
      for arguments in [["--receive", place], ["--capture", place]] {
        let outcome = try await Command(
          ["phone", "--transport", "tcp:127.0.0.1:9", "--once", "--open", "com.example", "--send", data.path()]
            + arguments
        ).finish()
        #expect(outcome.status == 64 || outcome.status == 69, "\(arguments): \(outcome.errors)")
        if arguments[0] == "--receive" {
          #expect(outcome.status == 64 && outcome.errors.contains("name another file"), "\(outcome.errors)")
        }
        #expect(try Data(contentsOf: data) == Data("precious".utf8))
      }
    }
  }

  @Test func aScenarioIsNotReplacedByItsCapture() async throws {
    try await Self.inFolder { folder in
      let scenario = folder.appending(path: "play.yaml")
      let source = Command.root.appending(path: "Tests/Tools/CommandTests/Fixtures/other-music.yaml")
      try FileManager.default.copyItem(at: source, to: scenario)
      let outcome = try await Command.run("run", scenario.path(), "--capture", scenario.path())
      #expect(outcome.status == 64 && outcome.errors.contains("name another file"), "\(outcome.errors)")
      #expect(try Data(contentsOf: scenario) == Data(contentsOf: source))
    }
  }

  @Test func aConnectThatFailsLeavesAnOlderCapture() async throws {
    try await Self.inFolder { folder in
      let capture = folder.appending(path: "old.pcapng")
      try Data("an older capture".utf8).write(to: capture)
      let outcome = try await Command.run(
        "phone", "--transport", "unix:\(folder.path())/nobody", "--once", "--capture", capture.path())
      #expect(outcome.status == 69)
      #expect(try Data(contentsOf: capture) == Data("an older capture".utf8))
      let played = try await Command.run("run", "rules", "--capture", capture.path())
      #expect(played.status == 0)
      #expect(try Data(contentsOf: capture).prefix(4) == Data([0x0A, 0x0D, 0x0D, 0x0A]))
    }
  }

  /// `iap2 phone --open … >>log` adds to a file that has other lines.
  @Test func standardOutputThatIsAFileKeepsWhatItHas() async throws {
    try await Self.inFolder { folder in
      let headUnit = try Command(
        [
          "headunit", "--transport", "tcp-listen:127.0.0.1:0", "--once", "--external-accessory",
          "com.example.echo=echo",
        ])
      let address = try await headUnit.address(after: "waiting at tcp-listen:")
      let log = folder.appending(path: "log")
      try Data("before\n".utf8).write(to: log)
      let file = try FileHandle(forWritingTo: log)
      try file.seekToEnd()
      let phone = try Command(
        ["phone", "--transport", "tcp:\(address)", "--once", "--open", "com.example.echo", "--expect-echo"],
        input: "hello\n", output: file)
      let outcome = try await phone.finish()
      try file.close()
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try String(contentsOf: log, encoding: .utf8) == "before\nhello\n")
      #expect(try await headUnit.finish().status == 0)
    }
  }
}
