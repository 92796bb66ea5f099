// swift-iap2 · Apache-2.0

import CarPlayDrawing
import CarPlayPlatform
import Testing

@Suite struct SentImagesTests {
  private static func isKnown(_ name: String) -> Bool { !name.isEmpty }

  @Test("Any number of images passes through the limit, and a program has all that a screen shows")
  func manyImages() {
    var sent = SentImages()
    var program: Set<String> = []
    for turn in 0..<2000 {
      let shown = Set((turn..<turn + 7).map { "image \($0)" })
      let delivery = sent.deliver(shown, of: Self.isKnown)
      if delivery.forgetsOthers { program = [] }
      #expect(program.isDisjoint(with: delivery.names))
      program.formUnion(delivery.names)
      #expect(program.isSuperset(of: shown) && program.count <= CarImage.maximumCount)
    }
  }

  @Test("A screen with more images than the limit is sent once")
  func wideScreen() {
    var sent = SentImages()
    let shown = Set((0..<1000).map { "\($0)" })
    #expect(sent.deliver(shown, of: Self.isKnown).names == Array(shown.sorted().prefix(CarImage.maximumCount)))
    let again = sent.deliver(shown, of: Self.isKnown)
    #expect(again.names.isEmpty && !again.forgetsOthers)
  }

  @Test("An image that is not known yet is sent when it is")
  func laterImage() {
    var sent = SentImages()
    #expect(sent.deliver(["a", "b"], of: { $0 == "a" }).names == ["a"])
    #expect(sent.deliver(["a", "b"], of: Self.isKnown).names == ["b"])
  }
}
