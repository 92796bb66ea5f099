// swift-iap2 · Apache-2.0

import CarPlayScreen
import CarPlayTesting
import Testing

@testable import CarPlayHost

extension CarTests {
  /// Tests of rows, their handlers, and the parts of a list that a car cuts.
  @Suite @MainActor
  struct ListTests {
    private func launch(_ settings: CarSettings = .standard, _ root: @escaping @MainActor () -> CPTemplate) async -> Car
    {
      let car = Car(settings)
      await car.launch(.audio) { PlainScene { $0.setRootTemplate(root(), animated: false, completion: nil) } }
      return car
    }

    // Fault 8
    @Test func aHandlerWithoutCompletionHangsTheList() async {
      var kept: [() -> Void] = []
      let slow = CPListItem(text: "Slow", detailText: nil)
      slow.handler = { _, completion in kept.append(completion) }
      var isTapped = false
      let other = CPListItem(text: "Other", detailText: nil)
      other.handler = { _, completion in
        isTapped = true
        completion()
      }
      let car = await launch { CPListTemplate(title: "A", sections: [CPListSection(items: [slow, other])]) }
      car.patience = .zero
      await car.tap("Slow")
      #expect(car.screen.part("Slow")?.hasSpinner == false)
      await car.wait(.seconds(1))
      #expect(car.screen.part("Slow")?.hasSpinner == true)
      await car.tap("Other")
      #expect(!isTapped)
      #expect(car.diagnostics(.completion).isEmpty)
      await car.wait(.seconds(5))
      #expect(
        car.diagnostics(.completion).map(\.what) == ["the completion of row \"Slow\" was not called within 5.0 s"])
      for completion in kept { completion() }
      for completion in kept { completion() }
      await car.settle()
      #expect(car.screen.part("Slow")?.hasSpinner == false)
      await car.tap("Other")
      #expect(isTapped)
    }

    @Test func aReleasedCompletionIsReportedAtOnce() async {
      let car = await launch {
        let row = CPListItem(text: "Row", detailText: nil)
        row.handler = { _, _ in }
        return CPListTemplate(title: "A", sections: [CPListSection(items: [row])])
      }
      await car.tap("Row")
      #expect(car.diagnostics(.completion).map(\.what) == ["the completion of row \"Row\" was released without a call"])
      #expect(car.diagnostics(.completion).first?.place.description.contains("ListTests.swift") == true)
    }

    @Test func aTextOfAnInitializerIsReportedAtItsLine() async throws {
      let long = String(repeating: "Long", count: 60)
      var line = 0
      let car = await launch {
        line = #line + 1
        let button = CPGridButton(titleVariants: [long], image: UIImage(), handler: nil)
        button.isEnabled = true
        return CPGridTemplate(title: "A", gridButtons: [button])
      }
      let found = try #require(car.diagnostics(.text).first { $0.what == "a titleVariants does not fit" })
      #expect(found.place.description.hasSuffix("ListTests.swift:\(line)"), "\(found.place)")
    }

    /// An app's extension of a class of the framework is code of the app.
    @Test func codeInAnExtensionOfTheAppIsOfTheApp() async throws {
      let car = await launch {
        let row = CPListItem.silent()
        return CPListTemplate(title: "A", sections: [CPListSection(items: [row])])
      }
      await car.tap("Silent")
      let place = try #require(car.diagnostics(.completion).first).place.description
      #expect(place.contains("silent"), "\(place)")
    }

    @Test func aNewListAtTheAddressOfAReleasedOneIsNoRefresh() {
      final class List {}
      let clock = CarClock()
      var rates = ChangeRates()
      var addresses: Set<ObjectIdentifier> = []
      var counts: Set<Int> = []
      for _ in 1...100 {
        let list = List()
        addresses.insert(ObjectIdentifier(list))
        counts.insert(rates.note(list, at: clock.now, within: .seconds(10)))
      }
      // The allocator gives an address again, without which this test shows nothing.
      #expect(addresses.count < 100)
      #expect(counts == [1])
      let kept = List()
      #expect((1...3).map { _ in rates.note(kept, at: clock.now, within: .seconds(10)) } == [1, 2, 3])
    }

    /// The list was removed, so a missing completion is not reported.
    @Test func aCompletionThatIsDroppedAtTheDisconnectIsNoHang() async {
      var kept: (() -> Void)?
      let car = Car(.standard)
      await car.launch(.navigation) {
        let scene = MapScene { scene in
          let item = CPListItem(text: "Row", detailText: nil)
          item.handler = { _, completion in kept = completion }
          let list = CPListTemplate(title: "List", sections: [CPListSection(items: [item])])
          scene.controller?.pushTemplate(list, animated: false, completion: nil)
        }
        scene.onDisconnect = { _, _ in kept = nil }
        return scene
      }
      car.patience = .zero
      await car.tap("Row")
      #expect(kept != nil)
      await car.unplug()
      await car.wait(.seconds(60))
      #expect(kept == nil && car.diagnostics(.completion).isEmpty)
    }

    @Test func aCompletionOffTheMainThreadIsReported() async {
      let row = CPListItem(text: "Row", detailText: nil)
      row.handler = { _, completion in
        nonisolated(unsafe) let completion = completion
        DispatchQueue.global().async { unsafe completion() }
      }
      let car = await launch { CPListTemplate(title: "A", sections: [CPListSection(items: [row])]) }
      await car.tap("Row")
      #expect(await car.wait(until: { !car.diagnostics(.thread).isEmpty }))
    }

    @Test func aRowWithoutHandlerDoesNotReact() async {
      let car = await launch { list("A", ["Row"]) }
      await car.tap("Row")
      #expect(car.log.contains { $0.name == "no reaction" })
    }

    @Test func theOldDelegateIsUsedOnlyForRowsWithoutHandler() async {
      final class Chooser: NSObject, CPListTemplateDelegate {
        var chosen: [String] = []
        func listTemplate(
          _ listTemplate: CPListTemplate, didSelect item: CPListItem, completionHandler: @escaping () -> Void
        ) {
          chosen.append(item.text ?? "")
          completionHandler()
        }
      }
      let chooser = Chooser()
      let template = list("A", ["Old"])
      let new = CPListItem(text: "New", detailText: nil)
      new.handler = { _, completion in completion() }
      template.updateSections(template.sections + [CPListSection(items: [new])])
      template.delegate = chooser
      let car = await launch { template }
      await car.tap("Old")
      await car.tap("New")
      #expect(chooser.chosen == ["Old"])
    }

    // Fault 36; row 111
    @Test func theSimulatorAndLimitedCarsShowTwelveRows() async throws {
      for name in ["simulator", "twelve-rows"] {
        let car = await launch(try .profile(name)) { list("A", (1...20).map { "Row \($0)" }) }
        #expect(car.screen.rows.count == 12)
        #expect(car.diagnostics(.cut).map(\.what) == ["20 rows, 12 shown"])
      }
    }

    // Fault 24
    @Test func drivingShortensListsAndBlocksTheKeyboard() async {
      let car = await launch { list("A", (1...20).map { "Row \($0)" }) }
      #expect(car.screen.rows.count == 20)
      await car.drive()
      #expect(CPListTemplate.maximumItemCount == 12)
      #expect(car.screen.rows.count == 12)
      await car.park()
      #expect(car.screen.rows.count == 20)
    }

    // Fault 13
    @Test func newSectionsLoseTheFocusAndNewTextsKeepIt() async throws {
      for updatesText in [false, true] {
        let template = list("A", ["One", "Two", "Three"]) { _ in }
        let car = await launch(try .profile("knob")) { template }
        await car.turn(2)
        #expect(car.screen.focus?.title == "Three")
        if updatesText {
          (template.sections[0].items[2] as? CPListItem)?.setText("Drei")
          await car.settle()
          #expect(car.screen.focus?.title == "Drei")
        } else {
          template.updateSections(template.sections)
          await car.settle()
          #expect(car.screen.focus?.title == "One")
        }
        #expect(car.diagnostics(.focus).isEmpty == updatesText)
      }
    }

    // Fault 15
    @Test func aRowThatChangesTooOftenIsReported() async {
      for count in [3, 20] {
        let item = CPListItem(text: "Row", detailText: nil)
        let car = await launch { CPListTemplate(title: "A", sections: [CPListSection(items: [item])]) }
        for number in 0..<count { item.setDetailText("\(number)") }
        #expect(car.diagnostics(.rate).isEmpty == (count == 3))
      }
    }

    // Fault 14
    @Test func aRemoteImageMayStayAPlaceholder() async throws {
      let png = try #require(UIImage(data: TestImages.png(width: 20, height: 20), scale: 2))
      for chance in [0.0, 1.0] {
        var faults = CarFaults()
        faults.imageFailure = chance
        let item = CPListItem(text: "Row", detailText: nil)
        let car = Car(.standard, faults: faults)
        await car.launch(.audio) {
          PlainScene {
            $0.setRootTemplate(
              CPListTemplate(title: "A", sections: [CPListSection(items: [item])]), animated: false, completion: nil)
          }
        }
        item.setImage(png)
        #expect(car.screen.part("Row")?.marks == [chance == 0 ? "[PNG, 20x20 px]" : "[placeholder]"])
      }
    }

    // Fault 18; row 115
    @Test func imagesOfAWrongSizeOrScaleAreReported() async throws {
      let large = try #require(UIImage(data: TestImages.png(width: 400, height: 400), scale: 2))
      let single = try #require(UIImage(data: TestImages.png(width: 30, height: 30), scale: 1))
      let fine = try #require(UIImage(data: TestImages.png(width: 88, height: 88), scale: 2))
      for (image, word) in [(large, "scaled down"), (single, "blurred"), (fine, nil)] {
        let item = CPListItem(text: "Row", detailText: nil, image: image)
        let car = await launch { CPListTemplate(title: "A", sections: [CPListSection(items: [item])]) }
        let reports = car.diagnostics(.image)
        if let word { #expect(reports.first?.carShows.contains(word) == true) } else { #expect(reports.isEmpty) }
      }
    }

    @Test func hostileTitlesAreCutWithAReport() async {
      let titles = ["\u{202E}evil", "bell\u{07}", String(repeating: "x", count: 10_000_000)]
      let car = await launch { list("A", titles) }
      let screen = car.screen
      #expect(screen.rows[0] == "\u{FFFD}evil")
      #expect(screen.rows[1] == "bell\u{FFFD}")
      #expect(screen.rows[2].count < 100)
      #expect(screen.all(.row)[2].isCut)
      #expect(car.diagnostics(.text).count == 3)
    }

    @Test func titlesOfPicturesAreCutWithAReport() async {
      let picture = UIImage(systemName: "music.note") ?? UIImage()
      let row = CPListImageRowItem(
        text: "New", images: [picture, picture], imageTitles: ["\u{202E}evil", String(repeating: "x", count: 100_000)])
      let car = await launch { CPListTemplate(title: "A", sections: [CPListSection(items: [row])]) }
      let titles = car.screen.all(.picture).map(\.title)
      #expect(titles.first == "\u{FFFD}evil")
      #expect(titles.allSatisfy { $0.count < 100 })
      #expect(car.diagnostics(.text).count == 2)
    }

    @Test func aMessageRowShowsAllOfItsParts() async {
      let car = await launch {
        let rows = [
          CPMessageListItem(
            conversationIdentifier: "1", text: "Anna",
            leadingConfiguration: CPMessageListItemLeadingConfiguration(
              leadingItem: .pin, leadingImage: UIImage(systemName: "star"), unread: true),
            trailingConfiguration: CPMessageListItemTrailingConfiguration(
              trailingItem: .mute, trailingImage: UIImage(systemName: "bell")), detailText: "Hello",
            trailingText: "10:15"),
          CPMessageListItem(
            conversationIdentifier: "2", text: "Ben",
            leadingConfiguration: CPMessageListItemLeadingConfiguration(
              leadingItem: .star, leadingImage: nil, unread: false), trailingConfiguration: nil, detailText: nil,
            trailingText: nil),
        ]
        return CPListTemplate(title: "A", sections: [CPListSection(items: rows)])
      }
      #expect(
        car.screen.all(.row).map(\.marks)
          == [["[star]", "unread", "pin", "mute", "{bell}", "10:15"], ["star"]])
    }

    @Test func aPictureWithoutATitleHasNoCaption() async {
      let picture = UIImage(systemName: "star") ?? UIImage()
      let car = await launch {
        let rows = [
          CPListImageRowItem(text: "A", images: [picture]),
          CPListImageRowItem(text: "B", images: [picture], imageTitles: ["Best"]),
        ]
        return CPListTemplate(title: "A", sections: [CPListSection(items: rows)])
      }
      #expect(car.screen.all(.picture).map(\.title) == ["star", "Best"])
      let texts = ScreenLayout.picture(of: car.screen, on: CarLook()).texts.map(\.text)
      #expect(texts.contains("Best") && !texts.contains("star"))
    }

    @Test func anImageThatLiesAboutItsSizeIsReportedWithItsPlace() async {
      var bytes = TestImages.png(width: 20, height: 20)
      // The width in the header of a PNG.
      bytes[18] = 0x10
      var isMade = true
      let car = await launch {
        isMade = UIImage(data: bytes) != nil
        return list("A")
      }
      #expect(!isMade)
      #expect(car.diagnostics(.image).count == 1)
      #expect(car.diagnostics(.image).first?.carShows == "no image: UIImage's initializer returns nil")
      #expect(car.diagnostics(.image).first?.place.description.contains("ListTests.swift") == true)
    }

    @Test func aScreenIsReadableAndSoIsItsDifference() async {
      let car = await launch {
        let item = CPListItem(text: "Jazz", detailText: "12 albums")
        item.accessoryType = .disclosureIndicator
        item.isPlaying = true
        let off = CPListItem(text: "Off", detailText: nil)
        off.isEnabled = false
        return CPListTemplate(
          title: "Music", sections: [CPListSection(items: [item, off], header: "A", sectionIndexTitle: "A")])
      }
      let before = car.screen
      #expect(
        before.description == """
          list "Music"
            section "A" index A
              row "Jazz" - "12 albums" playing >
              row "Off" (disabled)
          """)
      await car.goHome()
      #expect(before.difference(from: before).isEmpty)
      #expect(car.screen.description == "home\n  icon \"App\"")
      await car.open()
      #expect(car.screen.difference(from: before).isEmpty)
    }

    @Test func aDifferenceShowsTheChangedLines() {
      let old = ScreenNode(.list, "A", children: [ScreenNode(.row, "One"), ScreenNode(.row, "Two")])
      let new = ScreenNode(.list, "A", children: [ScreenNode(.row, "One"), ScreenNode(.row, "Three")])
      #expect(new.difference(from: old) == "  list \"A\"\n-   row \"Two\"\n+   row \"Three\"")
    }

    @Test func aScreenOfManyChangedRowsIsComparedAsAWhole() {
      // One by one, it would be 3.6 thousand million pairs of rows.
      func screen(_ word: String) -> ScreenNode {
        ScreenNode(.list, "A", children: (0..<60_000).map { ScreenNode(.row, "\(word) \($0)") })
      }
      let lines = screen("new").difference(from: screen("old")).split(separator: "\n")
      #expect(lines.count == 120_001 && lines[1] == "-   row \"old 0\"" && lines[120_000] == "+   row \"new 59999\"")
    }

    @Test func aScreenThatReportsTapsOnlyHasPages() async throws {
      let car = await launch(try .profile("field-head")) { list("A", (1...9).map { "Row \($0)" }) }
      #expect(car.screen.rows == ["Row 1", "Row 2"])
      await car.tap("down")
      #expect(car.screen.rows == ["Row 3", "Row 4"])
    }

    /// The tree that a test reads has on each page what the picture shows: everything, and each row once.
    @Test func whatAPageHasFitsOnTheScreen() async throws {
      let car = await launch(try .profile("field-head")) {
        let sections = (1...3).map { number in
          CPListSection(
            items: (1...5).map { row in
              CPListItem(text: "Row \(number)-\(row)", detailText: row % 2 == 0 ? "a second line" : nil)
            }, header: number > 1 ? "Section \(number)" : nil, sectionIndexTitle: nil)
        }
        return CPListTemplate(title: "A", sections: sections)
      }
      var seen: [String] = []
      for _ in 0..<20 {
        let picture = ScreenLayout.picture(of: car.screen, on: car.settings.look)
        #expect(picture.hiddenCount == 0, "\(car.screen)")
        #expect(["up", "down"].allSatisfy { arrow in picture.targets.contains { $0.name == arrow } })
        seen += car.screen.rows
        guard car.screen.part("down")?.isEnabled == true else { break }
        await car.tap("down")
      }
      #expect(seen == (1...3).flatMap { number in (1...5).map { "Row \(number)-\($0)" } })
    }

    @Test func aNinthGridButtonIsCut() async {
      let car = await launch {
        CPGridTemplate(
          title: "Grid",
          gridButtons: (1...9).map {
            CPGridButton(titleVariants: ["B\($0)"], image: UIImage(systemName: "star")!, handler: nil)
          })
      }
      #expect(car.screen.buttons.count == 8)
      #expect(car.diagnostics(.cut).map(\.what) == ["9 grid buttons, 8 shown"])
    }
  }
}

extension CPListItem {
  /// A row whose handler releases its completion.
  fileprivate static func silent() -> CPListItem {
    let row = CPListItem(text: "Silent", detailText: nil)
    row.handler = { _, _ in }
    return row
  }
}
