// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Limits of the process (ulimit): each that a command meets is an error with a sentence.
@Suite(.ownTurn) struct ProcessLimitTests {
  /// Runs a command under limits of the shell.
  private static func run(_ limits: String, _ arguments: [String]) async throws -> (status: Int32, errors: String) {
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments =
      ["-c", "\(limits) && exec \"$0\" \"$@\"", Command.program.path()] + arguments
    shell.currentDirectoryURL = Command.root
    let errors = Pipe()
    shell.standardInput = FileHandle.nullDevice
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = errors
    try shell.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(shell.terminationReason == .exit, "\(arguments): \(text)")
    return (shell.terminationStatus, text)
  }

  private static let phone = ["phone", "--transport", "tcp:127.0.0.1:9", "--once"]

  @Test(arguments: [(["simulate", "--seeds", "0..<5"], 6), (Self.phone, 6), (Self.phone, 12)] as [([String], Int)])
  func tooFewDescriptorsAreNamed(arguments: [String], limit: Int) async throws {
    let run = try await Self.run("ulimit -n \(limit)", arguments)
    #expect(run.status == 71 && run.errors.contains("more files and sockets can be opened"), "\(run.errors)")
    #expect(run.errors.contains("ulimit -n") && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }

  @Test func descriptorExhaustionIsNotReportedAsNoPermission() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng").path()
    let run = try await Self.run("ulimit -n 4", ["convert", "captures/synthetic/worked-session.txt", path])
    #expect(run.status == 71 && run.errors.contains("Too many open files"), "\(run.errors)")
  }

  @Test(arguments: [["simulate", "--seeds", "0..<5", "--jobs", "2"], ["run", "rules"], Self.phone])
  func tooLittleMemoryIsNamed(arguments: [String]) async throws {
    let run = try await Self.run("ulimit -v 400000", arguments)
    #expect(
      run.status == 71 && run.errors.contains("address space") && run.errors.contains("ulimit -v"), "\(run.errors)")
  }

  @Test func aCaptureThatGrowsTooLargeIsAnError() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).pcapng").path()
    // A block of `ulimit -f` has 512 bytes.
    let run = try await Self.run("ulimit -f 4", ["run", "day", "--capture", path])
    #expect(run.status == 1 && run.errors.contains("cannot write \(path): File too large"), "\(run.errors)")
    let decoded = try await Command.run("decode", path, "--summary")
    #expect(decoded.status == 0, "\(decoded.errors)")
    try FileManager.default.removeItem(atPath: path)
  }
}
