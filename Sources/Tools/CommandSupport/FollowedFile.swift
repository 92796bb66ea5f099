// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A watcher of the end of a file that still grows.
package final class FollowedFile: Sendable {
  private let descriptor: Int32
  private let stop: Stop
  private let signals: Signals

  private final class Stop: Sendable { let isRequested = Mutex(false) }

  /// The poll interval: short for a person, cheap for the processor.
  private static let pollMicroseconds: UInt32 = 100_000

  /// Installs a signal handler: from now on Ctrl-C ends the file, not the process.
  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
    let stop = Stop()
    self.stop = stop
    signals = Signals([SIGINT, SIGTERM]) { _ in stop.isRequested.withLock { $0 = true } }
  }

  /// Whether Ctrl-C was pressed.
  package var isEnded: Bool { stop.isRequested.withLock { $0 } }

  /// Waits until the file grew.
  ///
  /// - Returns: false after Ctrl-C, or if standard output has no reader.
  /// - Throws: a failure if the file was truncated, because it is then another capture.
  package func waitForMore(_ path: String) throws -> Bool {
    let place = lseek(descriptor, 0, SEEK_CUR)
    while !isEnded {
      let end = lseek(descriptor, 0, SEEK_END)
      lseek(descriptor, place, SEEK_SET)
      guard end >= place else {
        throw CommandFailure(
          .badInput, "\(path) became shorter while it was read; start the command again to read its new contents")
      }
      if end > place { return true }
      // Detect that standard output has no reader.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      if unsafe poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR) != 0 { return false }
      usleep(Self.pollMicroseconds)
    }
    return false
  }
}
