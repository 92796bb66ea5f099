// swift-iap2 · Apache-2.0

import IAP2Conformance

extension Stop {
  /// The reason without its kind.
  var reason: String {
    switch self {
    case .failed(let reason), .inconclusive(let reason), .notApplicable(let reason): reason
    }
  }
}
