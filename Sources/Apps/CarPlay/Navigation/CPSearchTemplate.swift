// swift-iap2 · Apache-2.0

import PortingSupport

/// A keyboard and a list of results.
///
/// The app answers each text with rows, and each chosen row with a call of the completion handler. An answer to an
/// older text must not replace a newer one; that is the app's duty.
@preconcurrency @MainActor
open class CPSearchTemplate: CPTemplate {
  /// Creates a search template.
  public override init() { super.init() }

  /// The receiver of texts and choices. It is not retained.
  public weak var delegate: (any CPSearchTemplateDelegate)? { didSet { noteChange() } }
}

/// The receiver of a search template's texts and choices.
@preconcurrency @MainActor
public protocol CPSearchTemplateDelegate: NSObjectProtocol {
  /// Reports the text of the search field. `completionHandler` takes the results, also if there are none.
  func searchTemplate(
    _ searchTemplate: CPSearchTemplate, updatedSearchText searchText: String,
    completionHandler: @escaping ([CPListItem]) -> Void)

  /// Reports the chosen result. The row shows a spinner until `completionHandler` is called.
  func searchTemplate(
    _ searchTemplate: CPSearchTemplate, selectedResult item: CPListItem, completionHandler: @escaping () -> Void)

  /// Reports that the search key was pressed. The method is optional.
  func searchTemplateSearchButtonPressed(_ searchTemplate: CPSearchTemplate)
}

extension CPSearchTemplateDelegate {
  /// The default of an app without the method.
  public func searchTemplateSearchButtonPressed(_ searchTemplate: CPSearchTemplate) {
    OptionalMethod.isMissing(in: self)
  }
}
