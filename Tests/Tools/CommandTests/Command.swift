// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// The built command, run as a user runs it.
struct Command {
  enum Input: ExpressibleByStringLiteral {
    case text(String)
    /// An open pipe without input, such as an unused keyboard.
    case silent(Pipe)
    /// A terminal with a user.
    case terminal(PseudoTerminal)

    init(stringLiteral text: String) { self = .text(text) }
  }

  struct Outcome: Sendable {
    var status: Int32
    var output: String
    var errors: String
  }

  static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  /// The command that is tested: the one that is named, such as a release build, or the one built with the tests.
  static let program =
    ProcessInfo.processInfo.environment["IAP2_TEST_COMMAND"].map { URL(filePath: $0) } ?? folder.appending(path: "iap2")
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
  /// The limit after which a command counts as hanging, even on a busy machine.
  static let limitSeconds = 600.0
  /// A command that ends before it has read its input must not end the tests.
  private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  let process = Process()
  private let output: URL
  let errors: URL

  /// Starts the command. Standard input is the given text, or a pipe.
  /// - Parameters:
  ///   - reader: the receiver of its output; nil for a file.
  ///   - listener: the receiver of its errors; nil for a file.
  ///   - environment: variables that replace those of the tests.
  init(
    _ arguments: [String], input: Input = "", output reader: FileHandle? = nil, errors listener: FileHandle? = nil,
    environment: [String: String] = [:]
  ) throws {
    Self.ignoresBrokenPipes
    let scratch = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    output = scratch.appending(path: "output")
    errors = scratch.appending(path: "errors")
    let source = scratch.appending(path: "input")
    for file in [output, errors] { try Data().write(to: file) }
    process.executableURL = Self.program
    process.arguments = arguments
    process.currentDirectoryURL = Self.root
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
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
    case .terminal(let terminal): process.standardInput = terminal.other
    }
    try process.run()
    // The command has its own copies. Foundation's `run` reads past the end of a list of more than about 1300 open
    // files, and may crash (swift-corelibs-foundation, pull request 5472).
    for file in files { try file.close() }
  }

  /// The text on stderr so far.
  var errorText: String { get throws { try String(contentsOf: errors, encoding: .utf8) } }
  var outputText: String { get throws { try String(contentsOf: output, encoding: .utf8) } }

  /// Waits for the end of the command.
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

  /// Returns the rest of the first complete line on stderr after a word, such as the address of a listener.
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

  /// Sends Ctrl-C to a command that prints nothing when it is ready: waits until the kernel reports its signal handler.
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

  /// Stops the command and waits until it is stopped: a signal may arrive late on a busy machine.
  func suspend() async throws {
    #expect(process.suspend())
    #expect(try await Self.wait { try self.isStopped })
  }

  /// Whether all threads of the command are stopped, by proc(5).
  private var isStopped: Bool {
    get throws {
      let tasks = "/proc/\(process.processIdentifier)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).allSatisfy { thread in
        let path = URL(filePath: "\(tasks)/\(thread)/stat")
        // The name of a program may have any characters; the state follows the last parenthesis.
        return try String(contentsOf: path, encoding: .utf8).split(separator: ")").last?.hasPrefix(" T") == true
      }
    }
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

/// Compares a text with a reviewed file. IAP2_RECORD_GOLDEN=1 rewrites the file.
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
