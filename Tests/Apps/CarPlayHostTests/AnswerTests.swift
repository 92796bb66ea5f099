// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// Tests of apps that answer the car after work in real time.
  @Suite @MainActor
  struct AnswerTests {
    /// A search whose results come from another thread, after a pause for further letters.
    private final class SlowSearch: NSObject, CPSearchTemplateDelegate {
      func searchTemplate(
        _ searchTemplate: CPSearchTemplate, updatedSearchText searchText: String,
        completionHandler: @escaping ([CPListItem]) -> Void
      ) {
        Task {
          try? await Task.sleep(for: .milliseconds(20))
          let found = await Task.detached { ["\(searchText) 1", "\(searchText) 2"] }.value
          completionHandler(found.map { CPListItem(text: $0, detailText: nil) })
        }
      }

      func searchTemplate(
        _ searchTemplate: CPSearchTemplate, selectedResult item: CPListItem, completionHandler: @escaping () -> Void
      ) {
        Task {
          try? await Task.sleep(for: .milliseconds(20))
          item.setDetailText("chosen")
          completionHandler()
        }
      }
    }

    @Test("Verbs wait for results and completions that need real time")
    func answersInRealTime() async {
      let search = SlowSearch()
      let car = Car(.standard)
      await launch(search, on: car)
      await car.type("cafe")
      #expect(car.screen.rows.first == "cafe 1")
      await car.tap("cafe 1")
      #expect(car.screen.part("cafe 1")?.detail == "chosen")
      #expect(!car.log.contains { $0.name == "no answer" })
    }

    @Test("A completion that does not come within the car's patience is noted, once")
    func patience() async {
      var kept: (() -> Void)?
      let row = CPListItem(text: "Row", detailText: nil)
      row.handler = { _, completion in kept = completion }
      let car = Car(.standard)
      car.patience = .milliseconds(20)
      await car.launch(.audio) { PlainScene { $0.setRootTemplate(list(row), animated: false, completion: nil) } }
      await car.tap("Row")
      await car.settle()
      #expect(
        car.log.filter { $0.name == "no answer" }.map(\.detail) == [
          "the completion of row \"Row\" did not come within 0.02 seconds of real time"
        ])
      kept?()
      await car.settle()
      #expect(car.diagnostics.isEmpty)
    }

    @Test("A search whose app lets go of its completion is not waited for")
    func released() async {
      final class Forgetful: NSObject, CPSearchTemplateDelegate {
        func searchTemplate(
          _ searchTemplate: CPSearchTemplate, updatedSearchText searchText: String,
          completionHandler: @escaping ([CPListItem]) -> Void
        ) {}
        func searchTemplate(
          _ searchTemplate: CPSearchTemplate, selectedResult item: CPListItem, completionHandler: @escaping () -> Void
        ) {}
      }
      let search = Forgetful()
      let car = Car(.standard)
      car.patience = .seconds(60)
      await launch(search, on: car)
      await car.type("cafe")
      #expect(!car.log.contains { $0.name == "no answer" })
    }

    private func launch(_ search: any CPSearchTemplateDelegate, on car: Car) async {
      await car.launch(.navigation) {
        MapScene { scene in
          let template = CPSearchTemplate()
          template.delegate = search
          scene.controller?.pushTemplate(template, animated: true, completion: nil)
        }
      }
    }

    private func list(_ row: CPListItem) -> CPListTemplate {
      CPListTemplate(title: "List", sections: [CPListSection(items: [row])])
    }
  }
}
