// swift-iap2 · Apache-2.0

import CarPlayPlatform
import CarPlayScreen
import Foundation
import Testing

/// Tests of the plain map, of the parts above it, and of the redrawn places.
@Suite struct MapTests {
  private func town(_ moved: CGPoint = .zero, hasRoute: Bool = false) -> PlainMap {
    PlainMap(DrawnMap(box: Box(48, 0, 592, 360), map: CarMap(moved: moved), hasRoute: hasRoute))
  }

  @Test func `a map of 1280 by 720 pixels has 500 segments, and only one with a route has a route`() {
    #expect((500...1000).contains(town().segmentCount))
    #expect(town().lines(of: .route).isEmpty && town(hasRoute: true).lines(of: .route).count == 1)
    for kind in PlainMap.Kind.allCases { #expect(!town(hasRoute: true).lines(of: kind).isEmpty, "\(kind)") }
  }

  @Test(arguments: [CGPoint(x: 90, y: -40), CGPoint(x: -1e6, y: 1e6), CGPoint(x: 1e308, y: -CGFloat.infinity)])
  func `a map that is moved shows the same town at another place`(moved: CGPoint) {
    func places(_ map: PlainMap, _ shift: CGPoint) -> Set<[Int]> {
      let points = map.lines(of: .avenue).joined().map {
        [Int((($0.x - shift.x) * 100).rounded()), Int((($0.y - shift.y) * 100).rounded())]
      }
      return Set(points)
    }
    let (near, far) = (town(), town(moved))
    #expect(near.segmentCount < far.segmentCount * 2 && far.segmentCount < near.segmentCount * 2)
    guard abs(moved.x) < 1000 else { return }
    let common = places(near, .zero).intersection(places(far, moved))
    #expect(common.count * 2 > places(near, .zero).count, "the part that both show is equal")
    #expect(near.lines(of: .avenue) != far.lines(of: .avenue))
  }

  @Test func `an opaque view of the size of the screen covers the plain map, and a sign does not`() {
    let box = Box(48, 0, 352, 240)
    let black = CarColor(red: 0, green: 0, blue: 0)
    let whole = CarMap.Part(frame: CGRect(x: 0, y: 0, width: 352, height: 240), ground: black)
    let sign = CarMap.Part(frame: CGRect(x: 10, y: 10, width: 60, height: 40), ground: black)
    var glass = whole
    glass.ground?.alpha = 0.5
    #expect(DrawnMap(box: box, map: CarMap(parts: [whole])).isCovered)
    #expect(!DrawnMap(box: box, map: CarMap(parts: [sign])).isCovered)
    #expect(!DrawnMap(box: box, map: CarMap(parts: [glass])).isCovered)
  }

  @Test func `only what changed is drawn again`() throws {
    func list(_ distance: String, style: CarStyle = .light) -> DrawList {
      var screen = SampleScreens.guidance
      for index in screen.children.indices where screen.children[index].kind == .guidance {
        screen.children[index].children[0].detail = distance
      }
      return ScreenLayout.picture(of: screen, on: CarLook(appearance: style, contentStyle: style))
    }
    let same = try #require(Damage(from: list("300 m"), to: list("300 m")))
    #expect(same.boxes.isEmpty)
    let changed = try #require(Damage(from: list("300 m"), to: list("250 m")))
    let text = try #require(list("250 m").texts.first { $0.text == "250 m" })
    #expect(!changed.boxes.isEmpty && changed.boxes.allSatisfy { $0.contains(text.box) })
    #expect(Damage(from: list("300 m"), to: list("300 m", style: .dark)) == nil)
  }

  /// A removed part redraws its place. A changed order of parts redraws the whole picture.
  @Test func `a part that goes leaves its place to be drawn, and another order draws all`() {
    var list = ScreenLayout.picture(of: SampleScreens.guidance, on: CarLook())
    let whole = list
    let gone = list.items.removeLast()
    #expect(Damage(from: whole, to: list)?.boxes == [gone.painted])
    list = whole
    list.items.swapAt(2, 3)
    #expect(Damage(from: whole, to: list) == nil)
  }

  @Test func `texts over an image of any color keep a contrast of 4.5`() {
    for style in [CarStyle.light, .dark] {
      let share = Ink.backdropShare(style)
      let ground = Ink.ground.color(style)
      #expect(share > 0)
      for image in [0.0, 1] {
        var mixed = ground
        mixed.red += (image - mixed.red) * share
        mixed.green += (image - mixed.green) * share
        mixed.blue += (image - mixed.blue) * share
        for ink in [Ink.text, .secondary, .disabled, .accent] {
          #expect(ink.color(style).contrast(with: mixed) >= 4.5, "\(ink), \(style), \(image)")
        }
      }
    }
  }

  @Test func `artwork with bytes is behind the screen, and without bytes nothing is`() {
    func backdrops(_ image: String?) -> Int {
      var artwork = ScreenNode(.artwork, "cover")
      artwork.image = image
      let list = ScreenLayout.picture(of: ScreenNode(.nowPlaying, children: [artwork]), on: CarLook())
      return list.items.count { if case .backdrop = $0 { true } else { false } }
    }
    #expect(backdrops("id") == 1 && backdrops(nil) == 0)
  }
}
