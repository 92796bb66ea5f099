// swift-iap2 · Apache-2.0

/// The visibility of a value in the log of a device. Here every value is shown, because the log is read by the developer
/// who wrote it.
public struct OSLogPrivacy: Sendable {
  /// Replaces a private value by something else.
  public enum Mask: Sendable {
    /// A hash of the value.
    case hash
    /// No mask: the value is left out.
    case none
  }

  /// The value is shown.
  public static let `public` = Self()
  /// The value is not shown on a device.
  public static let `private` = Self()
  /// The value is never shown on a device.
  public static let sensitive = Self()
  /// The visibility follows from the type.
  public static let auto = Self()

  /// The value is not shown on a device, but a mask of it.
  public static func `private`(mask: Mask) -> Self { Self() }

  /// The value is never shown on a device, but a mask of it.
  public static func sensitive(mask: Mask) -> Self { Self() }

  /// The visibility follows from the type, with a mask.
  public static func auto(mask: Mask) -> Self { Self() }
}

/// A message of a log, written as a text with values in it.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  /// The pieces of a message.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Creates an empty message.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Appends a text.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a value.
    public mutating func appendInterpolation<Value>(
      _ value: @autoclosure () -> Value, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
      text += align.aligned(String(describing: value()))
    }

    /// Appends an integer in a form.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some BinaryInteger, format: OSLogIntegerFormatting,
      align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
      text += align.aligned(format.text(value()))
    }

    /// Appends a number in a form.
    public mutating func appendInterpolation(
      _ value: @autoclosure () -> some BinaryFloatingPoint, format: OSLogFloatFormatting,
      align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
      text += align.aligned(format.text(value()))
    }
  }

  let text: String

  /// Creates a message of a text.
  public init(stringLiteral value: String) { text = value }

  /// Creates a message of pieces.
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}
