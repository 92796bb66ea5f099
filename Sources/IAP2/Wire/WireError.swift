// swift-iap2 · Apache-2.0

public struct WireError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable { case notAMessage, badLength(Int) }
  public var reason: Reason
  public var offset: Int
  public init(_ reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}
