// swift-iap2 · Apache-2.0

import Basics
import Foundation
import Glibc
import Synchronization

/// Writers for stdout (results) and stderr (everything else). A closed stdout ends the command without a message.
package enum Output {
  /// The reaction to an output without a reader.
  private enum Unread {
    case exit
    case end(@Sendable () -> Void)
    case isEnding
  }

  private static let unread = Mutex(Unread.exit)

  /// Sets a handler that replaces the immediate end of the command. Later output is discarded.
  package static func whenUnread(_ end: @escaping @Sendable () -> Void) { unread.withLock { $0 = .end(end) } }

  private static let isQueued = Atomic(false)

  /// Prints on threads of their own from now on, because a session must not wait for a reader of its events.
  package static func queue() { isQueued.store(true, ordering: .relaxed) }

  /// The time for which the end of a command waits for a reader that takes nothing. Ours.
  private static let drainTime = Duration.seconds(1)

  /// Waits until everything was printed. Results that no reader has taken in time are a failure.
  package static func drain() {
    if !queuedResults.drain(drainTime) { failed.store(true, ordering: .relaxed) }
    _ = queuedNotes.drain(drainTime)
  }

  /// Lets a command continue without a reader, because its exit status is its result.
  package static func continueWithoutReader() { whenUnread {} }

  package static func line(_ text: String) { write(text + "\n") }

  /// Prints one of many lines. A terminal shows as much of each as fits; other readers get all of it.
  package static func rows(_ lines: [String]) { bytes(printedRows(lines)) }

  /// Returns what ``rows(_:)`` prints.
  package static func printedRows(_ lines: [String]) -> [UInt8] {
    let columns = columns
    var text = ""
    for line in lines {
      text += columns.map { TerminalText.cut(line, columns: $0) } ?? line
      text += "\n"
    }
    return TerminalText.safe(text, keepsLineEnds: true)
  }

  /// Prints text with its own line ends.
  package static func text(_ text: String) { write(text) }

  package static func bytes(_ bytes: [UInt8]) { if !bytes.isEmpty { write(Data(bytes), to: .standardOutput) } }

  /// Prints one line on stderr, with the name of the command in front.
  package static func note(_ text: String) { plainNote("iap2: " + text) }

  /// Prints a line on stderr that replaces the line before it.
  package static func progress(_ text: String) {
    write(Data("\r\u{1B}[K".utf8 + TerminalText.safe(text, keepsLineEnds: false)), to: .standardError, isNote: true)
  }

  /// Prints a line on stderr, for use while stdout carries data.
  package static func plainNote(_ text: String) {
    write(Data(TerminalText.safe(text, keepsLineEnds: false) + [0x0A]), to: .standardError, isNote: true)
  }

  /// Prints a text of several lines on stderr.
  package static func message(_ text: String) {
    write(Data(TerminalText.safe(text, keepsLineEnds: true) + [0x0A]), to: .standardError, isNote: true)
  }

  /// Prints a JSON object on one line.
  package static func json(_ value: some Encodable, toStandardError: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = Data(JSONEscape.oneLine(Array(try encoder.encode(value))) + [0x0A])
    write(data, to: toStandardError ? .standardError : .standardOutput)
  }

  /// Prints a JSON object without throwing: the program's own lines always encode.
  package static func tryJSON(_ value: some Encodable, toStandardError: Bool = false) {
    do { try json(value, toStandardError: toStandardError) } catch { note("cannot write an event as JSON: \(error)") }
  }

  private static func write(_ text: String) {
    write(Data(TerminalText.safe(text, keepsLineEnds: true)), to: .standardOutput)
  }

  /// The lock for stdout. A long line is written in several pieces, and no other task's output may come between them.
  /// Each stream has its own lock, so that an unread stream does not block the other.
  private static let results = NSLock()
  private static let notes = NSLock()
  private static let queuedResults = OutputQueue("results")
  private static let queuedNotes = OutputQueue("notes")

  /// - Parameter isNote: whether the output is a notice: without a reader for it the command continues.
  private static func write(_ data: Data, to file: FileHandle, isNote: Bool = false) {
    guard isQueued.load(ordering: .relaxed) else { return writeNow(data, to: file, isNote: isNote) }
    let queue = file === FileHandle.standardError ? queuedNotes : queuedResults
    queue.add(data.count) { count in
      if queue === queuedResults { failed.store(true, ordering: .relaxed) }
      note("\(count) pieces of output were left out, because they were not read in time")
    } _: {
      writeNow(data, to: file, isNote: isNote)
    }
  }

  private static func writeNow(_ data: Data, to file: FileHandle, isNote: Bool) {
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
  package static var hasFailed: Bool {
    drain()
    return failed.load(ordering: .relaxed)
  }

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

  // MARK: The terminal

  private static let use = Mutex(Color.Use.auto)

  /// Sets the use of colors. The default is `auto`.
  package static func setColor(_ wanted: Color.Use) { use.withLock { $0 = wanted } }

  /// Whether results have colors.
  package static var hasColor: Bool {
    switch use.withLock({ $0 }) {
    case .always: true
    case .never: false
    case .auto: hasColorByDefault
    }
  }

  /// Read once, because a copy of the environment for each word costs more than the rest of the line.
  private static let hasColorByDefault = Color.isWanted(
    .auto, isTerminal: isTerminal, environment: ProcessInfo.processInfo.environment)

  private static let isTerminal = isatty(STDOUT_FILENO) == 1

  /// The columns of the terminal that shows the results; nil if they go elsewhere, or if it does not report them.
  private static var columns: Int? {
    guard isTerminal else { return nil }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
