// swift-iap2 · Apache-2.0

import CarPlay

/// A podcast app: tabs whose lists are made again when they appear, rows of images, and buttons on Now Playing.
public class PodcastSceneDelegate: NSObject, CPTemplateApplicationSceneDelegate, CPInterfaceControllerDelegate,
  CPNowPlayingTemplateObserver, CPTabBarTemplateDelegate
{
  public private(set) var selectedShow: Int?
  public private(set) var appeared: [String] = []
  public private(set) var tabBar: CPTabBarTemplate?
  public private(set) var upNextTaps = 0
  private var controller: CPInterfaceController?

  public func templateApplicationScene(
    _ templateApplicationScene: CPTemplateApplicationScene, didConnect interfaceController: CPInterfaceController
  ) {
    controller = interfaceController
    interfaceController.delegate = self
    let tabs = ["Shows", "Downloads", "Filters"].map { title -> CPListTemplate in
      let list = CPListTemplate(title: title, sections: [])
      list.tabTitle = title
      list.tabImage = UIImage(systemName: "list.bullet")
      list.emptyViewSubtitleVariants = ["Nothing here"]
      return list
    }
    let tabBar = CPTabBarTemplate(templates: Array(tabs.prefix(CPTabBarTemplate.maximumTabCount)))
    tabBar.delegate = self
    self.tabBar = tabBar
    interfaceController.setRootTemplate(tabBar, animated: true) { _, error in
      if let error = error { print("no root: \(error.localizedDescription)") }
    }
    let rate = CPNowPlayingPlaybackRateButton { _ in }
    let star = CPNowPlayingImageButton(image: UIImage()) { button in button.isSelected.toggle() }
    CPNowPlayingTemplate.shared.isUpNextButtonEnabled = true
    CPNowPlayingTemplate.shared.isAlbumArtistButtonEnabled = true
    CPNowPlayingTemplate.shared.updateNowPlayingButtons([rate, star])
    CPNowPlayingTemplate.shared.add(self)
  }

  public func templateWillAppear(_ aTemplate: CPTemplate, animated: Bool) {
    guard let list = aTemplate as? CPListTemplate else { return }
    appeared.append(list.title ?? "")
    list.updateSections([CPListSection(items: [imageRow(), progressRow()])])
  }

  public func tabBarTemplate(_ tabBarTemplate: CPTabBarTemplate, didSelect selectedTemplate: CPTemplate) {
    templateWillAppear(selectedTemplate, animated: false)
  }

  public func nowPlayingTemplateUpNextButtonTapped(_ nowPlayingTemplate: CPNowPlayingTemplate) { upNextTaps += 1 }

  private func imageRow() -> CPListImageRowItem {
    let images = (0..<CPMaximumNumberOfGridImages).map { _ in UIImage() }
    let row = CPListImageRowItem(text: "New", images: images)
    row.handler = { item, completion in completion() }
    row.listImageRowHandler = { [weak self] _, index, completion in
      self?.selectedShow = index
      completion()
    }
    return row
  }

  private func progressRow() -> CPListTemplateItem {
    let row = CPListItem(text: "Episode", detailText: nil)
    row.playbackProgress = 0.4
    row.playingIndicatorLocation = .trailing
    row.accessoryType = .cloud
    row.userInfo = ["id": 7]
    return row
  }
}
