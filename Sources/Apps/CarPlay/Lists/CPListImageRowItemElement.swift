// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// The part of an image row's elements that all classes share.
@available(iOS 26.0, *)
@preconcurrency @MainActor
open class CPListImageRowItemElement: NSObject {
  /// The image.
  public var image: UIImage { didSet { noteChange() } }

  /// Whether the element can be selected.
  public var isEnabled: Bool = true { didSet { noteChange() } }

  /// The size of images in points.
  public class var maximumImageSize: CGSize { CarPlayModule.imageSizes.imageRow }

  init(sharedImage: UIImage) {
    image = sharedImage
    super.init()
    noteCreation()
  }
}

/// An image with texts below it.
@available(iOS 26.0, *)
@preconcurrency @MainActor
open class CPListImageRowItemRowElement: CPListImageRowItemElement {
  /// The title.
  public var title: String? { didSet { noteChange() } }
  /// The text below the title.
  public var subtitle: String? { didSet { noteChange() } }

  /// Creates an element.
  public init(image: UIImage, title: String?, subtitle: String?) {
    self.title = title
    self.subtitle = subtitle
    super.init(sharedImage: image)
  }
}

/// A card with an image and texts.
@available(iOS 26.0, *)
@preconcurrency @MainActor
open class CPListImageRowItemCardElement: CPListImageRowItemElement {
  /// Whether the image fills the card.
  public let showsImageFullHeight: Bool
  /// The title.
  public var title: String? { didSet { noteChange() } }
  /// The text below the title.
  public var subtitle: String? { didSet { noteChange() } }
  /// The color of the card.
  public var tintColor: UIColor? { didSet { noteChange() } }
  /// The image with its overlays.
  @available(iOS 26.4, *)
  public var thumbnail: CPThumbnailImage? { didSet { noteChange() } }

  /// The size in points of images that fill a card.
  // Unverified: no source tells how it differs from the size of other images.
  public class var maximumFullHeightImageSize: CGSize { CarPlayModule.imageSizes.imageRow }

  /// Creates a card.
  public init(image: UIImage, showsImageFullHeight: Bool, title: String?, subtitle: String?, tintColor: UIColor?) {
    self.showsImageFullHeight = showsImageFullHeight
    self.title = title
    self.subtitle = subtitle
    self.tintColor = tintColor
    super.init(sharedImage: image)
  }

  /// Creates a card with an image that has overlays.
  @available(iOS 26.4, *)
  public init(thumbnail: CPThumbnailImage, title: String?, subtitle: String?, tintColor: UIColor?) {
    // Unverified: no source tells whether the image of a thumbnail fills the card.
    showsImageFullHeight = true
    self.thumbnail = thumbnail
    self.title = title
    self.subtitle = subtitle
    self.tintColor = tintColor
    super.init(sharedImage: thumbnail.image)
  }
}

/// A small element with an image and texts.
@available(iOS 26.0, *)
@preconcurrency @MainActor
open class CPListImageRowItemCondensedElement: CPListImageRowItemElement {
  /// The shape of an image.
  public enum Shape: Int, Sendable {
    /// A circle.
    case circular = 0
    /// A rectangle with round corners.
    case roundedRectangle = 1
  }

  /// The shape of the image.
  public let imageShape: Shape
  /// The title.
  public var title: String? { didSet { noteChange() } }
  /// The text below the title.
  public var subtitle: String? { didSet { noteChange() } }
  /// The name of the symbol at the trailing side.
  public var accessorySymbolName: String? { didSet { noteChange() } }

  /// Creates an element.
  public init(
    image: UIImage, imageShape: Shape, title: String?, subtitle: String?, accessorySymbolName: String?
  ) {
    self.imageShape = imageShape
    self.title = title
    self.subtitle = subtitle
    self.accessorySymbolName = accessorySymbolName
    super.init(sharedImage: image)
  }
}

/// An image without texts.
@available(iOS 26.0, *)
@preconcurrency @MainActor
open class CPListImageRowItemGridElement: CPListImageRowItemElement {
  /// Creates an element.
  public init(image: UIImage) { super.init(sharedImage: image) }
}

/// An image with a title and a shape.
@available(iOS 26.0, *)
@preconcurrency @MainActor
open class CPListImageRowItemImageGridElement: CPListImageRowItemElement {
  /// The shape of an image.
  public enum Shape: Int, Sendable {
    /// A circle.
    case circular = 0
    /// A rectangle with round corners.
    case roundedRectangle = 1
  }

  /// The shape of the image.
  public let imageShape: Shape
  /// The title.
  public var title: String? { didSet { noteChange() } }
  /// The name of the symbol beside the title.
  public var accessorySymbolName: String? { didSet { noteChange() } }

  /// Creates an element.
  public init(image: UIImage, imageShape: Shape, title: String?, accessorySymbolName: String?) {
    self.imageShape = imageShape
    self.title = title
    self.accessorySymbolName = accessorySymbolName
    super.init(sharedImage: image)
  }
}
