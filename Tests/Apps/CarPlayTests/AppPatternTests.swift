// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import CarSupport
import Swift5App
import Testing

/// The calls of real apps (CarPlay/Apps.md), in apps of this project in Swift 5 mode.
@MainActor
struct AppPatternTests {
  @Test("A radio app shows its stations, plays a selected one and forgets the controller at the disconnect")
  func radio() throws {
    try RecordingSystem.use { system in
      let delegate = RadioSceneDelegate()
      let controller = CPInterfaceController.sample
      let scene = CPTemplateApplicationScene.sample(controller)
      delegate.templateApplicationScene(scene, didConnect: controller)
      let list = try #require(controller.rootTemplate as? CPListTemplate)
      #expect(list.itemCount == 3)
      let row = try #require(list.sections[0].items[1] as? CPListItem)
      var completions = 0
      row.handler?(row) { completions += 1 }
      #expect(delegate.playing == "Harbour")
      #expect(controller.topTemplate === CPNowPlayingTemplate.shared)
      #expect(completions == 1)
      #expect(system.changes(of: list) { delegate.stationsDidChange(to: ["North"]) } == ["updateSections"])
      #expect(list.itemCount == 1)
      delegate.templateApplicationScene(scene, didDisconnectInterfaceController: controller)
      #expect(delegate.interfaceController == nil)
    }
  }

  @Test("A podcast app makes its lists when they appear, and is told of taps on rows and on Now Playing")
  func podcasts() throws {
    try RecordingSystem.use { system in
      system.categories = [.audio]
      let delegate = PodcastSceneDelegate()
      let controller = CPInterfaceController.sample
      delegate.templateApplicationScene(CPTemplateApplicationScene.sample(controller), didConnect: controller)
      let bar = try #require(controller.rootTemplate as? CPTabBarTemplate)
      bar.delegate?.tabBarTemplate(bar, didSelect: bar.templates[1])
      #expect(delegate.appeared == ["Downloads"])
      let list = try #require(bar.templates[1] as? CPListTemplate)
      let row = try #require(list.sections[0].items[0] as? CPListImageRowItem)
      row.listImageRowHandler?(row, 2) {}
      #expect(delegate.selectedShow == 2)
      #expect(list.sections[0].items[1].userInfo as? [String: Int] == ["id": 7])
      let shared = CPNowPlayingTemplate.shared
      for observer in shared.observers {
        observer.nowPlayingTemplateUpNextButtonTapped(shared)
        observer.nowPlayingTemplateAlbumArtistButtonTapped(shared)
      }
      #expect(delegate.upNextTaps == 1)
    }
  }

  @Test("An app that pages its list shows as many rows as the car allows")
  func pages() {
    RecordingSystem.use { system in
      system.settings.limits.maximumItemCount = 12
      let rows = (1...30).map { CPListItem(text: "\($0)", detailText: nil) }
      let pages = PagedList(rows: rows)
      #expect(pages.template.itemCount == 12)
      let next = pages.template.trailingNavigationBarButtons[0]
      next.handler?(next)
      next.handler?(next)
      #expect(pages.template.sections[0].items.map(\.text) == ["25", "26", "27", "28", "29", "30"])
    }
  }

  @Test("An app closes its alert in the handler of the action")
  func alerts() throws {
    try RecordingSystem.use { _ in
      let controller = CPInterfaceController.sample
      let screens = HomeScreens(controller: controller)
      screens.askToConfirm()
      let alert = try #require(controller.presentedTemplate as? CPAlertTemplate)
      #expect(alert.actions.map(\.style) == [.destructive, .cancel])
      alert.actions[1].handler(alert.actions[1])
      #expect(screens.log == ["cancel"])
      #expect(controller.presentedTemplate == nil)
      screens.showGrid()
      let grid = try #require(controller.topTemplate as? CPGridTemplate)
      let button = try #require(grid.gridButtons.last)
      button.handler?(button)
      #expect(screens.log == ["cancel", "Scene 8"])
    }
  }

  @Test("An app that waits for each call gets the asynchronous forms", .onlyCar)
  func asynchronousCalls() async throws {
    try await RecordingSystem.useWhileWaiting { system in
      let controller = CPInterfaceController.sample
      controller.setRootTemplate(CPListTemplate(title: nil, sections: []), animated: false, completion: nil)
      try await HomeScreens(controller: controller).openLater()
      #expect(
        system.requests.dropFirst() == [
          "push, animated: true, completion: true", "pop, animated: false, completion: true",
          "popToRoot, animated: false, completion: true",
        ])
    }
  }

  @Test("A browser with a delegate of its list learns the path of the selected row")
  func listDelegates() throws {
    let browser = MediaBrowser()
    let list = try #require(browser.library() as? CPListTemplate)
    let row = try #require(list.sections[1].items[0] as? CPListItem)
    var isComplete = false
    list.delegate?.listTemplate(list, didSelect: row) { isComplete = true }
    #expect(browser.selected == [IndexPath(indexes: [1, 0])])
    #expect(isComplete)
  }

  @Test("A navigation app without scenes sets its root and its window, and opens a list above them")
  func navigation() throws {
    try RecordingSystem.use { system in
      system.session.limitedUserInterfaces = .keyboard
      let delegate = NavigationAppDelegate()
      let controller = CPInterfaceController.sample
      let window = CPWindow()
      delegate.application(UIApplication.shared, didConnectCarInterfaceController: controller, to: window)
      #expect(delegate.keyboardIsLimited)
      #expect(window.rootViewController != nil)
      let map = try #require(controller.rootTemplate as? CPMapTemplate)
      let button = map.leadingNavigationBarButtons[0]
      button.handler?(button)
      let list = try #require(controller.topTemplate as? CPListTemplate)
      let back = try #require(list.backButton)
      back.handler?(back)
      #expect(controller.templates == [map])
      delegate.application(UIApplication.shared, didDisconnectCarInterfaceController: controller, from: window)
      #expect(delegate.controller == nil)
    }
  }
}
