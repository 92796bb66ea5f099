// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
public import UIKit

/// A section of a list.
@preconcurrency @MainActor
open class CPListSection: NSObject {
  /// The title above the rows.
  public let header: String?
  /// The text below the title.
  @available(iOS 15.0, *)
  public let headerSubtitle: String?
  /// The image beside the title.
  @available(iOS 15.0, *)
  public var headerImage: UIImage? { didSet { noteChange() } }
  /// The button at the trailing side of the title.
  @available(iOS 15.0, *)
  public let headerButton: CPButton?
  /// The section's title in the index. The car shows the first character.
  public let sectionIndexTitle: String?
  /// The rows.
  public let items: [any CPListTemplateItem]

  /// Creates a section without a header.
  public convenience init(items: [any CPListTemplateItem]) {
    self.init(items: items, header: nil, sectionIndexTitle: nil)
  }

  /// Creates a section with a title.
  public init(items: [any CPListTemplateItem], header: String?, sectionIndexTitle: String?) {
    self.items = items
    self.header = header
    headerSubtitle = nil
    headerButton = nil
    self.sectionIndexTitle = sectionIndexTitle
    super.init()
    noteCreation()
  }

  /// Creates a section with a header of several parts.
  @available(iOS 15.0, *)
  public init(
    items: [any CPListTemplateItem], header: String, headerSubtitle: String?, headerImage: UIImage?,
    headerButton: CPButton?, sectionIndexTitle: String?
  ) {
    self.items = items
    self.header = header
    self.headerSubtitle = headerSubtitle
    self.headerImage = headerImage
    self.headerButton = headerButton
    self.sectionIndexTitle = sectionIndexTitle
    super.init()
    noteCreation()
  }

  /// Returns the position of a row, or `NSNotFound`.
  @available(iOS 14.0, *)
  public func index(of item: any CPListTemplateItem) -> Int { items.firstIndex { $0 === item } ?? NSNotFound }

  /// Returns the row at a position. Raises an exception for a position without a row.
  @available(iOS 14.0, *)
  public func item(at index: Int) -> any CPListTemplateItem {
    if items.indices.contains(index) { return items[index] }
    // Unverified: the words are those of Foundation's arrays.
    CarPlayModule.system.raise(
      CarPlayException(
        name: "NSRangeException", reason: "index \(index) beyond bounds of a section of \(items.count) items"))
    return CPListItem(text: nil, detailText: nil)
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The size of the image of a section's header in points.
@available(iOS 15.0, *)
@preconcurrency @MainActor
public var CPMaximumListSectionImageSize: CGSize { CarPlayModule.imageSizes.listSection }
