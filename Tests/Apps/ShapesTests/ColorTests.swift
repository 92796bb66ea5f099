// swift-iap2 · Apache-2.0

import Testing
import UIKit

@Suite struct ColorTests {
  @Test func `a color has its parts within 0 and 1`() {
    let color = UIColor(red: -1, green: .nan, blue: 7, alpha: 0.25)
    var (red, green, blue, alpha) = (CGFloat(9), CGFloat(9), CGFloat(9), CGFloat(9))
    #expect(unsafe color.getRed(&red, green: &green, blue: &blue, alpha: &alpha))
    #expect([red, green, blue, alpha] == [0, 0, 1, 0.25])
    #expect(unsafe color.getRed(nil, green: nil, blue: nil, alpha: nil))
  }

  @Test(
    arguments: [(0, "#FF0000"), (1.0 / 3, "#00FF00"), (2.0 / 3, "#0000FF"), (1.0 / 6, "#FFFF00"), (1, "#FF0000")]
      as [(Double, String)])
  func `a hue is the color of the wheel`(hue: Double, text: String) {
    let color = UIColor(hue: hue, saturation: 1, brightness: 1, alpha: 1)
    #expect(color.components(for: .current).text == text)
  }

  /// Values of the Web Content Accessibility Guidelines 2.1 and of their public calculators.
  @Test(
    arguments: [
      (0x000000, 0xFFFFFF, 21), (0x777777, 0xFFFFFF, 4.48), (0xFF0000, 0xFFFFFF, 4.0), (0x123456, 0x123456, 1),
    ] as [(Int, Int, Double)])
  func `two colors have the contrast of the guidelines`(first: Int, second: Int, contrast: Double) {
    func parts(_ rgb: Int) -> ColorComponents {
      ColorComponents(
        red: CGFloat(rgb >> 16) / 255, green: CGFloat(rgb >> 8 & 255) / 255, blue: CGFloat(rgb & 255) / 255, alpha: 1)
    }
    #expect(abs(parts(first).contrast(with: parts(second)) - contrast) < 0.01)
    #expect(parts(first).contrast(with: parts(second)) == parts(second).contrast(with: parts(first)))
  }

  @Test func `a system color follows the appearance of the car and not of the phone`() {
    let dark = UITraitCollection(style: .dark, displayScale: 2, idiom: .carPlay)
    #expect(UIColor.label.resolvedColor(with: dark) == UIColor.white)
    #expect(UIColor.label.withAlphaComponent(0.5).components(for: dark).text == "#FFFFFF80")
  }

  @Test func `a color that gives itself ends`() {
    final class Loop: Sendable {
      let color = UIColor { _ in UIColor { traits in UIColor.loop(traits) } }
    }
    #expect(Loop().color.components(for: .current).alpha == 0)
  }

  @Test func `traits join with the last one that sets a value`() {
    let joined = UITraitCollection(traitsFrom: [
      UITraitCollection(userInterfaceStyle: .dark), UITraitCollection(displayScale: 3),
      UITraitCollection(userInterfaceIdiom: .carPlay), UITraitCollection(),
    ])
    #expect(joined == UITraitCollection(style: .dark, displayScale: 3, idiom: .carPlay))
  }
}

extension UIColor {
  fileprivate static func loop(_ traits: UITraitCollection) -> UIColor { UIColor { loop($0) } }
}
