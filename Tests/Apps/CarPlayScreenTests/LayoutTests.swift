// swift-iap2 · Apache-2.0

import CarPlayPlatform
import CarPlayProfiles
import CarPlayScreen
import Foundation
import Testing

/// Tests of invariants of every picture, for every car, style and screen.
@Suite struct LayoutTests {
  /// The cars of the package, each with touch and with a knob, on both sides of the road.
  private static let cars: [CarSettings] = {
    do {
      return try CarProfiles.names.flatMap { name in
        let settings = try CarProfiles.settings(name)
        return [DrivingSide.left, .right].flatMap { side in
          [Set<CarInput>([.touch]), [.knob]].map { inputs in
            var car = settings
            car.screen.drivingSide = side
            car.inputs = inputs
            return car
          }
        }
      }
    } catch { preconditionFailure("\(error)") }
  }()

  private func forAll(_ check: (DrawList, String) -> Void) {
    for (name, screen) in SampleScreens.all {
      for car in Self.cars {
        let isSmall = screen.kind == .dashboard || screen.kind == .cluster
        let list = ScreenLayout.picture(of: screen, on: isSmall ? car.look.dashboard : car.look)
        check(list, "\(name), \(car.name), \(car.screen.drivingSide), \(car.inputs.map(\.rawValue))")
      }
    }
  }

  @Test func `every text has a contrast of 4.5 to its ground in both styles`() {
    var pairs: Set<[Ink]> = []
    forAll { list, _ in for text in list.texts { pairs.insert([text.ink, text.ground]) } }
    #expect(pairs.count >= 8)
    for pair in pairs {
      for style in [CarStyle.light, .dark] {
        let contrast = pair[0].color(style).contrast(with: pair[1].color(style))
        #expect(contrast >= 4.5, "\(pair[0]) on \(pair[1]), \(style): \(contrast)")
      }
    }
  }

  /// The examples of WCAG 2: black on white, and the gray that barely passes.
  @Test func `contrast is computed as WCAG does`() {
    let white = Ink.card.color(.light)
    #expect(white == Ink.onAccent.color(.light))
    #expect(abs(white.contrast(with: white) - 1) < 1e-9)
    let text = Ink.text.color(.light)
    #expect((15...21).contains(text.contrast(with: white)))
  }

  @Test func `every target has 44 points, lies on the screen and covers no other`() {
    forAll { list, name in
      let screen = Box(0, 0, list.width, list.height)
      for (index, target) in list.targets.enumerated() {
        #expect(target.box.width >= 43.99 && target.box.height >= 43.99, "\(name): \(target)")
        #expect(screen.contains(target.box), "\(name): \(target)")
        for other in list.targets[..<index] {
          #expect(!target.box.overlaps(other.box), "\(name): \(target) and \(other)")
        }
      }
    }
  }

  @Test func `texts lie on the screen, in boxes as high as their lines, and cover no other`() {
    forAll { list, name in
      let screen = Box(0, 0, list.width, list.height)
      let texts = list.texts
      for (index, text) in texts.enumerated() {
        #expect(screen.contains(text.box), "\(name): \(text)")
        #expect(text.box.height >= text.style.lineHeight * Double(text.lines) - 0.01, "\(name): \(text)")
        for other in texts[..<index] {
          #expect(!text.box.overlaps(other.box), "\(name): \(text) and \(other)")
        }
      }
    }
  }

  @Test func `every part with a word of its own is shown, or counted as hidden`() {
    forAll { list, name in
      let shown = Set(list.texts.map(\.text)).union(list.targets.map(\.name))
      guard let screen = SampleScreens.all.first(where: { name.hasPrefix($0.name + ",") })?.screen else { return }
      let kinds: Set<ScreenNode.Kind> = [.row, .action, .mapButton, .tab, .point, .back, .command, .option, .result]
      let missing = screen.all.filter { kinds.contains($0.kind) && !$0.title.isEmpty && !shown.contains($0.title) }
      #expect(missing.count <= list.hiddenCount, "\(name): \(missing.map(\.title)), hidden \(list.hiddenCount)")
    }
  }

  @Test func `the focus is always among what is shown`() throws {
    let rows = (0..<30).map { ScreenNode(.row, "Row \($0)", isFocused: $0 == 22) }
    for car in Self.cars {
      let list = ScreenLayout.picture(of: ScreenNode(.list, "Many", children: rows), on: car.look)
      #expect(list.targets.count { $0.isFocused } == 1, "\(car.name)")
      #expect(list.hiddenCount > 0 || list.targets.count >= 30)
    }
  }

  @Test func `a list scrolls row by row to its last row, and no further`() throws {
    let rows = (0..<30).map { ScreenNode(.row, "Row \($0)", detail: $0 % 3 == 0 ? "two lines" : "") }
    for car in Self.cars where !car.look.movesFocus {
      func picture(_ scroll: Int) -> DrawList {
        ScreenLayout.picture(of: ScreenNode(.list, "Many", children: rows), on: car.look, scroll: scroll)
      }
      func shown(_ list: DrawList) -> [String] { list.targets.map(\.name).filter { $0.hasPrefix("Row") } }
      let last = picture(0).lastFirstRow
      #expect(last > 0 && last < 30, "\(car.name)")
      for scroll in 0...last {
        let names = shown(picture(scroll))
        #expect(names.first == "Row \(scroll)", "\(car.name)")
        #expect((names.last == "Row 29") == (scroll == last), "\(car.name): \(scroll)")
      }
      #expect(shown(picture(1000)) == shown(picture(last)) && shown(picture(-9)) == shown(picture(0)), "\(car.name)")
    }
    #expect(
      ScreenLayout.picture(of: ScreenNode(.list, children: Array(rows.prefix(2))), on: CarLook()).lastFirstRow == 0)
  }

  @Test func `a screen of words from right to left is the mirror of one from left to right`() throws {
    let car = CarSettings()
    func screen(_ word: String) -> ScreenNode {
      ScreenNode(.list, word, children: [ScreenNode(.back, word), ScreenNode(.row, word, marks: ["[radio]", ">"])])
    }
    let (latin, hebrew) = (
      ScreenLayout.picture(of: screen("abc"), on: car.look), ScreenLayout.picture(of: screen("אבג"), on: car.look)
    )
    let area = car.screen.appArea
    for (left, right) in zip(latin.targets, hebrew.targets) where left.name != "home" {
      #expect(abs((left.box.x - area.minX) - (area.maxX - right.box.right)) < 0.01)
    }
    // The back symbol points against the reading direction.
    func first(_ list: DrawList) -> Symbol? {
      list.items.lazy.compactMap { if case .symbol(let symbol, _, _) = $0 { symbol } else { nil } }.first
    }
    #expect(first(latin) == .back && first(hebrew) == .forward)
  }

  @Test func `cards stand on the driver's side and map buttons on the other`() throws {
    for side in [DrivingSide.left, .right] {
      var car = CarSettings()
      car.screen.drivingSide = side
      let list = ScreenLayout.picture(of: SampleScreens.guidance, on: car.look)
      let button = try #require(list.targets.first { $0.name == "location" }).box
      let card = try #require(list.texts.first { $0.text == "300 m" }).box
      #expect((card.x < button.x) == (side == .left))
    }
  }

  @Test func `a text that does not fit is announced`() {
    let long = String(repeating: "wide ", count: 40)
    let list = ScreenLayout.picture(of: ScreenNode(.list, "A", children: [ScreenNode(.row, long)]), on: CarLook())
    #expect(list.cutTexts == [long])
    #expect(ScreenLayout.picture(of: SampleScreens.list, on: CarLook()).cutTexts.isEmpty)
  }

  @Test func `a spinner turns by the phase, and nothing else does`() {
    let waiting = ScreenNode(.list, "A", children: [ScreenNode(.row, "B", hasSpinner: true)])
    for (screen, turns) in [(waiting, true), (SampleScreens.list, false)] {
      let pictures = (0...3).map { ScreenLayout.picture(of: screen, on: CarLook(), phase: $0) }
      #expect(Set(pictures).count == (turns ? 3 : 1) && pictures[3] == pictures[0])
      for picture in pictures {
        let changes = zip(picture.items, pictures[0].items).count { $0 != $1 }
        #expect(changes == (picture == pictures[0] ? 0 : 1) && picture.texts == pictures[0].texts)
      }
    }
  }

  // Names of images in CoMaps, MapLibre and BookPlayer, and words of titles
  @Test(arguments: [
    "carplay_search", "ic_carplay_settings", "carplay.chevron.left", "carplay", "cartoon", "starter", "playlist",
    "display", "headphones", "smartphone", "address", "Search", "car wash", "", ".", "fill", ".fill",
  ]) func `only a whole name is a symbol`(name: String) { #expect(Symbol(imageNamed: name) == nil) }

  @Test(arguments: [
    ("car", Symbol.car), ("car.fill", .car), ("star.circle.fill", .star), ("plus.magnifyingglass", .plus),
    ("play.fill", .play), ("dpad.fill", .move), ("list.bullet", .list), ("arrow.turn.up.right", .turnRight),
    ("road.lanes", .lanes), ("gearshape.fill", .gear), ("mic", .microphone), ("search", .search),
  ]) func `the variants of a symbol are drawn as the symbol`(name: String, symbol: Symbol) {
    #expect(Symbol(imageNamed: name) == symbol)
  }

  @Test func `every symbol lies in its square`() {
    for symbol in Symbol.allCases {
      let shape = symbol.shape
      let points = (shape.lines + shape.areas).flatMap { $0 }
      #expect(!points.isEmpty || !shape.circles.isEmpty, "\(symbol)")
      for point in points { #expect((2...22).contains(point.x) && (2...22).contains(point.y), "\(symbol)") }
    }
  }
}
