// swift-iap2 · Apache-2.0

import CarPlay

/// A browser of a media library as of iOS 13: a delegate of lists instead of handlers.
public class MediaBrowser: NSObject, CPListTemplateDelegate {
  public private(set) var selected: [IndexPath] = []

  public func library() -> CPTemplate {
    let list = CPListTemplate(
      title: "Library",
      sections: [
        CPListSection(items: [CPListItem(text: "Artists", detailText: nil, image: nil, showsDisclosureIndicator: true)]
        ),
        CPListSection(items: [CPListItem(text: "Albums", detailText: "12")], header: "More", sectionIndexTitle: nil),
      ])
    list.delegate = self
    return list
  }

  public func listTemplate(
    _ listTemplate: CPListTemplate, didSelect item: CPListItem, completionHandler: @escaping () -> Void
  ) {
    if let path = listTemplate.indexPath(for: item) { selected.append(path) }
    completionHandler()
  }
}
