// swift-iap2 · Apache-2.0

import CarPlayPlatform
import CarPlayScreen
import Testing

/// Tests of pictures that published reports of app teams describe.
@Suite struct SeedScreenTests {
  private let look = CarLook(screen: CarScreen(), appearance: .light, contentStyle: .light)

  private func picture(_ screen: ScreenNode) -> DrawList { ScreenLayout.picture(of: screen, on: look) }

  @Test func theHomeScreenHasTwoRowsOfFourIcons() {
    let icons = (1...8).map { ScreenNode(.icon, "App \($0)") }
    let boxes = picture(ScreenNode(.home, children: icons)).targets.filter { $0.name.hasPrefix("App") }.map(\.box)
    #expect(boxes.count == 8)
    #expect(Set(boxes.map(\.x)).count == 4 && Set(boxes.map(\.y)).count == 2)
  }

  @Test func theMapIsBelowItsTransparentTemplate() {
    let screen = ScreenNode(
      .map,
      children: [
        ScreenNode(.button, "Search"), ScreenNode(.mapButton, "plus.magnifyingglass"),
        ScreenNode(.guidance, children: [ScreenNode(.maneuver, "Turn left", detail: "300 m")]),
      ])
    let list = picture(screen)
    let map = list.items.firstIndex { if case .map = $0 { true } else { false } }
    let parts = list.items.indices.filter { index in
      switch list.items[index] {
      case .text(let text): ["Search", "Turn left", "300 m"].contains(text.text)
      case .symbol(.plus, _, _): true
      default: false
      }
    }
    #expect(parts.count == 4 && parts.allSatisfy { $0 > map ?? .max })
    // No part covers the whole map.
    guard case .map(let drawn) = list.items[map ?? 0] else { return }
    for item in list.items[((map ?? 0) + 1)...] {
      if case .fill(let box, _, _) = item { #expect(box.width < drawn.box.width || box.height < drawn.box.height) }
    }
  }

  @Test func nowPlayingLooksTheSameForEveryApp() {
    func screen(_ title: String) -> ScreenNode {
      ScreenNode(
        .nowPlaying,
        children: [
          ScreenNode(.artwork, "none"), ScreenNode(.title, title, detail: "Band"), ScreenNode(.progress, "LIVE"),
          ScreenNode(.command, "pause"), ScreenNode(.command, "next"),
        ])
    }
    func shape(_ list: DrawList) -> [DrawItem] {
      list.items.map { item in
        guard case .text(var text) = item else { return item }
        if text.text == "Radio" || text.text == "Music" { text.text = "" }
        return .text(text)
      }
    }
    #expect(shape(picture(screen("Radio"))) == shape(picture(screen("Music"))))
  }
}
