// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import Synchronization

/// stdout for results and stderr for everything else; a closed stdout ends the command quietly.
enum Output {
  /// What happens when nobody reads any more.
  private enum Unread {
    case exit
    case end(@Sendable () -> Void)
    case isEnding
  }

  private static let unread = Mutex(Unread.exit)

  /// Instead of ending the command at once; what is said from then on is said to nobody.
  static func whenUnread(_ end: @escaping @Sendable () -> Void) { unread.withLock { $0 = .end(end) } }

  /// For a command whose exit status is what it came to: it goes on to its end.
  static func goOnUnread() { whenUnread {} }

  static func line(_ text: String) { write(text + "\n") }

  /// As it is, with its own line ends.
  static func text(_ text: String) { write(text) }

  static func bytes(_ bytes: [UInt8]) { if !bytes.isEmpty { write(Data(bytes), to: .standardOutput) } }

  static func note(_ text: String) { write("iap2: " + text + "\n", isNote: true) }

  /// On stderr, as it is.
  static func progress(_ text: String) { write(text, isNote: true) }

  /// A line for people while stdout carries something else.
  static func plainNote(_ text: String) { write(text + "\n", isNote: true) }

  /// One JSON object on one line.
  static func json(_ value: some Encodable, toStandardError: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(value) + Data([0x0A])
    write(data, to: toStandardError ? .standardError : .standardOutput)
  }

  /// The same where nothing may be thrown: our own lines always encode.
  static func tryJSON(_ value: some Encodable, toStandardError: Bool = false) {
    do { try json(value, toStandardError: toStandardError) } catch { note("cannot write an event as JSON: \(error)") }
  }

  private static func write(_ text: String, isNote: Bool = false) {
    write(Data(text.utf8), to: isNote ? .standardError : .standardOutput, isNote: isNote)
  }

  /// A long line goes out in several pieces, and none of another task's comes between them. One for each file: whoever
  /// does not read the one must not keep the other.
  private static let results = NSLock()
  private static let notes = NSLock()

  /// - Parameter isNote: nothing depends on it, and without its reader the command goes on.
  private static func write(_ data: Data, to file: FileHandle, isNote: Bool = false) {
    let turn = file === FileHandle.standardError ? notes : results
    turn.lock()
    defer { turn.unlock() }
    do { try file.write(contentsOf: data) } catch {
      let number = Glibc.errno
      if number == EIO, isHungUp(file) { return endUnread(.failed) }
      if isNote { return }
      // A reader that has seen enough, as `head`, is no failure.
      if number == EPIPE { return endUnread(.done) }
      if !failed.exchange(true, ordering: .relaxed) { note("cannot write the output: \(InputFile.reason(error))") }
      endUnread(.failed)
    }
  }

  /// What a terminal answers that was closed; a file answers that it is none.
  private static func isHungUp(_ file: FileHandle) -> Bool { isatty(file.fileDescriptor) == 0 && Glibc.errno == EIO }

  private static let failed = Atomic(false)

  /// Something could not be written though somebody may want it.
  static var hasFailed: Bool { failed.load(ordering: .relaxed) }

  /// - Parameter status: where there is nothing to end in order.
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

  /// Colours only where a person sees them.
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
