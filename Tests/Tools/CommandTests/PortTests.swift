// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// Tests of `iap2 port` and of `iap2-port`, the same command as a program of its own.
@Suite(.ownTurn) struct PortTests {
  private static func inFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("@objc class A {}\n".utf8).write(to: folder.appending(path: "Whole.swift"))
    try Data("import CoreData\n".utf8).write(to: folder.appending(path: "Rest.swift"))
    try Data([0xFF]).write(to: folder.appending(path: "Bad.swift"))
    try await body(folder)
    try FileManager.default.removeItem(at: folder)
  }

  @Test(
    "The exit code tells whether everything was carried over",
    arguments: [
      (["Whole.swift"], 0, 1), (["Rest.swift"], 1, 1), (["Bad.swift", "Whole.swift"], 65, 1), (["None.swift"], 65, 0),
    ] as [([String], Int32, Int)])
  func exitCodes(sources: [String], status: Int32, written: Int) async throws {
    try await Self.inFolder { folder in
      let paths = sources.map { folder.appending(path: $0).path() }
      let output = folder.appending(path: "out").path()
      let outcome = try await Command(["port"] + paths + ["-o", output]).finish()
      #expect(outcome.status == status, "\(outcome.errors)")
      let files =
        FileManager.default.fileExists(atPath: output)
        ? try FileManager.default.contentsOfDirectory(atPath: output).count : 0
      #expect(files == written)
      #expect(outcome.errors.contains("cannot read") == (status == 65))
    }
  }

  @Test("A command line without a folder, or one that would replace a source, is refused")
  func refusals() async throws {
    try await Self.inFolder { folder in
      let source = folder.appending(path: "Whole.swift").path()
      let nowhere = try await Command(["port", source]).finish()
      #expect(nowhere.status == 64 && nowhere.errors.contains("--check"))
      let inPlace = try await Command(["port", source, "-o", folder.path()]).finish()
      #expect(inPlace.status == 64 && inPlace.errors.contains("is a source and stays as it is"))
      #expect(try String(contentsOfFile: source, encoding: .utf8) == "@objc class A {}\n")
    }
  }

  @Test("The program of its own prints the same")
  func bothProgramsPrintTheSame() async throws {
    try await Self.inFolder { folder in
      for format in [[], ["--json"]] {
        let arguments = [folder.path(), "--check"] + format
        let outcome = try await Command(["port"] + arguments).finish()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = Command.folder.appending(path: "iap2-port")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(String(decoding: output, as: UTF8.self) == outcome.output)
        #expect(process.terminationStatus == outcome.status && outcome.status == 65)
      }
    }
  }
}
