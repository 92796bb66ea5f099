// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import Glibc

/// A shell command that reads the screen from its standard input.
///
/// Invariant for `@unchecked`: the process and the pipe are set once, and both may be used from any thread.
final class ReaderProcess: @unchecked Sendable {
  private let process = Process()
  private let pipe = Pipe()
  private let writer: PipeWriter

  init(_ command: String) throws {
    writer = PipeWriter(pipe.fileHandleForWriting.fileDescriptor, name: "the reader of --screen")
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardInput = pipe.fileHandleForReading
    // The standard output of the `iap2` command is for its events.
    process.standardOutput = FileHandle.standardError
    do { try process.run() } catch {
      throw CommandFailure(.system, "--screen: cannot start the reader: \(InputFile.reason(error))")
    }
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
    if !isRead || !waitForExit(PipeWriter.endSeconds) {
      // A player keeps its window open at the end of the film.
      signal(SIGTERM)
      if !waitForExit(1) { signal(SIGKILL) }
      return
    }
    let status = process.terminationStatus
    guard status == 0 else { throw CommandFailure(.failed, "the reader of --screen ended with \(status)") }
  }

  /// Sends a signal to the reader and the processes that it started.
  private func signal(_ number: Int32) {
    let id = process.processIdentifier
    kill(getpgid(id) == id ? -id : id, number)
  }

  private func waitForExit(_ seconds: Double) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while process.isRunning, Date() < end { usleep(20_000) }
    return !process.isRunning
  }
}
