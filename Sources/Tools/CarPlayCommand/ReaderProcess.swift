// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import Glibc
import Synchronization

/// A command of the shell that reads the screen from its standard input.
///
/// A reader that does not read never blocks the end: its writer waits in short turns, and gives up when it is told so.
/// Invariant for `@unchecked`: the process and the pipe are set once; both may be used from any thread.
final class ReaderProcess: @unchecked Sendable {
  private let process = Process()
  private let pipe = Pipe()
  private let isGivenUp = Atomic(false)

  /// The time in which a reader takes the rest at the end, and the time in which it then ends itself.
  private static let endSeconds = 10.0
  /// The turn in which a blocked writer looks whether to go on, in milliseconds.
  private static let turn: Int32 = 100

  init(_ command: String) throws {
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardInput = pipe.fileHandleForReading
    // The standard output of the command is for its events.
    process.standardOutput = FileHandle.standardError
    do { try process.run() } catch {
      throw CommandFailure(.system, "--screen: cannot start the reader: \(InputFile.reason(error))")
    }
    try pipe.fileHandleForReading.close()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// Writes bytes, and waits for the reader.
  ///
  /// - Throws: A failure if the reader has ended, or was given up.
  func write(_ bytes: [UInt8]) throws {
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    var rest = bytes[...]
    while !rest.isEmpty {
      if isGivenUp.load(ordering: .relaxed) {
        throw CommandFailure(.failed, "the reader of --screen did not read the whole screen")
      }
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&waiting, 1, Self.turn)
      } else if errno == EPIPE {
        throw CommandFailure(.failed, "the reader of --screen ended before the screen did")
      } else if errno != EINTR {
        throw CommandFailure(.failed, unsafe String(cString: strerror(errno)))
      }
    }
  }

  /// Waits until what was written on a queue is done, gives up a reader that does not read, and ends the process.
  ///
  /// - Throws: A failure for a reader with another exit status than 0.
  func finish(_ queue: DispatchQueue) throws {
    let written = DispatchSemaphore(value: 0)
    queue.async { written.signal() }
    if written.wait(timeout: .now() + Self.endSeconds) == .timedOut {
      isGivenUp.store(true, ordering: .relaxed)
      written.wait()
    }
    try pipe.fileHandleForWriting.close()
    let isStubborn = isGivenUp.load(ordering: .relaxed)
    if isStubborn || !waitForExit(Self.endSeconds) {
      // A player keeps its window at the end of the film.
      signal(SIGTERM)
      if !waitForExit(1) { signal(SIGKILL) }
      return
    }
    let status = process.terminationStatus
    guard status == 0 else { throw CommandFailure(.failed, "the reader of --screen ended with \(status)") }
  }

  /// Signals the reader with the processes that it started.
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
