// swift-iap2 · Apache-2.0

package import CarPlayPlatform

/// The home screen of a phone: the icons of its apps, of its own screens and of the car, and a banner.
package struct PhoneHome: Sendable {
  /// The meaning of a touch on the home screen.
  package enum Choice: Sendable, Hashable {
    /// Opens the app with an index.
    case open(Int)
    /// Opens a screen of the phone itself.
    case page(PhonePage)
    /// Asks the head unit for its own screen.
    case car
    /// Touches the banner of the app with an index.
    case banner(Int)
  }

  /// The names of the apps.
  package var names: [String]
  /// The label of the car's own icon; nil if the car wants none.
  package var carLabel: String?
  /// The banner of each app; nil for an app without one.
  package var banners: [ScreenNode?]
  /// The index of the part with the focus; nil for a car without a knob.
  package var focus: Int?

  /// Creates a home screen.
  package init(names: [String], carLabel: String? = nil, banners: [ScreenNode?] = [], focus: Int? = nil) {
    (self.names, self.carLabel, self.banners, self.focus) = (names, carLabel, banners, focus)
  }

  private var parts: [(node: ScreenNode, choice: Choice)] {
    var icons = names.enumerated().map { (ScreenNode(.icon, $1), Choice.open($0)) }
    icons += PhonePage.allCases.map { (ScreenNode(.icon, $0.title), .page($0)) }
    if let carLabel { icons.append((ScreenNode(.icon, carLabel), .car)) }
    // A screen has room for one banner.
    let banner = banners.enumerated().lazy.compactMap { index, node in node.map { ($0, Choice.banner(index)) } }.first
    return icons + (banner.map { [$0] } ?? [])
  }

  /// The screen, whose parts are the icons and the banner.
  package var screen: ScreenNode {
    let parts = parts
    return ScreenNode(
      .home,
      children: parts.indices.map { index in
        var node = parts[index].node
        node.isFocused = index == focus
        return node
      })
  }

  /// Moves the focus by the steps of a knob. It stops at the ends.
  package mutating func turn(_ steps: Int) { focus = max(0, min(parts.count - 1, (focus ?? 0) + steps)) }

  /// Returns the meaning of a touch on a part, by its index in ``ScreenNode/all``; nil for no part.
  package func choice(of part: Int) -> Choice? { parts.indices.contains(part - 1) ? parts[part - 1].choice : nil }

  /// The meaning of a press of the knob; nil without a focus.
  package var focusedChoice: Choice? { focus.flatMap { choice(of: $0 + 1) } }
}
