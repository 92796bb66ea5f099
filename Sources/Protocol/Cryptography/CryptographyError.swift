// swift-iap2 · Apache-2.0

/// The reason why bytes or numbers cannot be used for cryptography.
///
/// A wrong signature, tag or secret is not an error but the result of a check.
public enum CryptographyError: Error, Equatable, Sendable {
  /// The key has another number of bytes than its kind needs.
  case wrongKeyLength(found: Int, needed: Int)
  /// The bytes are not a key of this kind.
  case malformedKey
  /// The key is readable, but of another kind than the caller needs.
  case unsupportedKey
  /// The bytes are not DER, or not the structure that was asked for.
  case malformedDER
  /// The text has a damaged PEM block; the number of blocks before it.
  case malformedPEM(blocksBefore: Int)
  /// The digest has another number of bytes than the key signs.
  case wrongDigestLength(found: Int, needed: Int)
  /// The requested size in bytes is above the limit of the function.
  case outputTooLong(byteCount: Int, limit: Int)
}

extension CryptographyError: CustomStringConvertible {
  /// The error as text for people.
  public var description: String {
    switch self {
    case .wrongKeyLength(let found, let needed): "the key has \(found) bytes instead of \(needed)"
    case .malformedKey: "the key cannot be read"
    case .unsupportedKey: "the key is of another kind than needed"
    case .malformedDER: "the bytes are not the expected DER structure"
    case .malformedPEM(let count): "the PEM block after \(count) readable ones is damaged"
    case .wrongDigestLength(let found, let needed): "the digest has \(found) bytes instead of \(needed)"
    case .outputTooLong(let count, let limit): "\(count) bytes were asked for, the limit is \(limit)"
    }
  }
}
