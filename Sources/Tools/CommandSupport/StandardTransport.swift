// swift-iap2 · Apache-2.0

import Foundation
import Glibc
package import IAP2Transport

/// A transport over standard input and output.
package struct StandardTransport: ByteTransport {
  package init() {}

  package let address = "standard input and output"

  package func receive() async throws(TransportError) -> [UInt8]? { await FileChunks.standardInput.next() }

  package func send(_ bytes: [UInt8]) async throws(TransportError) {
    // The write blocks for a slow reader, so it runs on a dispatch queue and not on the cooperative pool.
    let number = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: Self.write(bytes)) }
    }
    guard number == 0 else {
      throw number == EPIPE ? .closed : .system(number: number, operation: "cannot write the output")
    }
  }

  /// Does nothing: the streams belong to the parent process.
  package func close() async {}

  /// Returns when standard output has no reader. An end that only receives would not detect that by writing.
  package static func waitUntilUnread() async {
    let unread = Signal()
    startThread("iap2-output") {
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
      unread.notify()
    }
    await unread.wait()
  }

  /// Returns the errno, or 0.
  private static func write(_ bytes: [UInt8]) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&output, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
