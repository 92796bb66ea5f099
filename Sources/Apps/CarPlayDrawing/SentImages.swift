// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// The images that a drawing program has.
///
/// A session may have any number of images, so the program forgets all of them when it has too many, and gets those of
/// the present screen again.
package struct SentImages: Sendable {
  private var names: Set<String> = []

  package init() {}

  /// The images that a program receives with a screen.
  package struct Delivery: Sendable {
    /// Whether the program first forgets the images that it has.
    package var forgetsOthers: Bool
    /// The names of the images that it gets, sorted.
    package var names: [String]
  }

  /// Returns the delivery for a screen, and counts on its arrival.
  ///
  /// - Parameters:
  ///   - shown: The names of the images that the screen shows. A program draws the first
  ///     ``CarImage/maximumCount`` of them.
  ///   - known: The names of the images that can be sent.
  package mutating func deliver(_ shown: Set<String>, of known: (String) -> Bool) -> Delivery {
    let shown = shown.filter(known).sorted().prefix(CarImage.maximumCount)
    var delivery = Delivery(forgetsOthers: false, names: shown.filter { !names.contains($0) })
    if names.count + delivery.names.count > CarImage.maximumCount {
      delivery = Delivery(forgetsOthers: true, names: Array(shown))
      names = []
    }
    names.formUnion(delivery.names)
    return delivery
  }
}
