// swift-iap2 · Apache-2.0

/// Bytes that are not what they should be, and where.
public struct WireError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    /// The bytes end before the length they announce.
    case truncated
    /// A length smaller than its own header, or than the message.
    case badLength(Int)
    /// A required parameter is not there.
    case missing
    /// A parameter that may come once came again.
    case duplicate
    case wrongSize(expected: Int, found: Int)
    /// Not UTF-8.
    case invalidText
    /// Not `40 40`, or another message id than asked for.
    case notAMessage
    /// Groups nested deeper than the limit.
    case tooDeep(limit: Int)
    /// More parameters than the limit.
    case tooManyParameters(limit: Int)
    /// Never leaves the core: the quick walk met something that needs the careful one.
    case needsCarefulWalk
  }

  public var reason: Reason
  /// Bytes from the first byte of the message.
  public var offset: Int
  /// The parameter it is about, where it is about one.
  public var parameter: UInt16?
  /// The outermost group that parameter is in, where it is in one.
  public var group: UInt16?

  public init(_ reason: Reason, offset: Int, parameter: UInt16? = nil, group: UInt16? = nil) {
    self.reason = reason
    self.offset = offset
    self.parameter = parameter
    self.group = group
  }

  @inline(__always) static var needsCarefulWalk: WireError { WireError(.needsCarefulWalk, offset: 0) }
}

/// A value that does not fit the wire.
public enum EncodeError: Error, Equatable, Sendable {
  /// Longer than its length field can say.
  case messageTooLong(id: UInt16, byteCount: Int)
}
