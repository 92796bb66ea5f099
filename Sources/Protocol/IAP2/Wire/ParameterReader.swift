// swift-iap2 · Apache-2.0

/// A reader for a run of parameters (length u16, id u16, value): the content of a message or of a group.
///
/// The reader walks the run in one of two ways. The quick walk expects the declared ids in ascending order and throws
/// `needsCarefulWalk` at anything else. The careful walk first checks every length and records which ids are present,
/// so that its errors are exact. Neither walk allocates memory.
public struct ParameterReader: ~Escapable {
  let bytes: RawSpan
  let start: Int
  let end: Int
  var cursor: Int
  let isQuick: Bool
  /// The ids below 64 that are present, as a bit mask; `repeated` has those that occur more than once, and `known`
  /// those that the schema has asked for.
  private(set) var present: UInt64 = 0
  private(set) var repeated: UInt64 = 0
  var known: UInt64 = 0
  private var isAscending = true
  private var hasLargeIDs = false

  static let headerByteCount = 4
  /// The most parameters that one run may have. A message has room for 16 000 empty ones; no known message has more
  /// than a few hundred.
  static let maximumCount = 4096

  @_lifetime(copy bytes)
  init(quick bytes: RawSpan, _ range: Range<Int>) {
    self.bytes = bytes
    start = range.lowerBound
    end = range.upperBound
    cursor = start
    isQuick = true
  }

  @_lifetime(copy bytes)
  init(careful bytes: RawSpan, _ range: Range<Int>) throws(WireError) {
    self.bytes = bytes
    start = range.lowerBound
    end = range.upperBound
    cursor = start
    isQuick = false
    var offset = start
    var last = 0
    var count = 0
    while offset < end {
      guard end &- offset >= Self.headerByteCount else { throw WireError(.truncated, offset: offset) }
      let length = Int(bytes.bigEndian16(offset))
      let id = bytes.bigEndian16(offset &+ 2)
      guard length >= Self.headerByteCount else { throw WireError(.badLength(length), offset: offset, parameter: id) }
      guard end &- offset >= length else { throw WireError(.truncated, offset: offset, parameter: id) }
      if Int(id) < last { isAscending = false }
      last = Int(id)
      if id < 64 {
        let bit: UInt64 = 1 &<< UInt64(id)
        repeated |= present & bit
        present |= bit
      } else {
        hasLargeIDs = true
      }
      count &+= 1
      guard count <= Self.maximumCount else {
        throw WireError(.tooManyParameters(limit: Self.maximumCount), offset: offset)
      }
      offset &+= length
    }
  }

  @inline(__always)
  func value(at header: Int) -> Range<Int> { (header &+ 4)..<(header &+ Int(bytes.bigEndian16(header))) }

  /// Returns the offset of the only parameter with this id, or -1 if the run has none. Throws `duplicate` if there are
  /// several.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func only(_ id: UInt16) throws(WireError) -> Int {
    if isQuick { return try walk(id) }
    if repeated & (1 &<< UInt64(id)) != 0 { throw duplicate(id) }
    return first(id)
  }

  /// Returns the offset of the quick walk's next parameter if it has this id, else -1.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func walk(_ id: UInt16) throws(WireError) -> Int {
    if cursor == end { return -1 }
    guard end &- cursor >= 4 else { throw .needsCarefulWalk }
    let found = bytes.bigEndian16(cursor &+ 2)
    if found > id { return -1 }
    let length = Int(bytes.bigEndian16(cursor))
    guard found == id, length >= 4, end &- cursor >= length else { throw .needsCarefulWalk }
    let header = cursor
    cursor &+= length
    return header
  }

  /// Returns the offset of the first parameter with this id in the careful walk, or -1.
  @_lifetime(self: copy self)
  mutating func first(_ id: UInt16) -> Int {
    let bit: UInt64 = 1 &<< UInt64(id)
    guard present & bit != 0 else { return -1 }
    // In most messages the parameter is at the cursor. If the id repeats, the first one may be before the cursor, so
    // the search starts at the beginning.
    if repeated & bit == 0, cursor < end, bytes.bigEndian16(cursor &+ 2) == id {
      let header = cursor
      cursor &+= Int(bytes.bigEndian16(cursor))
      return header
    }
    return next(id, from: start)
  }

  @_lifetime(self: copy self)
  mutating func next(_ id: UInt16, from offset: Int) -> Int {
    var offset = offset
    while offset < end {
      let length = Int(bytes.bigEndian16(offset))
      if bytes.bigEndian16(offset &+ 2) == id {
        cursor = offset &+ length
        return offset
      }
      offset &+= length
    }
    return -1
  }

  /// Returns the offset of the next parameter with an id that may repeat, or -1. `header` is the one before it, or -1.
  @_lifetime(self: copy self)
  @inline(__always)
  mutating func another(_ id: UInt16, after header: Int) throws(WireError) -> Int {
    if isQuick { return try walk(id) }
    if header < 0 { return first(id) }
    if repeated & (1 &<< UInt64(id)) == 0 { return -1 }
    return next(id, from: header &+ Int(bytes.bigEndian16(header)))
  }

  @_lifetime(self: copy self)
  private mutating func duplicate(_ id: UInt16) -> WireError {
    let header = next(id, from: start)
    let again = next(id, from: header &+ Int(bytes.bigEndian16(header)))
    return WireError(.duplicate, offset: again, parameter: id)
  }

  func missing(_ id: UInt16) -> WireError {
    isQuick ? .needsCarefulWalk : WireError(.missing, offset: end, parameter: id)
  }

  /// The parameters that the schema does not name, and the order of the others if the ids do not ascend.
  var unrepresented: UnrepresentedParameters {
    if isQuick || isAscending && !hasLargeIDs && present & ~known == 0 { return UnrepresentedParameters() }
    var unrepresented = UnrepresentedParameters()
    var offset = start
    while offset < end {
      let length = Int(bytes.bigEndian16(offset))
      let id = bytes.bigEndian16(offset &+ 2)
      if id < 64, known & (1 &<< UInt64(id)) != 0 {
        unrepresented.addKnown(id)
      } else {
        unrepresented.addUnknown(bytes.extracting(offset..<(offset &+ length)))
      }
      offset &+= length
    }
    return unrepresented
  }
}
