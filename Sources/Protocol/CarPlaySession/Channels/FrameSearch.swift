// swift-iap2 · Apache-2.0

import Basics
package import Cryptography

/// The work that a reader of a capture may spend on the search of frames.
package struct SearchBudget: Sendable {
  /// The trials that are left. A trial counts one more for each KiB of its frame. Ours: they take a few seconds.
  private var trials = 1 << 22

  /// Creates the budget of a capture.
  package init() {}

  /// Takes a trial from the budget; false if it is used up.
  package mutating func spend(_ byteCount: Int) -> Bool {
    trials -= 1 + byteCount >> 10
    return trials > 0
  }
}

/// The search for the next frame of a direction whose place or number is not known: behind bytes that a capture lacks,
/// and behind a damaged frame. A tag that fits proves the place and the number.
package struct FrameSearch: Sendable {
  /// The first number that the frame may have.
  package let first: UInt64
  private let key: SealingKey
  private let numberCount: UInt64
  /// The bytes without a known frame, but for the oldest ones.
  private var bytes: [UInt8] = []
  /// The offsets of pieces and of the frame behind a damaged one. A frame is most likely to begin there.
  private var likely: [Int]
  /// The number of bytes at each of which a frame was looked for.
  private var scanned = 0
  private var scanTrials = maximumScanTrials

  /// The most frames that the capture may lack. Ours: a burst of 64 KiB in frames of 1 KiB.
  package static let maximumSkippedFrames: UInt64 = 64
  /// The most trials at places that are not likely. Ours: the bytes of a frame of 1 KiB, each with all numbers.
  private static let maximumScanTrials = 1 << 16
  /// The most bytes that are kept, the largest frame, and the most likely places.
  private static let maximumByteCount = 1 << 16 + 18, maximumLikelyCount = 16

  /// A frame that was found.
  package struct Found: Sendable {
    /// The opener, whose next frame is the one that was found.
    package var opener: FrameOpener
    /// The number of the frame.
    package var number: UInt64
    /// The bytes of the search from the frame on.
    package var rest: [UInt8]
  }

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - first: The first number that the frame may have.
  ///   - numberCount: The number of numbers that it may have.
  package init(key: Secret, from first: UInt64, numberCount: UInt64 = maximumSkippedFrames) {
    self.init(key: SealingKey(key), from: first, numberCount: numberCount)
  }

  init(key: SealingKey, from first: UInt64, numberCount: UInt64 = maximumSkippedFrames, hint: Int? = nil) {
    (self.key, self.first, self.numberCount) = (key, first, numberCount)
    likely = [hint].compactMap(\.self)
  }

  /// Takes a piece of the direction. Returns the first frame that opens; nil if none does yet.
  package mutating func take(_ piece: [UInt8], _ budget: inout SearchBudget) -> Found? {
    let excess = bytes.count + piece.count - Self.maximumByteCount
    if excess > 0, !bytes.isEmpty { forget(min(excess, bytes.count)) }
    let isFirst = bytes.isEmpty
    if !isFirst || likely.isEmpty, likely.count < Self.maximumLikelyCount { likely.append(bytes.count) }
    bytes += piece
    var waiting: [Int] = []
    for place in likely {
      guard let frame = frame(at: place) else {
        waiting.append(place)
        continue
      }
      if let found = open(frame, at: place, &budget, isScan: false) { return found }
    }
    let waitsForHint = likely.count == 1 && waiting == likely
    likely = waiting
    guard !waitsForHint else { return nil }
    while scanned < bytes.count, scanTrials > 0 {
      defer { scanned += 1 }
      guard let frame = frame(at: scanned) else { continue }
      if let found = open(frame, at: scanned, &budget, isScan: true) { return found }
    }
    return nil
  }

  /// Takes the first piece of a direction. Returns the frame at its beginning; nil if none opens.
  package mutating func takeAligned(_ piece: [UInt8], _ budget: inout SearchBudget) -> Found? {
    (bytes, likely) = (piece, [])
    guard let frame = frame(at: 0) else { return nil }
    return open(frame, at: 0, &budget, isScan: false)
  }

  /// Returns whether bytes have the form of complete frames with text.
  package static func hasForm(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while let frame = FrameOpener.frame(at: rest), frame.count > 2 + SealingKey.tagByteCount {
      rest = rest.dropFirst(frame.count)
    }
    return rest.isEmpty && !bytes.isEmpty
  }

  private mutating func forget(_ count: Int) {
    bytes.removeFirst(count)
    scanned = max(0, scanned - count)
    likely = likely.map { $0 - count }.filter { $0 >= 0 }
  }

  private func frame(at place: Int) -> ArraySlice<UInt8>? {
    place < bytes.count ? FrameOpener.frame(at: bytes[place...]) : nil
  }

  private mutating func open(
    _ frame: ArraySlice<UInt8>, at place: Int, _ budget: inout SearchBudget, isScan: Bool
  ) -> Found? {
    var text: [UInt8] = []
    for number in first..<first + numberCount {
      guard budget.spend(frame.count) else { return nil }
      if isScan { scanTrials -= 1 }
      text = Array(frame.dropFirst(2))
      guard key.open(&text, nonce: number, authenticating: frame.prefix(2)) else { continue }
      return Found(opener: FrameOpener(key: key, count: number), number: number, rest: Array(bytes[place...]))
    }
    return nil
  }
}
