// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Testing

@MainActor
struct LimitTests {
  @Test("A list keeps every row that the app gives, also those that no car shows")
  func listsAreNotCut() {
    RecordingSystem.use { system in
      system.settings.limits.maximumItemCount = 2
      system.settings.limits.maximumSectionCount = 1
      let rows = (1...5).map { CPListItem(text: "\($0)", detailText: nil) }
      let list = CPListTemplate(title: nil, sections: [CPListSection(items: rows), CPListSection(items: [])])
      #expect(list.sectionCount == 2)
      #expect(list.itemCount == 5)
      #expect(system.diagnostics.isEmpty)
    }
  }

  @Test("The counts and sizes that apps read are those of the car")
  func countsAndSizes() {
    RecordingSystem.use { system in
      system.settings.limits.maximumItemCount = 24
      system.settings.limits.maximumSectionCount = 7
      system.settings.limits.maximumGridImages = 5
      system.settings.limits.maximumHeaderGridButtons = 3
      system.settings.limits.maximumAlertActions = 4
      system.settings.limits.maximumGridButtons = 6
      system.settings.imageSizes.listItem = CGSize(width: 50, height: 51)
      system.settings.imageSizes.imageRow = CGSize(width: 60, height: 61)
      system.settings.imageSizes.messageItem = CGSize(width: 70, height: 71)
      #expect(CPListTemplate.maximumItemCount == 24)
      #expect(CPListTemplate.maximumSectionCount == 7)
      #expect(CPMaximumNumberOfGridImages == 5)
      #expect(CPListTemplate.maximumHeaderGridButtonCount == 3)
      #expect(CPAlertTemplate.maximumActionCount == 4)
      #expect(CPGridTemplateMaximumItems == 6)
      #expect(CPListItem.maximumImageSize == CGSize(width: 50, height: 51))
      #expect(CPListImageRowItem.maximumImageSize == CGSize(width: 60, height: 61))
      #expect(CPListImageRowItemRowElement.maximumImageSize == CGSize(width: 60, height: 61))
      #expect(CPMaximumMessageItemImageSize == CGSize(width: 70, height: 71))
    }
  }

  @Test("The published counts and sizes are the defaults")
  func publishedDefaults() {
    RecordingSystem.use { _ in
      #expect(CPGridTemplateMaximumItems == 8)
      #expect(CPNowPlayingButtonMaximumImageSize == CGSize(width: 20, height: 20))
      #expect(CPGridTemplate.maximumGridButtonImageSize == CGSize(width: 40, height: 40))
      #expect(CPMaximumListItemImageSize == CGSize(width: 44, height: 44))
    }
  }

  @Test("A list has fewer rows while the car limits lists")
  func limitedLists() {
    RecordingSystem.use { system in
      system.settings.limits.maximumItemCount = 50
      system.settings.limits.maximumItemCountWhileLimited = 12
      system.session.limitedUserInterfaces = [.keyboard]
      #expect(CPListTemplate.maximumItemCount == 50)
      system.session.limitedUserInterfaces = [.keyboard, .lists]
      #expect(CPListTemplate.maximumItemCount == 12)
      system.settings.limits.maximumItemCount = 8
      #expect(CPListTemplate.maximumItemCount == 8)
    }
  }

  @Test(
    "The number of tabs is that of the app's category",
    arguments: [(.audio, 4), (.communication, 5), (.navigation, 5)] as [(AppCategory, Int)])
  func tabsByCategory(category: AppCategory, count: Int) {
    RecordingSystem.use { system in
      system.categories = [category]
      #expect(CPTabBarTemplate.maximumTabCount == count)
      let tabs = (1...count).map { CPListTemplate(title: "\($0)", sections: []) }
      _ = CPTabBarTemplate(templates: tabs)
      #expect(system.exceptions.isEmpty)
      let bar = CPTabBarTemplate(templates: tabs + [CPListTemplate(title: "+", sections: [])])
      #expect(system.exceptions == [.tooManyTabs(count + 1, maximum: count)])
      #expect(bar.templates.count == count + 1)
      bar.updateTemplates(bar.templates)
      #expect(system.exceptions.count == 2)
    }
  }

  @Test("A car's own number of tabs goes before that of the category")
  func tabsOfTheCar() {
    RecordingSystem.use { system in
      system.categories = [.audio]
      system.settings.limits.maximumTabCount = 3
      #expect(CPTabBarTemplate.maximumTabCount == 3)
    }
  }

  @Test("A row beyond a section raises and is an empty row")
  func rowBeyondTheSection() {
    RecordingSystem.use { system in
      let section = CPListSection(items: [CPListItem(text: "1", detailText: nil)])
      #expect(section.item(at: 0).text == "1")
      #expect(section.item(at: 1).text == nil)
      #expect(section.item(at: -1).text == nil)
      #expect(system.exceptions.map(\.name) == ["NSRangeException", "NSRangeException"])
    }
  }
}
