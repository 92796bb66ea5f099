// swift-iap2 · Apache-2.0

import CarPlayLive
import Glibc

/// The words for an error of a socket.
enum SocketText {
  /// Returns the system's text, such as `Connection refused`.
  static func reason(_ error: any Error) -> String {
    guard let number = SocketFacts.number(of: error) else { return "the host has no address" }
    return unsafe String(cString: strerror(number))
  }
}
