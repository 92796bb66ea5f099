// swift-iap2 · Apache-2.0

import Foundation

/// A peer in another language that listens: by default the independent one as an accessory (tools/peers/iap2).
struct Peer {
  let process = Process()
  let transport: String
  private let output: URL

  init(_ arguments: [String] = []) async throws {
    try await self.init(
      program: ["python3", "tools/peers/iap2/run", "accessory", "--listen", "127.0.0.1:0", "--duration", "600"]
        + arguments)
  }

  init(program: [String]) async throws {
    output = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID().uuidString)")
    try Data().write(to: output)
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = program
    process.currentDirectoryURL = Command.root
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    let file = output
    _ = try await Command.wait { try String(contentsOf: file, encoding: .utf8).contains("\n") }
    let line = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first ?? ""
    transport = "tcp:" + line.replacing("listening at ", with: "")
  }

  /// Waits for the end, and returns what the peer saw.
  func finish() async throws -> String {
    let process = process
    if try await !Command.wait({ !process.isRunning }) { process.terminate() }
    defer { do { try FileManager.default.removeItem(at: output) } catch {} }
    return try String(contentsOf: output, encoding: .utf8)
  }
}
