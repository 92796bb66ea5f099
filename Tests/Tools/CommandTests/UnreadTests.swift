// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Tests that a command's result does not depend on the readers of its output, nor on the signal that ends it.
@Suite(.ownTurn) struct UnreadTests {
  /// Returns the writing end of a pipe without a reader.
  private static func nobody() throws -> FileHandle {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    return pipe.fileHandleForWriting
  }

  @Test(
    arguments: [
      (["run", "music", "--fault", "loss=1,seed=1"], 1), (["run", "music"], 0),
      (["run", "calls", "--pace", "real"], 0),
      (["diff", "captures/sessions/loopback.pcapng", "captures/failures/ended.burst.txt"], 1),
      (["conformance", "--as", "phone", "--transport", "loopback", "--only", "det-01", "--fault", "loss=1,seed=1"], 1),
      (["fuzz", "--as", "phone", "--transport", "loopback", "--rounds", "100000", "--seed", "1", "--json"], 1),
      (["soak", "--cycles", "1000000"], 1), (["messages"], 0),
    ] as [([String], Int32)])
  func aReaderThatClosesTheOutputChangesNoVerdict(arguments: [String], status: Int32) async throws {
    let reader = try Self.nobody()
    let command = try Command(arguments, output: reader)
    try reader.close()
    let run = try await command.finish()
    #expect(run.status == status, "\(arguments): \(run.errors)")
  }

  @Test(
    arguments: [
      (["run", "nosuch"], 66), (["coprocessor", "--authenticator", "tcp:127.0.0.1:1"], 69),
      (["run", "music", "--fault", "jitter=1,seed=1"], 0),
    ] as [([String], Int32)])
  func unreadErrorsChangeNoVerdict(arguments: [String], status: Int32) async throws {
    for lost in [try Self.nobody(), try #require(FileHandle(forWritingAtPath: "/dev/full"))] {
      let command = try Command(arguments, errors: lost)
      try lost.close()
      #expect(try await command.finish().status == status, "\(arguments)")
    }
  }

  @Test func anOutputThatCannotBeWrittenIsAFailure() async throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let command = try Command(["run", "music"], output: full)
    try full.close()
    let run = try await command.finish()
    #expect(run.status == 1 && run.errors.contains("cannot write the output"), "\(run.errors)")
  }

  /// A file with the lowest free descriptor must not be used as the output.
  @Test func anOutputThatIsMissingIsAFailure() throws {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "\"$0\" run music >&-", Command.program.path()]
    let errors = Pipe()
    shell.standardError = errors
    try shell.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 1 && said.contains("cannot write the output: Bad file descriptor"), "\(said)")
  }

  @Test func anInterruptedScenarioInRealTimeReportsItsStep() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).yaml")
    defer { do { try FileManager.default.removeItem(at: file) } catch {} }
    // The head unit does not ask for the battery, so the only step waits until Ctrl-C. A step before it could still
    // wait when its event is printed.
    try """
    headUnit: {features: [nowPlaying]}
    phone: {queue: [{title: One, artist: A, seconds: 3}]}
    steps:
      - expect: {headUnit: powerChanged, within: 600}
    """.write(to: file, atomically: true, encoding: .utf8)
    let command = try Command(["run", file.path(), "--pace", "real", "--json"])
    #expect(try await Command.wait { try command.outputText.contains("\"nowPlaying\"") })
    command.process.interrupt()
    let run = try await command.finish()
    #expect(run.status == 1 && run.errors.contains(":4: expect headUnit powerChanged"), "\(run.errors)")
    #expect(run.output.split(separator: "\n").last?.contains("\"ok\":false") == true)
    #expect(try TwoProcessTests.causes(run.output) == ["transportClosed", "transportClosed"])
  }

  /// `timeout` signals its command, and then the command's process group. A stopped command receives both signals at
  /// once, however long this test waits between them. They differ because two signals of one number would be one.
  @Test func simultaneousSignalsCountAsOne() async throws {
    let socket = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).sock").path()
    let command = try Command(["headunit", "--transport", "unix-listen:\(socket)", "--json"])
    #expect(try await Command.wait { try command.errorText.contains("waiting at") })
    try await command.suspend()
    command.process.terminate()
    command.process.interrupt()
    #expect(command.process.resume())
    let run = try await command.finish()
    #expect(run.status == 0 && run.output.contains("\"finished\""), "\(run.output)")
    #expect(!FileManager.default.fileExists(atPath: socket))
  }
}
