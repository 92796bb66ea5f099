// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import Synchronization

/// The end of a file that still grows.
final class FollowedFile: Sendable {
  private let descriptor: Int32
  private let stop: Stop
  private let signals: Signals

  private final class Stop: Sendable { let isRequested = Mutex(false) }

  /// Often enough that a person does not wait, seldom enough to cost nothing.
  private static let pollMicroseconds: UInt32 = 100_000

  /// From now on Ctrl-C ends the file, not the process.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    let stop = Stop()
    self.stop = stop
    signals = Signals([SIGINT, SIGTERM]) { _ in stop.isRequested.withLock { $0 = true } }
  }

  /// Nobody wants to know more.
  var isEnded: Bool { stop.isRequested.withLock { $0 } }

  /// False when nobody wants to wait any longer.
  ///
  /// - Throws: when the file was cut: what it becomes is another capture.
  func waitForMore(_ path: String) throws -> Bool {
    let place = lseek(descriptor, 0, SEEK_CUR)
    while !isEnded {
      let end = lseek(descriptor, 0, SEEK_END)
      lseek(descriptor, place, SEEK_SET)
      guard end >= place else {
        throw CommandFailure(.badInput, "\(path) became shorter while it was read; start again to read what it is now")
      }
      if end > place { return true }
      // Nobody reads what is found.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      if unsafe poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR) != 0 { return false }
      usleep(Self.pollMicroseconds)
    }
    return false
  }
}
