// swift-iap2 · Apache-2.0

import COpenSSL

/// An element of a DER structure (X.690): a tag and its contents, as a place in the bytes.
public struct DERElement: Sendable, Hashable {
  /// The tags that this package reads.
  public enum Tag: Sendable, Hashable {
    /// A universal tag by its number.
    case universal(Int)
    /// A context-specific tag by its number.
    case context(Int)
    /// A tag of another class.
    case other

    /// INTEGER.
    public static let integer = universal(2)
    /// OBJECT IDENTIFIER.
    public static let objectIdentifier = universal(6)
    /// SEQUENCE.
    public static let sequence = universal(16)
    /// SET.
    public static let set = universal(17)
  }

  /// The tag.
  public let tag: Tag
  /// Whether the contents are elements.
  public let isConstructed: Bool
  /// The place of the whole element.
  public let range: Range<Int>
  /// The place of the contents.
  public let contents: Range<Int>

  /// Reads the element that fills the bytes.
  ///
  /// - Throws: ``CryptographyError/malformedDER``.
  public init(_ bytes: Span<UInt8>) throws(CryptographyError) {
    self = try Self.element(of: bytes, in: 0..<bytes.count)
    guard range.upperBound == bytes.count else { throw .malformedDER }
  }

  private init(tag: Tag, isConstructed: Bool, range: Range<Int>, contents: Range<Int>) {
    (self.tag, self.isConstructed, self.range, self.contents) = (tag, isConstructed, range, contents)
  }

  /// Returns the elements inside of this one if it has the tag and is constructed; nil otherwise.
  ///
  /// - Parameters:
  ///   - tag: The expected tag.
  ///   - bytes: The bytes that this element was read of.
  /// - Throws: ``CryptographyError/malformedDER``.
  public func children(_ tag: Tag, in bytes: Span<UInt8>) throws(CryptographyError) -> [DERElement]? {
    guard self.tag == tag, isConstructed else { return nil }
    guard contents.upperBound <= bytes.count else { throw .malformedDER }
    var children: [DERElement] = []
    var start = contents.lowerBound
    while start < contents.upperBound {
      let child = try Self.element(of: bytes, in: start..<contents.upperBound)
      children.append(child)
      start = child.range.upperBound
    }
    return children
  }

  private static func element(of bytes: Span<UInt8>, in place: Range<Int>) throws(CryptographyError) -> DERElement {
    var count = 0
    var number: CInt = 0
    var kind: CInt = 0
    // The result has bit 7 for an error, bit 5 for a constructed element and bit 0 for an indefinite length.
    let (flags, header) = Library.value {
      unsafe bytes.extracting(place).withAddress { address, available in
        var next: UnsafePointer<UInt8>? = unsafe address
        let flags = unsafe ASN1_get_object(&next, &count, &number, &kind, available)
        return unsafe (flags, next.map { unsafe $0 - address } ?? 0)
      }
    }
    let isConstructed = flags & 0x20 != 0
    // DER has the shortest form of each length, and no indefinite one.
    guard flags & 0x81 == 0, let size = CInt(exactly: count),
      Int(ASN1_object_size(isConstructed ? 1 : 0, size, number)) == header + count
    else { throw .malformedDER }
    let tag: Tag =
      switch kind {
      case 0x00: .universal(Int(number))
      case 0x80: .context(Int(number))
      default: .other
      }
    let start = place.lowerBound + header
    return DERElement(
      tag: tag, isConstructed: isConstructed, range: place.lowerBound..<start + count, contents: start..<start + count)
  }
}
