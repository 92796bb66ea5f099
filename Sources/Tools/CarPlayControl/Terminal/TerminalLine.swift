// swift-iap2 · Apache-2.0

import Foundation
import Glibc

/// A terminal that can answer queries.
struct TerminalLine {
  /// The descriptors of the keys and of the output.
  var input: Int32 = STDIN_FILENO
  var output: Int32 = STDOUT_FILENO

  /// The time limit for an answer. A slow network needs less time. A terminal without an answer delays the start by
  /// this time.
  static let answerTime = Duration.seconds(2)
  /// The maximum number of keys that are stored during the wait for an answer.
  private static let maximumKeyCount = 4096

  /// Whether a user can press keys and see the output.
  var isTerminal: Bool { isatty(input) == 1 && isatty(output) == 1 }

  /// Whether a query would reach a terminal that can answer it: input and output are the same terminal, and its type is
  /// not one that prints unknown sequences.
  var canAnswer: Bool {
    var (keys, screen) = (stat(), stat())
    guard isTerminal, unsafe fstat(input, &keys) == 0, unsafe fstat(output, &screen) == 0 else { return false }
    let name = ProcessInfo.processInfo.environment["TERM"] ?? ""
    return keys.st_rdev == screen.st_rdev && !["", "dumb", "linux"].contains(name)
  }

  /// Sends a query whose last part is the request for the attributes, and waits for the answer.
  ///
  /// - Parameters:
  ///   - question: The query.
  ///   - stop: A descriptor that becomes readable when the user ends the run.
  ///   - write: A closure that writes to the output.
  func ask(_ question: [UInt8], stop: Int32, write: ([UInt8]) -> Void) -> TerminalAnswer {
    let terminal = RawTerminal(input)
    defer { terminal?.restore() }
    let deadline = ContinuousClock.now.advanced(by: Self.answerTime)
    var answer = TerminalAnswer()
    write(question)
    var buffer = [UInt8](repeating: 0, count: 256)
    while !answer.isComplete, answer.keys.count < Self.maximumKeyCount {
      let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
      guard left > 0 else { break }
      var ready = [stop, input].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let number = unsafe poll(&ready, nfds_t(ready.count), Int32(left.rounded(.up)))
      if number < 0, errno == EINTR { continue }
      guard number > 0, ready[0].revents == 0 else { break }
      let count = unsafe read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { break }
      answer.take(buffer[..<count])
    }
    answer.finish()
    return answer
  }

  /// The size of the terminal's window.
  var size: TerminalSize {
    var size = winsize()
    guard unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0 else { return TerminalSize() }
    return TerminalSize(
      columns: Int(size.ws_col), rows: Int(size.ws_row), width: Int(size.ws_xpixel), height: Int(size.ws_ypixel))
  }
}

/// The size of a terminal's window. Values that a terminal does not report are 0.
struct TerminalSize: Hashable {
  var columns = 0
  var rows = 0
  /// The size in pixels.
  var width = 0
  var height = 0
}
