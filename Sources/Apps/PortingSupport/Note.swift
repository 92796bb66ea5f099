// swift-iap2 · Apache-2.0

import Glibc

/// Writes a line about a selector for the developer of the app to standard error.
func note(_ text: String) {
  let line = Array("Selector: \(text)\n".utf8)
  _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
