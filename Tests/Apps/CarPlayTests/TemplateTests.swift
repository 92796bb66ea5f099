// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Testing

@MainActor
struct TemplateTests {
  @Test("A description has the class, the identifier and the tab, as crash reports print them")
  func descriptions() {
    let template = CPListTemplate(title: "List", sections: [])
    template.tabTitle = "Home"
    template.showsTabBadge = true
    let text = template.description
    #expect(text.hasPrefix("<CPListTemplate: 0x"))
    #expect(text.contains("> <identifier: \(template.identifier.uuidString), userInfo: (null), tabTitle: Home"))
    #expect(text.hasSuffix("tabImage: (null), showsTabBadge: 1>"))
  }

  @Test("A description can be read off the main thread")
  func descriptionOffTheMainThread() async {
    let template = CPGridTemplate(title: nil, gridButtons: [])
    let text = await Task.detached { template.description }.value
    #expect(text.contains(template.identifier.uuidString))
  }

  @Test("A template has no system item until the app sets one")
  func systemItems() {
    let template = CPGridTemplate(title: nil, gridButtons: [])
    #expect(template.givenTabSystemItem == nil)
    template.tabSystemItem = .more
    #expect(template.givenTabSystemItem == .more)
  }

  @Test("The path of a row is its section and its position, and nil for another row")
  func paths() {
    let rows = (0..<3).map { CPListItem(text: "\($0)", detailText: nil) }
    let list = CPListTemplate(
      title: nil, sections: [CPListSection(items: [rows[0]]), CPListSection(items: [rows[1], rows[2]])])
    #expect(list.indexPath(for: rows[2]) == IndexPath(indexes: [1, 1]))
    #expect(list.indexPath(for: CPListItem(text: "2", detailText: nil)) == nil)
    #expect(list.sections[1].index(of: rows[1]) == 0)
    #expect(list.sections[0].index(of: rows[1]) == NSNotFound)
  }

  @Test("A tab bar selects its first tab, and asks the car to select another")
  func tabs() {
    RecordingSystem.use { system in
      let tabs = ["A", "B"].map { CPListTemplate(title: $0, sections: []) }
      let bar = CPTabBarTemplate(templates: tabs)
      #expect(bar.selectedTemplate === tabs[0])
      bar.select(tabs[1])
      bar.selectTemplate(at: 0)
      let indices = system.commands.map { command in
        guard case .selectTab(let selected, let index) = command, selected === bar else { return -1 }
        return index
      }
      #expect(indices == [1, 0])
    }
  }

  @Test("A selection of a tab that does not exist has no effect and is reported")
  func missingTabs() {
    RecordingSystem.use { system in
      let bar = CPTabBarTemplate(templates: [CPListTemplate(title: nil, sections: [])])
      bar.select(CPListTemplate(title: nil, sections: []))
      bar.selectTemplate(at: 1)
      bar.selectTemplate(at: -1)
      #expect(system.commands.isEmpty)
      #expect(system.diagnostics.map(\.kind) == [.ignored, .ignored, .ignored])
    }
  }

  @Test("New tabs keep the selected tab if they have it")
  func newTabs() {
    RecordingSystem.use { _ in
      let tabs = ["A", "B", "C"].map { CPListTemplate(title: $0, sections: []) }
      let bar = CPTabBarTemplate(templates: tabs)
      bar.selectedTemplate = tabs[1]
      bar.updateTemplates([tabs[2], tabs[1]])
      #expect(bar.selectedTemplate === tabs[1])
      bar.updateTemplates([tabs[2]])
      #expect(bar.selectedTemplate === tabs[2])
      bar.updateTemplates([])
      #expect(bar.selectedTemplate == nil)
    }
  }

  @Test("Each initialiser of an image row keeps the elements of its kind")
  func imageRows() {
    let condensed = CPListImageRowItemCondensedElement(
      image: .sample, imageShape: .circular, title: "1", subtitle: nil, accessorySymbolName: "play")
    let grid = CPListImageRowItemImageGridElement(
      image: .sample, imageShape: .roundedRectangle, title: "2", accessorySymbolName: nil)
    let card = CPListImageRowItemCardElement(
      thumbnail: CPThumbnailImage(image: .sample, imageOverlay: nil, sportsOverlay: nil), title: nil, subtitle: nil,
      tintColor: nil)
    let rows = [
      CPListImageRowItem(text: nil, condensedElements: [condensed], allowsMultipleLines: true),
      CPListImageRowItem(text: nil, imageGridElements: [grid], allowsMultipleLines: true),
      CPListImageRowItem(text: nil, cardElements: [card], allowsMultipleLines: true),
      CPListImageRowItem(text: nil, gridElements: [.init(image: .sample)], allowsMultipleLines: true),
      CPListImageRowItem(
        text: nil, elements: [.init(image: .sample, title: nil, subtitle: nil)], allowsMultipleLines: true),
    ]
    #expect(rows.map(\.elements.count) == [1, 1, 1, 1, 1])
    #expect(rows[0].elements == [condensed])
    #expect(rows.allSatisfy { $0.gridImages.isEmpty && $0.allowsMultipleLines })
  }

  @Test("The old forms of a row are the accessory and the explicit mark")
  func oldForms() {
    let row = CPListItem(text: "1", detailText: nil, image: nil, showsDisclosureIndicator: true)
    #expect(row.accessoryType == .disclosureIndicator)
    row.accessoryType = .none
    #expect(!row.showsDisclosureIndicator)
    row.showsExplicitLabel = true
    #expect(row.isExplicitContent)
  }

  @Test("A session configuration is announced to the system and reads the system's state")
  func sessionConfigurations() {
    RecordingSystem.use { system in
      final class Delegate: NSObject, CPSessionConfigurationDelegate {}
      let delegate = Delegate()
      let configuration = CPSessionConfiguration(delegate: delegate)
      let observed = system.commands.compactMap { command in
        if case .observeSession(let observed) = command { observed } else { nil }
      }
      #expect(observed == [configuration])
      #expect(configuration.delegate === delegate)
      system.session = SessionState(limitedUserInterfaces: .lists, contentStyle: .dark, supportsVideoPlayback: true)
      #expect(configuration.limitedUserInterfaces == .lists)
      #expect(configuration.contentStyle == .dark)
      #expect(configuration.supportsVideoPlayback)
    }
  }

  @Test("A scene gives its window a way back to it")
  func scenes() {
    let scene = CPTemplateApplicationScene.sample(CPInterfaceController.sample)
    #expect(scene.carWindow.templateApplicationScene === scene)
    #expect(scene.session.role == .carTemplateApplication)
    #expect(
      CPTemplateApplicationDashboardSceneSessionRoleApplication.rawValue
        == "CPTemplateApplicationDashboardSceneSessionRoleApplication")
  }
}
