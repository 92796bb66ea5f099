// swift-iap2 · Apache-2.0

import Basics
import CarPlayPlatform
import CarPlayScreen
import Foundation
import Testing

/// Random trees that exceed the host's limits. Each layout follows the same rules.
@Suite struct RandomScreenTests {
  private static let words = [
    "", "A", "Harbour", "Turn left into the street of the old harbour office", "東京駅", "مرحبا بالعالم", "שלום",
    "Слишком длинное название", "star", "location", "\u{202E}right", String(repeating: "wide ", count: 60),
  ]
  private static let marks = ["[star]", "[cover]", ">", "42%", "explicit", "playing", "cloud", "destructive", "badge"]

  private static func part(_ kind: ScreenNode.Kind, _ generator: inout SeededGenerator, _ children: [ScreenNode] = [])
    -> ScreenNode
  {
    ScreenNode(
      kind, words.randomElement(using: &generator) ?? "", detail: words.randomElement(using: &generator) ?? "",
      isEnabled: Int.random(in: 0..<8, using: &generator) > 0, isSelected: Bool.random(using: &generator),
      isCut: Bool.random(using: &generator), hasSpinner: Int.random(in: 0..<8, using: &generator) == 0,
      marks: Bool.random(using: &generator) ? [ScreenMark(marks.randomElement(using: &generator) ?? "")] : [],
      children: children)
  }

  private static func parts(_ kind: ScreenNode.Kind, _ most: Int, _ generator: inout SeededGenerator) -> [ScreenNode] {
    (0..<Int.random(in: 0...most, using: &generator)).map { _ in part(kind, &generator) }
  }

  private static func screen(_ generator: inout SeededGenerator) -> ScreenNode {
    let screens: [ScreenNode.Kind] = [
      .off, .locked, .home, .list, .grid, .tabs, .nowPlaying, .map, .search, .voice, .information, .pointsOfInterest,
      .contact, .alert, .sheet, .content, .error, .dashboard,
    ]
    var children: [ScreenNode] = []
    let kinds: [(ScreenNode.Kind, Int)] = [
      (.back, 1), (.button, 5), (.row, 20), (.section, 2), (.header, 1), (.siri, 1), (.tab, 5), (.mapButton, 6),
      (.action, 5), (.item, 8), (.point, 12), (.maneuver, 1), (.result, 8), (.keyboard, 1), (.field, 1), (.command, 5),
      (.option, 5),
      (.title, 1), (.artwork, 1), (.progress, 1), (.pan, 4), (.estimates, 1), (.icon, 4), (.banner, 1), (.spinner, 1),
      (.empty, 1), (.page, 2), (.text, 1),
    ]
    for (kind, most) in kinds where Int.random(in: 0..<3, using: &generator) > 0 {
      children += parts(kind, most, &generator)
    }
    if Bool.random(using: &generator) {
      children.append(part(.guidance, &generator, parts(.maneuver, 3, &generator)))
    }
    for _ in 0..<Int.random(in: 0...2, using: &generator) {
      children.append(part(.trip, &generator, parts(.route, 3, &generator) + parts(.action, 3, &generator)))
    }
    if Bool.random(using: &generator) {
      children.append(part(.alert, &generator, parts(.action, 3, &generator)))
    }
    if Bool.random(using: &generator) {
      children.insert(part(.list, &generator, parts(.row, 9, &generator) + parts(.button, 8, &generator)), at: 0)
    }
    return part(screens.randomElement(using: &generator) ?? .list, &generator, children)
  }

  private static func look(_ generator: inout SeededGenerator) -> CarLook {
    let sizes = [(748, 456, 2), (800, 480, 2), (1280, 720, 2), (1920, 720, 3), (900, 1200, 3), (8192, 500, 2)]
    let (width, height, scale) = sizes.randomElement(using: &generator) ?? (800, 480, 2)
    return CarLook(
      screen: CarScreen(
        pixelWidth: width, pixelHeight: height, scale: scale,
        safeArea: CarInsets(left: Bool.random(using: &generator) ? 0 : 60),
        drivingSide: Bool.random(using: &generator) ? .left : .right,
        dock: Bool.random(using: &generator) ? .leading : .bottom),
      movesFocus: Bool.random(using: &generator), appearance: Bool.random(using: &generator) ? .light : .dark)
  }

  private static let parts: UInt64 = 8
  /// The number of trees of each part. `tools/proof screens` sets a larger total.
  private static let treesOfPart = max(
    1, (ProcessInfo.processInfo.environment["IAP2_RANDOM_TREES"].flatMap(UInt64.init) ?? 2000) / parts)

  @Test(arguments: 0..<parts)
  func `every tree keeps the rules`(part: UInt64) {
    for seed in part * Self.treesOfPart..<(part + 1) * Self.treesOfPart {
      var generator = SeededGenerator(seed: seed)
      let (look, screen) = (Self.look(&generator), Self.screen(&generator))
      let list = ScreenLayout.picture(of: screen, on: look)
      let name = "seed \(seed), \(screen.kind), \(look.screen.pixelWidth) x \(look.screen.pixelHeight)"
      let all = Box(0, 0, list.width, list.height)
      let parts = screen.all
      #expect(Set(list.targets.compactMap(\.part)).count == list.targets.count { $0.part != nil }, "\(name)")
      for (index, target) in list.targets.enumerated() {
        #expect(target.box.width >= 43.99 && target.box.height >= 43.99, "\(name): \(target)")
        #expect(all.contains(target.box), "\(name): \(target)")
        if let part = target.part { #expect(parts[part].title == target.name, "\(name): \(target)") }
        if let other = list.targets[..<index].first(where: { $0.box.overlaps(target.box) }) {
          Issue.record("\(name): \(target) covers \(other)")
        }
      }
      let texts = list.texts
      for (index, text) in texts.enumerated() {
        #expect(all.contains(text.box), "\(name): \(text)")
        if let other = texts[..<index].first(where: { $0.box.overlaps(text.box) }) {
          Issue.record("\(name): \(text.text.prefix(30)) \(text.box) covers \(other.text.prefix(30)) \(other.box)")
        }
      }
    }
  }
}
