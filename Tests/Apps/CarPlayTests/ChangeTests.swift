// swift-iap2 · Apache-2.0

import CarPlay
import Testing

/// Tests that objects are live: the system is notified of each change that an app makes after the initializer.
@MainActor
struct ChangeTests {
  private func expect(
    _ object: AnyObject, _ names: [String], at location: SourceLocation = #_sourceLocation, _ change: () -> Void
  ) {
    RecordingSystem.use { system in
      #expect(system.changes(of: object, during: change) == names, sourceLocation: location)
    }
  }

  @Test("Making an object reports no change")
  func initialisersReportNothing() {
    RecordingSystem.use { system in
      let row = CPListItem(text: "1", detailText: nil, image: nil, accessoryImage: nil, accessoryType: .cloud)
      let list = CPListTemplate(
        title: "List", sections: [CPListSection(items: [row])], assistantCellConfiguration: nil,
        headerGridButtons: [CPGridButton(titleVariants: ["1"], image: .sample, handler: nil)])
      _ = CPTabBarTemplate(templates: [list, CPGridTemplate(title: nil, gridButtons: [])])
      _ = CPBarButton(title: "Title", handler: nil)
      _ = CPListImageRowItem(text: nil, images: [.sample], imageTitles: ["1"])
      #expect(system.changes.isEmpty)
    }
  }

  @Test("The properties of every template report their changes")
  func templates() {
    let template = CPGridTemplate(title: nil, gridButtons: [])
    expect(template, ["userInfo", "tabTitle", "tabImage", "tabSystemItem", "showsTabBadge"]) {
      template.userInfo = 1
      template.tabTitle = "Tab"
      template.tabImage = .sample
      template.tabSystemItem = .search
      template.showsTabBadge = true
    }
  }

  @Test("A row reports its setters and properties")
  func rows() {
    let row = CPListItem(text: "1", detailText: nil)
    expect(row, ["setText", "setDetailText", "setImage", "setAccessoryImage"]) {
      row.setText("2")
      row.setDetailText("Detail")
      row.setImage(.sample)
      row.setAccessoryImage(.sample)
    }
    #expect(row.text == "2")
    #expect(row.detailText == "Detail")
    expect(
      row,
      [
        "handler", "userInfo", "isEnabled", "accessoryType", "isExplicitContent", "playbackProgress", "isPlaying",
        "playingIndicatorLocation", "playbackConfiguration", "isExplicitContent",
      ]
    ) {
      row.handler = { _, completion in completion() }
      row.userInfo = 1
      row.isEnabled = false
      row.accessoryType = .disclosureIndicator
      row.isExplicitContent = true
      row.playbackProgress = 0.5
      row.isPlaying = true
      row.playingIndicatorLocation = .trailing
      row.playbackConfiguration = nil
      row.showsExplicitLabel = false
    }
  }

  @Test("A row of images and its elements report their changes")
  func imageRows() {
    let row = CPListImageRowItem(text: "1", images: [])
    expect(row, ["text", "update", "imageTitles", "elements", "allowsMultipleLines", "userInfo", "isEnabled"]) {
      row.text = "2"
      row.update([.sample])
      row.imageTitles = ["1"]
      row.elements = []
      row.allowsMultipleLines = true
      row.userInfo = 1
      row.isEnabled = false
    }
    let element = CPListImageRowItemRowElement(image: .sample, title: nil, subtitle: nil)
    expect(element, ["image", "isEnabled", "title", "subtitle"]) {
      element.image = .sample
      element.isEnabled = false
      element.title = "1"
      element.subtitle = "2"
    }
  }

  @Test("A list reports new sections and its other properties")
  func lists() {
    let list = CPListTemplate(title: nil, sections: [])
    expect(
      list,
      [
        "updateSections", "emptyViewTitleVariants", "emptyViewSubtitleVariants", "assistantCellConfiguration",
        "showsSpinnerWhileEmpty", "headerGridButtons", "listHeader", "leadingNavigationBarButtons",
        "trailingNavigationBarButtons", "backButton",
      ]
    ) {
      list.updateSections([])
      list.emptyViewTitleVariants = ["None"]
      list.emptyViewSubtitleVariants = ["None"]
      list.assistantCellConfiguration = nil
      list.showsSpinnerWhileEmpty = true
      list.headerGridButtons = []
      list.listHeader = nil
      list.leadingNavigationBarButtons = []
      list.trailingNavigationBarButtons = []
      list.backButton = nil
    }
    let section = CPListSection(items: [])
    expect(section, ["headerImage"]) { section.headerImage = .sample }
  }

  @Test("A message row reports all of its parts")
  func messageRows() {
    let leading = CPMessageListItemLeadingConfiguration(leadingItem: .pin, leadingImage: nil, unread: true)
    let row = CPMessageListItem(
      fullName: "A. Driver", phoneOrEmailAddress: "1", leadingConfiguration: leading, trailingConfiguration: nil,
      detailText: nil, trailingText: nil)
    #expect(row.text == "A. Driver")
    expect(
      row,
      [
        "text", "conversationIdentifier", "phoneOrEmailAddress", "leadingConfiguration", "trailingConfiguration",
        "detailText", "leadingDetailTextImage", "trailingText", "isEnabled", "userInfo",
      ]
    ) {
      row.text = "B. Driver"
      row.conversationIdentifier = "c"
      row.phoneOrEmailAddress = nil
      row.leadingConfiguration = leading
      row.trailingConfiguration = nil
      row.detailText = "1"
      row.leadingDetailTextImage = nil
      row.trailingText = "2"
      row.isEnabled = false
      row.userInfo = 1
    }
  }

  @Test("Buttons report their changes")
  func buttons() {
    let bar = CPBarButton(title: "1", handler: nil)
    expect(bar, ["title", "image", "isEnabled", "buttonStyle"]) {
      bar.title = "2"
      bar.image = .sample
      bar.isEnabled = false
      bar.buttonStyle = .rounded
    }
    let grid = CPGridButton(titleVariants: ["1"], image: .sample, handler: nil)
    expect(grid, ["updateImage", "updateTitleVariants", "isEnabled"]) {
      grid.updateImage(.sample)
      grid.updateTitleVariants(["2"])
      grid.isEnabled = false
    }
    #expect(grid.titleVariants == ["2"])
    let playing = CPNowPlayingShuffleButton(handler: nil)
    expect(playing, ["isEnabled", "isSelected"]) {
      playing.isEnabled = false
      playing.isSelected = true
    }
    let dashboard = CPDashboardController()
    expect(dashboard, ["shortcutButtons"]) {
      dashboard.shortcutButtons = [
        CPDashboardButton(titleVariants: ["Home"], subtitleVariants: [], image: .sample, handler: nil)
      ]
    }
  }

  @Test("A grid, a tab bar and the Now Playing screen report new content")
  func contents() {
    let grid = CPGridTemplate(title: "1", gridButtons: [])
    expect(grid, ["updateTitle", "updateGridButtons"]) {
      grid.updateTitle("2")
      grid.updateGridButtons([CPGridButton(titleVariants: ["1"], image: .sample, handler: nil)])
    }
    #expect(grid.title == "2")
    #expect(grid.gridButtons.count == 1)
    let tabs = CPTabBarTemplate(templates: [])
    expect(tabs, ["updateTemplates"]) { tabs.updateTemplates([grid]) }
    let playing = CPNowPlayingTemplate()
    expect(
      playing,
      [
        "updateNowPlayingButtons", "isUpNextButtonEnabled", "upNextTitle", "isAlbumArtistButtonEnabled",
        "nowPlayingMode",
      ]
    ) {
      playing.updateNowPlayingButtons([CPNowPlayingMoreButton(handler: nil)])
      playing.isUpNextButtonEnabled = true
      playing.upNextTitle = "Queue"
      playing.isAlbumArtistButtonEnabled = true
      playing.nowPlayingMode = nil
    }
  }

  @Test("A controller and a cluster report their changes")
  func controllers() {
    let controller = CPInterfaceController.sample
    expect(controller, ["prefersDarkUserInterfaceStyle"]) { controller.prefersDarkUserInterfaceStyle = true }
    let cluster = CPInstrumentClusterController()
    expect(cluster, ["inactiveDescriptionVariants", "attributedInactiveDescriptionVariants"]) {
      cluster.inactiveDescriptionVariants = ["No route"]
      cluster.attributedInactiveDescriptionVariants = []
    }
  }
}
