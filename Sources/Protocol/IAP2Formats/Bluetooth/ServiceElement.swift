// swift-iap2 · Apache-2.0

import IAP2

/// A data element of SDP: one byte of kind and size, a length if the size requires one, and the content.
package struct ServiceElement {
  /// The kind of the content.
  package enum Kind: UInt8 { case none, unsigned, signed, uuid, text, bool, sequence, alternative, url }

  /// The kind of the content.
  package let kind: Kind
  /// The range of the content in the bytes that were read.
  package let content: Range<Int>

  /// Reads the element at the start of a range; nil if no complete element is there.
  package init?(_ bytes: RawSpan, _ range: Range<Int>) {
    guard let first = range.first, let kind = Kind(rawValue: bytes.byte(first) >> 3) else { return nil }
    let size = Int(bytes.byte(first) & 7)
    // Sizes 5 to 7 mean that a length of one, two or four bytes follows.
    let lengthCount = size < 5 ? 0 : 1 << (size - 5)
    let start = first + 1 + lengthCount
    guard start <= range.upperBound else { return nil }
    let length = (first + 1..<start).reduce(0) { $0 << 8 | Int(bytes.byte($1)) }
    let count = size < 5 ? (kind == .none ? 0 : 1 << size) : length
    guard count <= range.upperBound - start else { return nil }
    self.kind = kind
    content = start..<(start + count)
  }

  /// Whether the element contains other elements.
  package var isSequence: Bool { kind == .sequence || kind == .alternative }

  /// Returns the elements of a sequence up to the first incomplete one; none for any other kind.
  package func elements(_ bytes: RawSpan) -> [ServiceElement] {
    guard isSequence else { return [] }
    var all: [ServiceElement] = []
    var offset = content.lowerBound
    while let element = ServiceElement(bytes, offset..<content.upperBound) {
      all.append(element)
      offset = element.content.upperBound
    }
    return all
  }

  /// Returns the value of an unsigned number, or of a UUID of at most eight bytes; nil for any other element.
  package func number(_ bytes: RawSpan) -> UInt64? {
    guard kind == .unsigned || kind == .uuid, (1...8).contains(content.count) else { return nil }
    return content.reduce(0) { $0 << 8 | UInt64(bytes.byte($1)) }
  }
}
