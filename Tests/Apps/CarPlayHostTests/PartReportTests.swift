// swift-iap2 · Apache-2.0

import CarPlayTesting
import Testing

extension CarTests {
  /// Tests of the reports that belong to a part of the screen, and of the images that a screen shows.
  @Suite @MainActor
  struct PartReportTests {
    /// Returns the texts of the reports of each part that has some, with the part's kind.
    private func reports(_ car: Car) -> [String] {
      let parts = car.screen.all
      return car.host.partReports().map {
        "\(parts[$0.part].kind.rawValue): \(car.host.diagnostics[$0.report].what)"
      }
    }

    private static let long = String(repeating: "long ", count: 40)

    @Test("A cut text is reported at its part, and a cut count at the part around")
    func list() async {
      var settings = CarSettings.standard
      settings.limits.maximumItemCount = 2
      let car = Car(settings)
      await car.launch(.audio) {
        PlainScene { controller in
          let rows = ["A", Self.long, "C"].map { CPListItem(text: $0, detailText: nil) }
          let section = CPListSection(items: rows, header: Self.long, sectionIndexTitle: nil)
          controller.setRootTemplate(
            CPListTemplate(title: "Songs", sections: [section]), animated: false, completion: nil)
        }
      }
      #expect(
        reports(car) == ["list: 3 rows, 2 shown", "section: a header does not fit", "row: a text does not fit"])
      #expect(car.screen.all.filter(\.isCut).map(\.kind) == [.section, .row])
      // The reports of an unchanged screen stay with their parts, and are not made again.
      let count = car.host.diagnostics.count
      #expect(reports(car).count == 3 && car.host.diagnostics.count == count)
    }

    @Test("A button of the map and of a grid has its own report")
    func buttons() async {
      let car = Car(.standard)
      let scene = MapScene { scene in
        scene.map.mapButtons = [CPMapButton { _ in }]
        scene.map.trailingNavigationBarButtons = [CPBarButton(title: Self.long) { _ in }]
      }
      await car.launch(.navigation) { scene }
      #expect(reports(car) == ["button: a title does not fit", "map button: map button 1 has no image"])
      let button = CPGridButton(titleVariants: [Self.long], image: UIImage()) { _ in }
      scene.controller?.pushTemplate(
        CPGridTemplate(title: Self.long, gridButtons: [button]), animated: false, completion: nil)
      await car.settle()
      #expect(reports(car).contains("grid: a title does not fit"))
      #expect(reports(car).contains("button: a titleVariants does not fit"))
      // Each part that an app's text is too long for has a reason.
      let explained = Set(car.host.partReports().map(\.part))
      #expect(car.screen.all.enumerated().allSatisfy { !$1.isCut || explained.contains($0) })
    }

    @Test("An alert and its actions have their reasons")
    func alerts() async {
      let car = Car(.standard)
      let scene = MapScene()
      await car.launch(.navigation) { scene }
      let actions = [Self.long, "OK", "Cancel"].map { CPAlertAction(title: $0, style: .default) { _ in } }
      scene.controller?.presentTemplate(
        CPAlertTemplate(titleVariants: [String(repeating: Self.long, count: 4)], actions: actions.reversed()),
        animated: false, completion: nil)
      await car.settle()
      #expect(
        Set(reports(car)) == [
          "alert: a titleVariants does not fit", "alert: 3 alert actions, 2 shown",
          "action: a action title does not fit",
        ])
    }

    private func image(_ width: UInt32) throws -> UIImage {
      try #require(UIImage(data: TestImages.png(width: width, height: 40), scale: 2))
    }

    @Test("Images that no screen shows make room, and come again when they are shown again")
    func forgottenImages() throws {
      let images = try (0..<3).map { try image(40 + UInt32($0)) }
      let size = TestImages.png(width: 42, height: 40).count
      var store = ImageStore(maximumTotal: 2 * size)
      let names = images.prefix(2).map { store.id(of: $0) ?? "" }
      let added = store.take().added.map(\.id)
      #expect(added == names && Set(names).count == 2)
      // The first image is shown on; the second one makes room.
      let again = store.id(of: images[0])
      #expect(again == names[0])
      let third = store.id(of: images[2]) ?? ""
      var changes = store.take()
      #expect(changes.added.map(\.id) == [third] && changes.forgotten == [names[1]])
      #expect(Set(store.images.keys) == [names[0], third])
      // The forgotten one has its name again, with its bytes.
      let returned = store.id(of: images[1])
      #expect(returned == names[1])
      changes = store.take()
      #expect(changes.added.map(\.id) == [names[1]] && changes.forgotten.count == 1)
      #expect(Set(changes.forgotten).isSubset(of: [names[0], third]))
    }

    @Test("Images of the present screen are not forgotten, and one without room has no name")
    func presentImages() throws {
      let images = try (0..<3).map { try image(40 + UInt32($0)) }
      var store = ImageStore(maximumTotal: 2 * TestImages.png(width: 42, height: 40).count)
      let hasName = images.map { store.id(of: $0) != nil }
      #expect(hasName == [true, true, false])
      let changes = store.take()
      #expect(changes.added.count == 2 && changes.forgotten.isEmpty)
    }
  }
}
