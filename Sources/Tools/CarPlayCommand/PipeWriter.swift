// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import Glibc
import Synchronization

/// The writing end of a pipe whose reader may not read. A blocked writer checks for the end regularly and stops after
/// `finish`, so it never blocks the end of a command.
final class PipeWriter: Sendable {
  private let descriptor: Int32
  private let name: String
  private let isGivenUp = Atomic(false)

  /// The time limit in seconds for the reader to read the rest at the end. Ours.
  static let endSeconds = 10.0
  /// The interval in milliseconds in which a blocked writer checks whether to continue.
  private static let turn: Int32 = 100

  /// - Parameters:
  ///   - descriptor: The writing end, which the caller owns.
  ///   - name: The name of the reader for error messages.
  init(_ descriptor: Int32, name: String) {
    (self.descriptor, self.name) = (descriptor, name)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// Writes bytes, and waits for the reader.
  ///
  /// - Throws: A failure if the reader has ended or was abandoned.
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

  /// Waits until the content that was queued is written, and abandons a reader that does not read.
  ///
  /// - Returns: Whether the reader read all content.
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
