// swift-iap2 · Apache-2.0

/// The verdict of a check about the peer.
public enum Verdict: Sendable, Equatable {
  /// The peer meets the requirement.
  case pass
  /// The peer violates the requirement.
  case fail(reason: String)
  /// The check did not reach the tested behavior.
  case inconclusive(reason: String)
  /// The requirement does not apply to the peer, because the peer lacks the feature or uses another allowed option.
  case notApplicable(reason: String)

  /// A verdict without its reason; the raw value is the name in JSON.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The kind of ``Verdict/pass``.
    case pass
    /// The kind of ``Verdict/fail(reason:)``.
    case fail
    /// The kind of ``Verdict/inconclusive(reason:)``.
    case inconclusive
    /// The kind of ``Verdict/notApplicable(reason:)``.
    case notApplicable
  }

  /// The verdict without its reason.
  public var kind: Kind {
    switch self {
    case .pass: .pass
    case .fail: .fail
    case .inconclusive: .inconclusive
    case .notApplicable: .notApplicable
    }
  }

  /// The human-readable reason; nil for a pass.
  public var reason: String? {
    switch self {
    case .pass: nil
    case .fail(let reason), .inconclusive(let reason), .notApplicable(let reason): reason
    }
  }
}

/// An error that ends a check early with its verdict.
package enum Stop: Error, Sendable, Equatable {
  case failed(String)
  case inconclusive(String)
  case notApplicable(String)

  /// Returns this error for a step before the tested behavior: a failure there makes the check inconclusive.
  package func before(_ step: String) -> Stop {
    switch self {
    case .failed(let reason): .inconclusive("\(step): \(reason)")
    case .inconclusive, .notApplicable: self
    }
  }
}
