// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

/// The images of one picture for different traits: a light and a dark one, or one for each scale.
///
/// Invariant for `@unchecked Sendable`: the contents are used under the lock only.
open class UIImageAsset: NSObject, @unchecked Sendable {
  private struct Variant: Sendable {
    var traits: UITraitCollection
    var content: ImageContent
  }

  private let variants: Mutex<[Variant]>

  /// Creates an asset without images.
  public override init() {
    variants = Mutex([])
    super.init()
  }

  init(of content: ImageContent) {
    variants = Mutex([Variant(traits: UITraitCollection(), content: content)])
    super.init()
  }

  init(_ contents: [(traits: UITraitCollection, content: ImageContent)]) {
    variants = Mutex(contents.map { Variant(traits: $0.traits, content: $0.content) })
    super.init()
  }

  /// The traits that have an image of their own.
  package var registeredTraits: [UITraitCollection] { variants.withLock { $0.map(\.traits) } }

  /// Adds the image for traits. It replaces the former one for the same traits.
  open func register(_ image: UIImage, with traitCollection: UITraitCollection) {
    variants.withLock { variants in
      variants.removeAll { $0.traits == traitCollection }
      variants.append(Variant(traits: traitCollection, content: image.content))
    }
  }

  /// Removes the image for traits.
  open func unregister(_ traitCollection: UITraitCollection) {
    variants.withLock { variants in variants.removeAll { $0.traits == traitCollection } }
  }

  /// Returns the image that fits traits best; an image without pixels if there is none.
  open func image(with traitCollection: UITraitCollection) -> UIImage {
    guard let content = content(for: traitCollection) else { return UIImage() }
    return UIImage(content, asset: self)
  }

  /// The content that fits traits best: the appearance counts more than the scale. Of two equal ones it is the sharper.
  func content(for traits: UITraitCollection) -> ImageContent? {
    variants.withLock { variants in
      variants.max {
        ($0.traits.fit(to: traits), $0.content.scale) < ($1.traits.fit(to: traits), $1.content.scale)
      }?.content
    }
  }

  /// Returns an asset with changed contents.
  func changed(_ change: (inout ImageContent) -> Void) -> UIImageAsset {
    let copy = UIImageAsset()
    let old = variants.withLock { $0 }
    let new = old.map { variant in
      var variant = variant
      change(&variant.content)
      return variant
    }
    copy.variants.withLock { $0 = new }
    return copy
  }
}

extension UITraitCollection {
  /// Returns a score of an image with these traits in a place with other ones. An unset trait fits everywhere, but an
  /// equal one fits better.
  fileprivate func fit(to place: UITraitCollection) -> Int {
    func points(_ isSet: Bool, _ isSame: Bool, _ weight: Int) -> Int { isSame ? 2 * weight : isSet ? 0 : weight }
    return points(
      userInterfaceStyle != .unspecified,
      userInterfaceStyle == place.userInterfaceStyle && userInterfaceStyle != .unspecified,
      100)
      + points(
        userInterfaceIdiom != .unspecified,
        userInterfaceIdiom == place.userInterfaceIdiom && userInterfaceIdiom != .unspecified, 10)
      + points(displayScale != 0, displayScale == place.displayScale && displayScale != 0, 1)
  }
}
