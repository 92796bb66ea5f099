// swift-iap2 · Apache-2.0

/// Received bytes that do not have the form they should have, with their place.
public struct WireError: Error, Equatable, Sendable {
  /// The rule that the bytes break.
  public enum Reason: Equatable, Sendable {
    /// The bytes end before the length that they state.
    case truncated
    /// A length below the size of its header, or beyond the bytes present; the length in bytes.
    case badLength(Int)
    /// A required parameter is absent.
    case missing
    /// A parameter that may occur once occurs again.
    case duplicate
    /// A value has another size than its type; both sizes in bytes.
    case wrongSize(expected: Int, found: Int)
    /// A text is not valid UTF-8.
    case invalidText
    /// The bytes do not start with `40 40`, or the message has another id than expected.
    case notAMessage
    /// Groups are nested deeper than the limit.
    case tooDeep(limit: Int)
    /// A run has more parameters than the limit.
    case tooManyParameters(limit: Int)
    /// The quick walk found something that needs the careful walk. The core handles it; callers never see it.
    case needsCarefulWalk
  }

  /// The rule that the bytes break.
  public var reason: Reason
  /// The offset of the error in bytes from the start of the message.
  public var offset: Int
  /// The id of the parameter with the error; nil if the error is not about a parameter.
  public var parameter: UInt16?
  /// The id of the outermost group that contains the parameter; nil outside groups.
  public var group: UInt16?

  /// Creates an error at an offset in bytes from the start of the message.
  package init(_ reason: Reason, offset: Int, parameter: UInt16? = nil, group: UInt16? = nil) {
    self.reason = reason
    self.offset = offset
    self.parameter = parameter
    self.group = group
  }

  @inline(__always) static var needsCarefulWalk: WireError { WireError(.needsCarefulWalk, offset: 0) }
}

/// A value that cannot be written in wire form.
public enum EncodeError: Error, Equatable, Sendable {
  /// The message with this id is longer than its 16-bit length field can state; its size in bytes.
  case messageTooLong(id: UInt16, byteCount: Int)
}
