// swift-iap2 · Apache-2.0

/// What a check came to.
public enum Verdict: Sendable, Equatable {
  case pass
  /// The other side broke the requirement.
  case fail(reason: String)
  /// The check never got as far as its question.
  case inconclusive(reason: String)
  /// The requirement does not bind this peer: it has no such feature, or chose another allowed way.
  case notApplicable(reason: String)

  /// The verdict without its reason; the raw value is the name in JSON.
  public enum Kind: String, Sendable, Hashable, CaseIterable { case pass, fail, inconclusive, notApplicable }

  public var kind: Kind {
    switch self {
    case .pass: .pass
    case .fail: .fail
    case .inconclusive: .inconclusive
    case .notApplicable: .notApplicable
    }
  }

  public var reason: String? {
    switch self {
    case .pass: nil
    case .fail(let reason), .inconclusive(let reason), .notApplicable(let reason): reason
    }
  }
}

/// Why a check ends before its last line.
package enum Stop: Error, Sendable, Equatable {
  case failed(String)
  case inconclusive(String)
  case notApplicable(String)

  /// The same while a check was still on its way to its question: nothing there speaks against the peer.
  func before(_ step: String) -> Stop {
    switch self {
    case .failed(let reason): .inconclusive("\(step): \(reason)")
    case .inconclusive, .notApplicable: self
    }
  }
}
