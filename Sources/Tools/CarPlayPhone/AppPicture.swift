// swift-iap2 · Apache-2.0

/// An encoded picture of the phone's screen.
package struct AppPicture: Sendable {
  /// The NAL units behind start codes (Annex B). A key frame has its parameter sets before it.
  package var bytes: [UInt8]
  /// Whether the picture stands alone.
  package var isKeyFrame: Bool
}

/// The times of the pictures of a session.
package struct PictureTimes: Sendable {
  /// The number of pictures.
  package private(set) var count = 0
  private var drawing: [Double] = [], encoding: [Double] = [], reaction: [Double] = []

  /// The number of the last pictures whose times are kept.
  private static let keptCount = 1000

  package init() {}

  /// Adds a picture.
  ///
  /// - Parameters:
  ///   - drawing: The time of drawing in milliseconds.
  ///   - encoding: The time of encoding in milliseconds.
  ///   - reaction: The time from an input to the encoded picture in milliseconds; nil for a picture without an input.
  mutating func add(drawing: Double, encoding: Double, reaction: Double?) {
    Self.keep(drawing, in: &self.drawing, at: count)
    Self.keep(encoding, in: &self.encoding, at: count)
    if let reaction { Self.keep(reaction, in: &self.reaction, at: count) }
    count += 1
  }

  private static func keep(_ time: Double, in times: inout [Double], at place: Int) {
    if times.count < keptCount { times.append(time) } else { times[place % keptCount] = time }
  }

  /// The times in words; nil without pictures.
  package var words: String? {
    guard let draw = Self.words(drawing), let encode = Self.words(encoding) else { return nil }
    return "\(count) pictures, drawn in \(draw), encoded in \(encode)"
      + (Self.words(reaction).map { ", from an input to its picture \($0)" } ?? "")
  }

  private static func words(_ times: [Double]) -> String? {
    let sorted = times.sorted()
    guard let worst = sorted.last else { return nil }
    func text(_ time: Double) -> String { "\((time * 10).rounded() / 10)" }
    return "\(text(sorted[sorted.count / 2])) ms (at most \(text(worst)))"
  }
}
