// swift-iap2 · Apache-2.0

import Glibc

/// Waits until one of several descriptors is readable.
///
/// - Parameter time: The longest wait; nil for no limit.
/// - Returns: The first one that is readable; nil after the time.
func readable(_ descriptors: [Int32], within time: Duration? = nil) -> Int32? {
  var ready = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  _ = unsafe poll(&ready, nfds_t(ready.count), time.map { Int32(clamping: Int($0 / .milliseconds(1))) } ?? -1)
  return ready.first { $0.revents != 0 }?.fd
}
