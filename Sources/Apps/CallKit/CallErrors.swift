// swift-iap2 · Apache-2.0

public import Foundation

/// The error of an incoming call that is refused.
public struct CXErrorCodeIncomingCallError: CustomNSError, Hashable, Sendable {
  // Unverified: the codes are general public knowledge, without a source of this project.
  /// A reason.
  public enum Code: Int, Sendable {
    /// Another reason.
    case unknown = 0
    /// The app may have no calls.
    case unentitled = 1
    /// There is a call with the identifier.
    case callUUIDAlreadyExists = 2
    /// The user does not want to be disturbed.
    case filteredByDoNotDisturb = 3
    /// The user has blocked the other side.
    case filteredByBlockList = 4
  }

  /// The reason.
  public let code: Code

  /// Creates an error.
  public init(_ code: Code) { self.code = code }

  /// The domain of the error.
  public static var errorDomain: String { "com.apple.CallKit.error.incomingcall" }
  /// The number of the reason.
  public var errorCode: Int { code.rawValue }
}

/// The error of a transaction that is refused.
public struct CXErrorCodeRequestTransactionError: CustomNSError, Hashable, Sendable {
  // Unverified: the codes are general public knowledge, without a source of this project.
  /// A reason.
  public enum Code: Int, Sendable {
    /// Another reason.
    case unknown = 0
    /// The app may have no calls.
    case unentitled = 1
    /// The app has no provider.
    case unknownCallProvider = 2
    /// The transaction has no action.
    case emptyTransaction = 3
    /// There is no call with the identifier.
    case unknownCallUUID = 4
    /// There is a call with the identifier.
    case callUUIDAlreadyExists = 5
    /// The call cannot do it now.
    case invalidAction = 6
    /// There are as many groups as the provider may have.
    case maximumCallGroupsReached = 7
  }

  /// The reason.
  public let code: Code

  /// Creates an error.
  public init(_ code: Code) { self.code = code }

  /// The domain of the error.
  public static var errorDomain: String { "com.apple.CallKit.error.requesttransaction" }
  /// The number of the reason.
  public var errorCode: Int { code.rawValue }
}
