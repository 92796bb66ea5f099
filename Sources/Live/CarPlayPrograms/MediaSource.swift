// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// The content of a stream, piece by piece: the pictures of a film, or the packets of music.
protocol MediaSource: Sendable {
  associatedtype Piece: Sendable

  /// The time of the next piece since the start of the stream; behind the last piece, the time of its end.
  var nextTime: Duration { get }

  /// Returns the next piece; nil at the end.
  mutating func next() throws(VideoProblem) -> Piece?
}

/// A source that plays since a time.
struct Playing<Source: MediaSource>: Sendable {
  let start: MonotonicTime
  var source: Source

  /// The time of the next piece.
  var nextTime: MonotonicTime { start.advanced(by: source.nextTime) }
}
