// swift-iap2 · Apache-2.0

import CarPlayLive
import CommandSupport
import Glibc

extension SocketAddresses {
  /// Returns the system's text for an error, such as `Connection refused`.
  package static func reason(of error: any Error) -> String {
    if let failure = error as? CommandFailure { return failure.text }
    guard let number = number(of: error) else { return isNameUnknown(error) ? "the host has no address" : "no answer" }
    return unsafe String(cString: strerror(number))
  }
}
