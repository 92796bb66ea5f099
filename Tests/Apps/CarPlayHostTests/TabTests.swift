// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// Tests of tabs, each with its own stack.
  @Suite @MainActor
  struct TabTests {
    private func audio(_ onConnect: @escaping @MainActor (CPInterfaceController) -> Void) async -> Car {
      let car = Car(.standard)
      await car.launch(.audio) { PlainScene(onConnect) }
      return car
    }

    // Fault 12
    @Test func aFifthTabEndsAnAudioAppButNotACommunicationApp() async {
      for category in [AppCategory.audio, .communication] {
        let car = Car(.standard)
        await car.launch(category) {
          PlainScene { controller in
            let tabs = (1...5).map { list("Tab \($0)") }
            controller.setRootTemplate(CPTabBarTemplate(templates: tabs), animated: false, completion: nil)
          }
        }
        #expect((car.exception == .tooManyTabs(5, maximum: 4)) == (category == .audio))
      }
    }

    @Test func eachTabHasAStackOfItsOwn() async {
      let car = await audio { controller in
        let music = list("My music", ["Albums"]) { _ in
          controller.pushTemplate(list("Albums"), animated: true, completion: nil)
        }
        let tabs = CPTabBarTemplate(templates: [music, list("Library", ["Songs"])])
        controller.setRootTemplate(tabs, animated: true, completion: nil)
      }
      #expect(
        car.screen.description == """
          tabs
            list
              row "Albums"
            tab "My music" (selected)
            tab "Library"
          """)
      await car.tap("Albums")
      #expect(car.screen.kind == .list)
      await car.back()
      await car.tap("Library")
      #expect(car.screen.rows == ["Songs"])
    }

    @Test func aPopIntoAnotherTabIsAnError() async {
      let albums = list("Albums")
      var errors: [String] = []
      var tabs: CPTabBarTemplate?
      let car = await audio { controller in
        let music = list("My music", ["Albums"]) { _ in
          controller.pushTemplate(albums, animated: false, completion: nil)
        }
        let library = list("Library", ["Back"]) { _ in
          controller.pop(to: albums, animated: false) { isDone, error in
            if !isDone { errors.append(error?.localizedDescription ?? "") }
          }
        }
        let both = CPTabBarTemplate(templates: [music, library])
        tabs = both
        controller.setRootTemplate(both, animated: false, completion: nil)
      }
      await car.tap("Albums")
      tabs?.selectTemplate(at: 1)
      await car.settle()
      await car.tap("Back")
      #expect(errors == [TemplateError.notOnStack.text])
    }

    @Test func newTabsObeyTheRulesAndLoseTheStacksOfOldOnes() async {
      for isAllowed in [true, false] {
        let tabs = CPTabBarTemplate(templates: [list("Radio")])
        var depth = 0
        let radio = list("Music", ["Albums"])
        let car = await audio { controller in
          let row = CPListItem(text: "Albums", detailText: nil)
          row.handler = { _, completion in
            controller.pushTemplate(list("Albums", ["Song"]), animated: false) { _, _ in
              tabs.updateTemplates([isAllowed ? list("Library", ["New"]) : CPMapTemplate()])
              depth = controller.templates.count
              completion()
            }
          }
          radio.updateSections([CPListSection(items: [row])])
          tabs.updateTemplates([radio])
          controller.setRootTemplate(tabs, animated: false, completion: nil)
        }
        await car.tap("Albums", .row)
        #expect((car.exception == nil) == isAllowed)
        guard isAllowed else { continue }
        #expect(depth == 1)
        #expect(car.screen.rows == ["New"])
        tabs.updateTemplates([radio])
        await car.settle()
        #expect(car.screen.rows == ["Albums"])
      }
    }

    @Test func aChangeGoesToTheTabThatWasSelectedAtTheCall() async {
      let tabs = CPTabBarTemplate(templates: [list("Music", ["Song"]), list("News", ["Story"])])
      var controller: CPInterfaceController?
      let car = await audio {
        controller = $0
        $0.setRootTemplate(tabs, animated: false, completion: nil)
      }
      controller?.pushTemplate(list("Albums", ["First"]), animated: false, completion: nil)
      tabs.selectTemplate(at: 1)
      await car.settle()
      #expect(car.screen.rows == ["Story"])
      controller?.popTemplate(animated: false) { isDone, _ in #expect(!isDone, "News has nothing to pop") }
      await car.settle()
      await car.tap("Music", .tab)
      #expect(car.screen.rows == ["First"])
    }

    @Test func aSelectedTabThatIsTakenAwayDisappears() async {
      let notes = AppearanceNotes()
      let tabs = CPTabBarTemplate(templates: [list("Music"), list("News")])
      var controller: CPInterfaceController?
      let car = await audio {
        controller = $0
        $0.setRootTemplate(tabs, animated: false, completion: nil)
      }
      controller?.pushTemplate(list("Albums"), animated: false, completion: nil)
      await car.settle()
      controller?.delegate = notes
      tabs.updateTemplates([list("Radio", ["Station"])])
      await car.settle()
      #expect(car.screen.rows == ["Station"])
      #expect(notes.notes.prefix(2).contains("will disappear Albums"))
      #expect(notes.notes.contains("did appear CPTabBarTemplate"))
    }

    @Test func aTemplateForTwoTabsIsReportedAndSelectedOnce() async {
      let music = list("Music")
      let car = await audio {
        $0.setRootTemplate(CPTabBarTemplate(templates: [music, music]), animated: false, completion: nil)
      }
      #expect(car.screen.all(.tab).map(\.isSelected) == [true, false])
      #expect(car.diagnostics(.setup).map(\.what) == ["a template is given for two tabs"])
    }

    /// The car's own selection is one call, whatever the delegate does in it.
    @Test func aDelegateThatChangesTheTabsIsCalledOnce() async {
      let changer = TabChanger()
      let tabs = CPTabBarTemplate(templates: [list("Home"), list("Library")])
      tabs.delegate = changer
      let car = await audio { $0.setRootTemplate(tabs, animated: false, completion: nil) }
      #expect(changer.selected == ["Home"])
      #expect(car.screen.all(.tab).map(\.isSelected) == [false, true])
    }

    // BookPlayer and Latvijas Radio (CarPlay/Apps.md#first-tab)
    @Test(arguments: [true, false]) func aListThatIsFilledInDidSelectIsFilledOnTheFirstTab(isCalled: Bool) async {
      let filler = TabFiller()
      var settings = CarSettings.standard
      settings.behavior.firstTabCalls = isCalled
      let car = Car(settings)
      let tabs = CPTabBarTemplate(templates: [list("Home"), list("Library")])
      tabs.delegate = filler
      await car.launch(.audio) {
        PlainScene { $0.setRootTemplate(tabs, animated: false, completion: nil) }
      }
      #expect(filler.selected == (isCalled ? ["Home"] : []))
      #expect(car.screen.rows == (isCalled ? ["Row of Home"] : []))
      await car.tap("Library", .tab)
      #expect(car.screen.rows == ["Row of Library"])
      // The same selection after an update is no new one; the tab that replaces a removed one is.
      tabs.updateTemplates(tabs.templates.reversed())
      await car.settle()
      tabs.updateTemplates([list("News")])
      await car.settle()
      #expect(filler.selected == (isCalled ? ["Home", "Library", "News"] : ["Library"]))
    }

    // react-native-carplay 112, 144 and 222
    @Test(arguments: [true, false]) func aTabThatTheAppDoesNotDescribeShowsMore(showsMore: Bool) async {
      var settings = CarSettings.standard
      settings.behavior.untitledTabsShowMore = showsMore
      let car = Car(settings)
      let untitled = CPListTemplate(title: "Stations", sections: [])
      let drawn = CPListTemplate(title: "Recent", sections: [])
      drawn.tabImage = UIImage(systemName: "clock")
      let system = CPListTemplate(title: nil, sections: [])
      system.tabSystemItem = .search
      await car.launch(.audio) {
        PlainScene {
          $0.setRootTemplate(
            CPTabBarTemplate(templates: [untitled, drawn, system]), animated: false, completion: nil)
        }
      }
      #expect(car.screen.all(.tab).map(\.title) == [showsMore ? "More" : "Stations", "Recent", "Search"])
      #expect(
        car.diagnostics(.cut).map(\.what)
          == (showsMore ? ["a tab has no tabTitle, no tabImage and no tabSystemItem"] : []))
    }
  }
}

/// A delegate that gives all tabs again when one is selected, and selects the last one in its first call.
@MainActor
private final class TabChanger: NSObject, CPTabBarTemplateDelegate {
  var selected: [String] = []

  func tabBarTemplate(_ tabBarTemplate: CPTabBarTemplate, didSelect selectedTemplate: CPTemplate) {
    selected.append((selectedTemplate as? CPListTemplate)?.title ?? "")
    guard selected.count < 10 else { return }
    tabBarTemplate.updateTemplates(tabBarTemplate.templates)
    if selected.count == 1, let last = tabBarTemplate.templates.last { tabBarTemplate.select(last) }
  }
}

/// A delegate that fills a tab only when it is selected.
@MainActor
private final class TabFiller: NSObject, CPTabBarTemplateDelegate {
  var selected: [String] = []

  func tabBarTemplate(_ tabBarTemplate: CPTabBarTemplate, didSelect selectedTemplate: CPTemplate) {
    guard let list = selectedTemplate as? CPListTemplate, let title = list.title else { return }
    selected.append(title)
    list.updateSections([CPListSection(items: [CPListItem(text: "Row of \(title)", detailText: nil)])])
  }
}
