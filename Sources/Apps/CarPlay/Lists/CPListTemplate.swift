// swift-iap2 · Apache-2.0

import CarPlayPlatform
public import Foundation
import UIKit

/// A list of sections with rows.
///
/// The car shows the first ``maximumItemCount`` rows and the first ``maximumSectionCount`` sections, and cuts the others
/// without a word. The properties keep what the app gave.
@preconcurrency @MainActor
open class CPListTemplate: CPTemplate, CPBarButtonProviding {
  /// The title.
  public let title: String?

  /// The sections that the app gave.
  public private(set) var sections: [CPListSection]

  /// The object that learns about selected rows without a handler.
  @available(iOS, introduced: 12.0, deprecated: 14.0)
  public weak var delegate: (any CPListTemplateDelegate)?

  /// The titles of a list without rows, the longest first.
  @available(iOS 14.0, *)
  public var emptyViewTitleVariants: [String] = [] { didSet { noteChange() } }

  /// The subtitles of a list without rows, the longest first.
  @available(iOS 14.0, *)
  public var emptyViewSubtitleVariants: [String] = [] { didSet { noteChange() } }

  /// The row that starts Siri.
  @available(iOS 15.0, *)
  public var assistantCellConfiguration: CPAssistantCellConfiguration? { didSet { noteChange() } }

  /// Whether a list without rows shows a spinner.
  @available(iOS 18.4, *)
  public var showsSpinnerWhileEmpty: Bool = false { didSet { noteChange() } }

  /// The buttons above the first section. The car cuts those over ``maximumHeaderGridButtonCount``.
  @available(iOS 26.0, *)
  public var headerGridButtons: [CPGridButton]? { didSet { noteChange() } }

  /// The header with details above the first section.
  @available(iOS 26.4, *)
  public var listHeader: CPListTemplateDetailsHeader? { didSet { noteChange() } }

  /// The buttons of the leading side of the navigation bar.
  public var leadingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The buttons of the trailing side of the navigation bar.
  public var trailingNavigationBarButtons: [CPBarButton] = [] { didSet { noteChange() } }

  /// The app's own back button.
  public var backButton: CPBarButton? { didSet { noteChange() } }

  /// Creates a list.
  public init(title: String?, sections: [CPListSection]) {
    self.title = title
    self.sections = sections
    super.init()
  }

  /// Creates a list with a row that starts Siri.
  @available(iOS 15.0, *)
  public convenience init(
    title: String?, sections: [CPListSection], assistantCellConfiguration: CPAssistantCellConfiguration?
  ) {
    self.init(
      title: title, sections: sections, assistantCellConfiguration: assistantCellConfiguration, headerGridButtons: nil)
  }

  /// Creates a list with buttons above the first section.
  @available(iOS 26.0, *)
  public init(
    title: String?, sections: [CPListSection], assistantCellConfiguration: CPAssistantCellConfiguration?,
    headerGridButtons: [CPGridButton]?
  ) {
    self.title = title
    self.sections = sections
    self.assistantCellConfiguration = assistantCellConfiguration
    self.headerGridButtons = headerGridButtons
    super.init()
  }

  /// Creates a list with a header with details.
  @available(iOS 26.4, *)
  public init(
    title: String?, listHeader: CPListTemplateDetailsHeader?, sections: [CPListSection],
    assistantCellConfiguration: CPAssistantCellConfiguration?
  ) {
    self.title = title
    self.listHeader = listHeader
    self.sections = sections
    self.assistantCellConfiguration = assistantCellConfiguration
    super.init()
  }

  /// Replaces the sections and redraws the list.
  public func updateSections(_ sections: [CPListSection]) {
    self.sections = sections
    noteChange("updateSections")
  }
}

@available(iOS 14.0, *)
extension CPListTemplate {
  /// The number of sections that the app gave.
  public var sectionCount: Int { sections.count }

  /// The number of rows in all sections that the app gave.
  public var itemCount: Int { sections.reduce(0) { $0 + $1.items.count } }

  /// Returns the section and the position in it of a row, or nil if the list does not have the row.
  public func indexPath(for item: any CPListTemplateItem) -> IndexPath? {
    for (section, content) in sections.enumerated() {
      let index = content.index(of: item)
      if index != NSNotFound { return IndexPath(indexes: [section, index]) }
    }
    return nil
  }

  /// The number of rows that the car shows now, over all sections. It is lower while the car limits lists.
  public class var maximumItemCount: Int {
    let limits = CarPlayModule.limits
    guard CarPlayModule.system.session.limitedUserInterfaces.contains(.lists) else { return limits.maximumItemCount }
    return min(limits.maximumItemCount, limits.maximumItemCountWhileLimited)
  }

  /// The number of sections that the car shows.
  public class var maximumSectionCount: Int { CarPlayModule.limits.maximumSectionCount }

  /// The number of buttons that the car shows above the first section.
  @available(iOS 26.0, *)
  public class var maximumHeaderGridButtonCount: Int { CarPlayModule.limits.maximumHeaderGridButtons }

  /// The size of images in points of the buttons above the first section.
  @available(iOS 26.0, *)
  public class var maximumGridButtonImageSize: CGSize { CarPlayModule.imageSizes.gridButton }
}

/// An object that learns about selected rows of a list.
@available(iOS, introduced: 12.0, deprecated: 14.0)
@preconcurrency @MainActor
public protocol CPListTemplateDelegate: NSObjectProtocol {
  /// Reports that a row without a handler was selected. The row shows a spinner until the closure is called.
  func listTemplate(
    _ listTemplate: CPListTemplate, didSelect item: CPListItem, completionHandler: @escaping () -> Void)
}
