// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// A row with a title and images below it.
@available(iOS 14.0, *)
@preconcurrency @MainActor
open class CPListImageRowItem: NSObject, CPSelectableListItem {
  /// The title of the row.
  public var text: String? { didSet { noteChange() } }

  /// The images that the app gave. A car shows the first ``CPMaximumNumberOfGridImages``, a narrow one fewer.
  public private(set) var gridImages: [UIImage]

  /// The titles of the images.
  @available(iOS 17.4, *)
  public var imageTitles: [String] { didSet { noteChange() } }

  /// The elements of the row, in rows that are made of elements.
  @available(iOS 26.0, *)
  public var elements: [CPListImageRowItemElement] { didSet { noteChange() } }

  /// Whether the elements may use several lines.
  @available(iOS 26.0, *)
  public var allowsMultipleLines: Bool { didSet { noteChange() } }

  /// An object of the app that goes with the row.
  public var userInfo: Any? { didSet { noteChange() } }

  /// Whether the row can be selected.
  @available(iOS 15.0, *)
  public var isEnabled: Bool = true { didSet { noteChange() } }

  /// Runs when the title is selected. The row shows a spinner until the closure of the second parameter is called.
  public var handler: ((any CPSelectableListItem, @escaping () -> Void) -> Void)? { didSet { noteChange() } }

  /// Runs when an image is selected, with its position. The row shows a spinner until the closure is called.
  public var listImageRowHandler: ((CPListImageRowItem, Int, @escaping () -> Void) -> Void)? { didSet { noteChange() } }

  /// The size of images in points.
  public class var maximumImageSize: CGSize { CarPlayModule.imageSizes.imageRow }

  private init(
    text: String?, images: [UIImage], imageTitles: [String], elements: [CPListImageRowItemElement],
    allowsMultipleLines: Bool
  ) {
    self.text = text
    gridImages = images
    self.imageTitles = imageTitles
    self.elements = elements
    self.allowsMultipleLines = allowsMultipleLines
    super.init()
    noteCreation()
  }

  /// Creates a row of images.
  @available(iOS, introduced: 14.0, deprecated: 26.0)
  public convenience init(text: String?, images: [UIImage]) {
    self.init(text: text, images: images, imageTitles: [], elements: [], allowsMultipleLines: false)
  }

  /// Creates a row of images with titles.
  @available(iOS, introduced: 17.4, deprecated: 26.0)
  public convenience init(text: String?, images: [UIImage], imageTitles: [String]) {
    self.init(text: text, images: images, imageTitles: imageTitles, elements: [], allowsMultipleLines: false)
  }

  /// Creates a row of images with texts below them.
  @available(iOS 26.0, *)
  public convenience init(text: String?, elements: [CPListImageRowItemRowElement], allowsMultipleLines: Bool) {
    self.init(text: text, images: [], imageTitles: [], elements: elements, allowsMultipleLines: allowsMultipleLines)
  }

  /// Creates a row of cards.
  @available(iOS 26.0, *)
  public convenience init(text: String?, cardElements: [CPListImageRowItemCardElement], allowsMultipleLines: Bool) {
    self.init(
      text: text, images: [], imageTitles: [], elements: cardElements, allowsMultipleLines: allowsMultipleLines)
  }

  /// Creates a row of small elements.
  @available(iOS 26.0, *)
  public convenience init(
    text: String?, condensedElements: [CPListImageRowItemCondensedElement], allowsMultipleLines: Bool
  ) {
    self.init(
      text: text, images: [], imageTitles: [], elements: condensedElements, allowsMultipleLines: allowsMultipleLines)
  }

  /// Creates a row of images without texts.
  @available(iOS 26.0, *)
  public convenience init(text: String?, gridElements: [CPListImageRowItemGridElement], allowsMultipleLines: Bool) {
    self.init(
      text: text, images: [], imageTitles: [], elements: gridElements, allowsMultipleLines: allowsMultipleLines)
  }

  /// Creates a row of images with titles and shapes.
  @available(iOS 26.0, *)
  public convenience init(
    text: String?, imageGridElements: [CPListImageRowItemImageGridElement], allowsMultipleLines: Bool
  ) {
    self.init(
      text: text, images: [], imageTitles: [], elements: imageGridElements, allowsMultipleLines: allowsMultipleLines)
  }

  /// Replaces the images and redraws the row.
  public func update(_ gridImages: [UIImage]) {
    self.gridImages = gridImages
    noteChange("update")
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The number of images of an image row that a car shows.
@available(iOS 14.0, *)
@preconcurrency @MainActor
public var CPMaximumNumberOfGridImages: Int { CarPlayModule.limits.maximumGridImages }
