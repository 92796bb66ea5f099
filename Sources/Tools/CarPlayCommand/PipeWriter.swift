// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import Glibc
import Synchronization

/// The writing end of a pipe whose reader may read nothing. A blocked writer waits in short turns and
/// stops after `finish`, so it never blocks the end of a command.
final class PipeWriter: Sendable {
  private let descriptor: Int32
  private let name: String
  private let isGivenUp = Atomic(false)

  /// The time in which a reader takes the rest at the end. Ours.
  static let endSeconds = 10.0
  /// The turn in which a blocked writer looks whether to go on, in milliseconds.
  private static let turn: Int32 = 100

  /// - Parameters:
  ///   - descriptor: The writing end, whose owner is the caller.
  ///   - name: The reader, as the user knows it.
  init(_ descriptor: Int32, name: String) {
    (self.descriptor, self.name) = (descriptor, name)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// Writes bytes, and waits for the reader.
  ///
  /// - Throws: A failure if the reader has ended, or was given up.
  func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      if isGivenUp.load(ordering: .relaxed) { throw CommandFailure(.failed, "\(name) did not read the whole screen") }
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&waiting, 1, Self.turn)
      } else if errno == EPIPE {
        throw CommandFailure(.failed, "\(name) ended before the screen did")
      } else if errno != EINTR {
        throw CommandFailure(.failed, unsafe String(cString: strerror(errno)))
      }
    }
  }

  /// Waits until what was written on a queue is done, and gives up a reader that does not read.
  ///
  /// - Returns: Whether the reader took everything.
  func finish(_ queue: DispatchQueue, within seconds: Double = endSeconds) -> Bool {
    let written = DispatchSemaphore(value: 0)
    queue.async { written.signal() }
    if written.wait(timeout: .now() + seconds) == .timedOut {
      isGivenUp.store(true, ordering: .relaxed)
      written.wait()
    }
    return !isGivenUp.load(ordering: .relaxed)
  }
}
