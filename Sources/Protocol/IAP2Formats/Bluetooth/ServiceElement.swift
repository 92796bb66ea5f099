// swift-iap2 · Apache-2.0

import IAP2

/// A data element of SDP: kind and size in one byte, a length where the size says so, content.
package struct ServiceElement {
  package enum Kind: UInt8 { case none, unsigned, signed, uuid, text, bool, sequence, alternative, url }

  package let kind: Kind
  package let content: Range<Int>

  /// Nil where there is no whole one.
  package init?(_ bytes: RawSpan, _ range: Range<Int>) {
    guard let first = range.first, let kind = Kind(rawValue: bytes.byte(first) >> 3) else { return nil }
    let size = Int(bytes.byte(first) & 7)
    // 5 to 7: a length of one, two or four bytes follows.
    let lengthCount = size < 5 ? 0 : 1 << (size - 5)
    let start = first + 1 + lengthCount
    guard start <= range.upperBound else { return nil }
    let length = (first + 1..<start).reduce(0) { $0 << 8 | Int(bytes.byte($1)) }
    let count = size < 5 ? (kind == .none ? 0 : 1 << size) : length
    guard count <= range.upperBound - start else { return nil }
    self.kind = kind
    content = start..<(start + count)
  }

  package var isSequence: Bool { kind == .sequence || kind == .alternative }

  /// What a sequence has in it, as far as it is whole.
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

  /// Of a number or a UUID that stands for one; nil for anything else.
  package func number(_ bytes: RawSpan) -> UInt64? {
    guard kind == .unsigned || kind == .uuid, (1...8).contains(content.count) else { return nil }
    return content.reduce(0) { $0 << 8 | UInt64(bytes.byte($1)) }
  }
}
