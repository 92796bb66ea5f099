// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation

/// A shell command that reads the screen from its standard input.
///
/// Invariant for `@unchecked`: the pipe is set once, and may be used from any thread.
final class ReaderProcess: @unchecked Sendable {
  private let process: ShellCommand
  private let pipe = Pipe()
  private let writer: PipeWriter
  private let option: String

  /// - Parameters:
  ///   - command: The command.
  ///   - option: The option that named it.
  ///   - onEnd: Gets the exit status at the end of the command, on any thread.
  init(_ command: String, option: String, onEnd: (@Sendable (Int32) -> Void)? = nil) throws {
    self.option = option
    writer = PipeWriter(pipe.fileHandleForWriting.fileDescriptor, name: "the reader of \(option)")
    process = try ShellCommand(
      command, input: pipe.fileHandleForReading, failure: "\(option): cannot start the reader", onEnd: onEnd)
    try pipe.fileHandleForReading.close()
  }

  /// Writes bytes, and waits for the reader.
  ///
  /// - Throws: A failure if the reader has ended or was abandoned.
  func write(_ bytes: [UInt8]) throws { try writer.write(bytes) }

  /// Waits until the queued content is written, abandons a reader that does not read, and ends the process.
  ///
  /// - Throws: A failure if the reader's exit status is not 0.
  func finish(_ queue: DispatchQueue) throws {
    let isRead = writer.finish(queue)
    try pipe.fileHandleForWriting.close()
    // A player keeps its window open at the end of the film.
    guard isRead, process.waitForExit(PipeWriter.endSeconds) else { return process.end() }
    guard process.status == 0 else {
      throw CommandFailure(.failed, "the reader of \(option) ended with \(process.status)")
    }
  }
}
