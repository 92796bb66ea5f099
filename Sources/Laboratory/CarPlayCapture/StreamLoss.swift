// swift-iap2 · Apache-2.0

import CarPlaySession

/// Bytes of a stream that cannot be read, until a unit is found behind them: a picture, a packet of sound or a frame.
struct StreamLoss: Sendable {
  /// The cause of a loss.
  enum Cause: Sendable {
    /// The capture lacks bytes, or begins behind the beginning of the stream.
    case gap(isLate: Bool)
    /// The bytes are damaged. That was reported, with the first unit.
    case damage
  }

  let cause: Cause
  /// The first number of a unit that was not read.
  let first: UInt64
  /// The number of captured bytes that were not read, without those of the unit that was reported.
  var byteCount: Int
  /// The units with a wrong tag behind the first one.
  var skipped: UInt64 = 0
  /// Whether the next unit begins at the next byte, as far as the lengths show.
  var isAligned: Bool
  /// Whether the next unit is searched in a capture in the clear, because its bytes are sealed there.
  var isSearched = false
  /// The work that is left for the search, as bytes in units of ``SearchBudget``. Ours: 256 MiB of trials take less than
  /// a second.
  private var allowance = 1 << 18

  /// The numbers behind the expected one that a unit behind damage may have. Ours: a length that is damaged hides a few
  /// units.
  private static let numbersBehindDamage: UInt64 = 8
  /// The most trials of one unit, as ``allowance``, so that a damaged unit leaves some for those behind it.
  private static let unitAllowance = 1 << 16

  /// The reason of a gap.
  static let gap = Direction.gap

  init(_ cause: Cause, first: UInt64, byteCount: Int = 0) {
    (self.cause, self.first, self.byteCount) = (cause, first, byteCount)
    if case .damage = cause { isAligned = true } else { isAligned = false }
  }

  /// Whether the work for the search is used up.
  var isOver: Bool { allowance <= 0 }

  /// Takes a trial from the allowance and from the budget of the capture; false if one is used up.
  mutating func spend(_ byteCount: Int, _ budget: inout SearchBudget) -> Bool {
    allowance -= 1 + byteCount >> 10
    return !isOver && budget.spend(byteCount)
  }

  /// Returns the number with which a unit opens; nil if none does.
  ///
  /// - Parameters:
  ///   - byteCount: The bytes of the unit.
  ///   - opens: Returns whether the unit opens with a number.
  mutating func number(
    of byteCount: Int, _ budget: inout SearchBudget, _ opens: (UInt64) -> Bool
  ) -> UInt64? {
    let trials = UInt64(max(1, Self.unitAllowance / (1 + byteCount >> 10)))
    let expected: UInt64
    let range: Range<UInt64>
    switch cause {
    case .gap: (expected, range) = (first, first..<first + trials)
    case .damage:
      expected = first + 1 + skipped
      range = first..<min(first + trials, expected + Self.numbersBehindDamage)
    }
    guard spend(byteCount, &budget) else { return nil }
    if opens(expected) { return expected }
    for number in range where number != expected {
      guard spend(byteCount, &budget) else { return nil }
      if opens(number) { return number }
    }
    return nil
  }

  /// Returns the words with which the stream is read on; nil if they would say nothing new.
  ///
  /// - Parameters:
  ///   - next: The number of the next unit; nil if it is not known.
  ///   - unit: The name of a unit.
  func resumption(at next: UInt64?, _ unit: String) -> String? {
    let lost = next.map { $0 > first ? $0 - first : 0 } ?? 0
    let place = next.map { "read on from \(unit) \($0)" } ?? "read on here"
    let count: UInt64
    let start: String
    switch cause {
    case .gap(let isLate):
      if isLate, lost == 0, byteCount == 0 { return nil }
      (count, start) = (isLate ? 0 : lost, "\(Self.gap); \(place)")
    case .damage:
      count = lost > 0 ? lost - 1 : 0
      if count == 0, byteCount == 0 { return nil }
      start = place
    }
    let parts = [
      count > 0 ? "\(count)\(cause.isGap ? "" : " more") \(unit)\(count == 1 ? "" : "s")" : nil,
      byteCount > 0 ? "\(byteCount) captured bytes" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? start : "\(start); not read before it: \(parts.joined(separator: ", "))"
  }

  /// Returns the words at the end of a stream that was not read on; nil if they would say nothing new.
  ///
  /// - Parameter rest: The bytes that waited for more of them.
  func end(rest: Int) -> String? {
    let count = byteCount + rest
    if cause.isGap { return count > 0 ? "\(Self.gap), so the rest cannot be read: \(count) bytes" : Self.gap }
    return count > 0 ? "nothing behind the damage can be read: \(count) bytes" : nil
  }
}

extension StreamLoss.Cause {
  var isGap: Bool { if case .gap = self { true } else { false } }
}

/// The captured bytes of a stream that were not read.
struct StreamBuffer: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  /// The number of bytes.
  var count: Int { bytes.count - start }

  /// The byte at an offset.
  subscript(offset: Int) -> UInt8 { bytes[start + offset] }

  /// The bytes in a range of offsets.
  subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[start + range.lowerBound..<start + range.upperBound] }

  mutating func add(_ piece: [UInt8]) {
    guard count > 0 else {
      (bytes, start) = (piece, 0)
      return
    }
    // The bytes that were read are removed when they are most of all, so that the others are seldom moved.
    if start > bytes.count / 2 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += piece
  }

  /// Removes the first bytes.
  mutating func skip(_ count: Int) {
    start += count
    if start == bytes.count { (bytes, start) = ([], 0) }
  }

  /// Removes all bytes, and returns their number.
  mutating func removeAll() -> Int {
    defer { (bytes, start) = ([], 0) }
    return count
  }
}
