// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// The built command, run as a user runs it.
struct Command {
  enum Input: ExpressibleByStringLiteral {
    case text(String)
    /// Open, and nothing ever comes: a keyboard nobody uses.
    case silent(Pipe)

    init(stringLiteral text: String) { self = .text(text) }
  }

  struct Outcome: Sendable {
    var status: Int32
    var output: String
    var errors: String
  }

  static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
  /// Whoever takes longer hangs, however busy the machine is.
  static let limitSeconds = 600.0
  /// A command that ends before it has read what it is sent must not end the tests.
  private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  let process = Process()
  private let output: URL
  let errors: URL

  /// Starts it; standard input is the text given, or a pipe.
  /// - Parameters:
  ///   - reader: who gets its output instead of a file.
  ///   - listener: who gets its errors instead of a file.
  init(_ arguments: [String], input: Input = "", output reader: FileHandle? = nil, errors listener: FileHandle? = nil)
    throws
  {
    Self.ignoresBrokenPipes
    let scratch = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    output = scratch.appending(path: "output")
    errors = scratch.appending(path: "errors")
    let source = scratch.appending(path: "input")
    for file in [output, errors] { try Data().write(to: file) }
    process.executableURL = Self.folder.appending(path: "iap2")
    process.arguments = arguments
    process.currentDirectoryURL = Self.root
    var files = [try FileHandle(forWritingTo: output), try FileHandle(forWritingTo: errors)]
    process.standardOutput = reader ?? files[0]
    process.standardError = listener ?? files[1]
    switch input {
    case .text(let text):
      try Data(text.utf8).write(to: source)
      let file = try FileHandle(forReadingFrom: source)
      files.append(file)
      process.standardInput = file
    case .silent(let pipe): process.standardInput = pipe
    }
    try process.run()
    // It has its own. Foundation's `run` reads past the end of a list of more than about 1300 open files, and may crash
    // (swift-corelibs-foundation, pull request 5472).
    for file in files { try file.close() }
  }

  /// What it has said so far on stderr.
  var errorText: String { get throws { try String(contentsOf: errors, encoding: .utf8) } }
  var outputText: String { get throws { try String(contentsOf: output, encoding: .utf8) } }

  /// Waits for its end.
  func finish() async throws -> Outcome {
    let isOver = try await Self.wait { !process.isRunning }
    if !isOver {
      process.terminate()
      Issue.record("still running after \(Self.limitSeconds) s: \(process.arguments ?? [])")
    }
    process.waitUntilExit()
    let outcome = Outcome(status: process.terminationStatus, output: try outputText, errors: try errorText)
    try FileManager.default.removeItem(at: output.deletingLastPathComponent())
    return outcome
  }

  /// The rest of the first whole line on stderr that has a word, as an address that a listener prints.
  func address(after word: String) async throws -> String {
    var found: Substring?
    _ = try await Self.wait {
      let lines = try errorText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      found = lines.first { $0.contains(word) }
      return found != nil || !process.isRunning
    }
    let said = try errorText
    let line = try #require(found, "\(said)")
    return String(line[(try #require(line.range(of: word))).upperBound...])
  }

  /// Ctrl-C for one that says nothing of being ready: when the kernel knows that it listens for it.
  func interruptWhenListening() async throws {
    let status = URL(filePath: "/proc/\(process.processIdentifier)/status")
    let isListening = try await Self.wait {
      let line = try String(contentsOf: status, encoding: .utf8).split(separator: "\n").first {
        $0.hasPrefix("SigCgt:")
      }
      let caught = try #require(UInt64(line?.split(separator: "\t").last ?? "", radix: 16))
      return caught & 1 << (SIGINT - 1) != 0
    }
    #expect(isListening)
    process.interrupt()
  }

  static func wait(_ condition: () throws -> Bool) async throws -> Bool {
    let end = Date().addingTimeInterval(limitSeconds)
    while Date() < end {
      if try condition() { return true }
      try await Task.sleep(for: .milliseconds(5))
    }
    return try condition()
  }

  static func run(_ arguments: String..., input: String = "") async throws -> Outcome {
    try await Command(arguments, input: .text(input)).finish()
  }
}

/// Compares with a file people have read; IAP2_RECORD_GOLDEN=1 writes it anew.
func expectGolden(_ text: String, _ name: String) throws {
  let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name)")
  if ProcessInfo.processInfo.environment["IAP2_RECORD_GOLDEN"] != nil {
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
  let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
  let found = text.split(separator: "\n", omittingEmptySubsequences: false)
  for (line, wanted) in zip(found, expected) where line != wanted {
    Issue.record("\(name): \(line)\nexpected: \(wanted)")
    return
  }
  #expect(found.count == expected.count, "\(name)")
}
