// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import IAP2Capture
import Synchronization

/// Writers for stdout (results) and stderr (everything else). A closed stdout ends the command without a message.
enum Output {
  /// The reaction to an output without a reader.
  private enum Unread {
    case exit
    case end(@Sendable () -> Void)
    case isEnding
  }

  private static let unread = Mutex(Unread.exit)

  /// Sets a handler that replaces the immediate end of the command. Later output is discarded.
  static func whenUnread(_ end: @escaping @Sendable () -> Void) { unread.withLock { $0 = .end(end) } }

  /// Lets a command continue without a reader, because its exit status is its result.
  static func goOnUnread() { whenUnread {} }

  static func line(_ text: String) { write(text + "\n") }

  /// Prints text unchanged, with its own line ends.
  static func text(_ text: String) { write(text) }

  static func bytes(_ bytes: [UInt8]) { if !bytes.isEmpty { write(Data(bytes), to: .standardOutput) } }

  static func note(_ text: String) { write("iap2: " + text + "\n", isNote: true) }

  /// Prints text unchanged on stderr.
  static func progress(_ text: String) { write(text, isNote: true) }

  /// Prints a line on stderr, for use while stdout carries data.
  static func plainNote(_ text: String) { write(text + "\n", isNote: true) }

  /// Prints a JSON object on one line.
  static func json(_ value: some Encodable, toStandardError: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = Data(JSONText.escaping(Array(try encoder.encode(value))) + [0x0A])
    write(data, to: toStandardError ? .standardError : .standardOutput)
  }

  /// Prints a JSON object without throwing: the program's own lines always encode.
  static func tryJSON(_ value: some Encodable, toStandardError: Bool = false) {
    do { try json(value, toStandardError: toStandardError) } catch { note("cannot write an event as JSON: \(error)") }
  }

  private static func write(_ text: String, isNote: Bool = false) {
    write(Data(text.utf8), to: isNote ? .standardError : .standardOutput, isNote: isNote)
  }

  /// The lock for stdout. A long line is written in several pieces, and no other task's output may come between them.
  /// Each stream has its own lock, so that an unread stream does not block the other.
  private static let results = NSLock()
  private static let notes = NSLock()

  /// - Parameter isNote: whether the output is a notice: without a reader for it the command continues.
  private static func write(_ data: Data, to file: FileHandle, isNote: Bool = false) {
    let turn = file === FileHandle.standardError ? notes : results
    turn.lock()
    defer { turn.unlock() }
    do { try file.write(contentsOf: data) } catch {
      let number = Glibc.errno
      if number == EIO, isHungUp(file) { return endUnread(.failed) }
      if isNote { return }
      // A reader that stops early, such as `head`, is not a failure.
      if number == EPIPE { return endUnread(.done) }
      if !failed.exchange(true, ordering: .relaxed) { note("cannot write the output: \(InputFile.reason(error))") }
      endUnread(.failed)
    }
  }

  /// Returns whether the file is a terminal that was closed (EIO).
  private static func isHungUp(_ file: FileHandle) -> Bool { isatty(file.fileDescriptor) == 0 && Glibc.errno == EIO }

  private static let failed = Atomic(false)

  /// Whether output was lost by a write error.
  static var hasFailed: Bool { failed.load(ordering: .relaxed) }

  /// - Parameter status: the exit code if no handler is set.
  private static func endUnread(_ status: ExitStatus) {
    let before = unread.withLock { state in
      defer { if case .end = state { state = .isEnding } }
      return state
    }
    switch before {
    case .exit: exit(status.rawValue)
    case .end(let end): end()
    case .isEnding: break
    }
  }

  /// Whether stdout is a terminal, where colours are used.
  static let isTerminal = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
}

/// Colours by layer.
enum Colour: String {
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case blue = "34"
  case magenta = "35"
  case cyan = "36"

  func callAsFunction(_ text: String) -> String {
    Output.isTerminal ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
