// swift-iap2 · Apache-2.0

import ArgumentParser
package import IAP2
package import IAP2Transport
package import IAP2Transports

extension CommandFailure {
  /// The failure of a command whose transport reported an error.
  package init(_ error: TransportError) {
    let status: ExitStatus = if case .permissionDenied = error { .noPermission } else { .unavailable }
    self.init(status, AnyTransportAddress.explanation(of: error))
  }
}

extension AnyTransportAddress {
  /// Parses the value of an option.
  ///
  /// - Parameter side: The side that uses the transport; nil if any side may.
  package init(option text: String, as side: Side? = nil) throws {
    do throws(Problem) {
      try self.init(parsing: text)
      if let side { try check(side) }
    } catch { throw ValidationError(error.description) }
  }
}

extension TransportNotice {
  /// Prints the notice on standard error.
  package func show() { if let text { Output.note("\(address): \(text)") } }
}
