// swift-iap2 · Apache-2.0

import Glibc

/// Waits until a descriptor is readable, or for a time. Returns whether it is readable.
func isReadable(_ descriptor: Int32, within time: Duration) -> Bool {
  var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  _ = unsafe poll(&ready, 1, Int32(clamping: Int(time / .milliseconds(1))))
  return ready.revents != 0
}
