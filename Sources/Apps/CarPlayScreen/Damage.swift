// swift-iap2 · Apache-2.0

/// The places of a picture that differ from the previous picture.
package struct Damage: Sendable, Hashable {
  /// The boxes that must be redrawn; empty for equal pictures.
  package private(set) var boxes: [Box] = []

  /// The number of boxes above which the whole picture is redrawn, because a clip of many boxes costs more.
  private static let maximumBoxes = 40

  /// Compares two pictures. Returns nil if the whole picture must be drawn.
  package init?(from old: DrawList, to new: DrawList) {
    guard old.width == new.width, old.height == new.height, old.scale == new.scale, old.style == new.style,
      old.mapStyle == new.mapStyle
    else { return nil }
    let (before, after) = (Set(old.items), Set(new.items))
    // Unchanged parts must keep their order, because later parts cover earlier ones.
    guard old.items.filter(after.contains) == new.items.filter(before.contains) else { return nil }
    for item in old.items where !after.contains(item) { boxes.append(item.painted) }
    for item in new.items where !before.contains(item) { boxes.append(item.painted) }
    guard boxes.count <= Self.maximumBoxes else { return nil }
  }
}

extension DrawItem {
  /// The place that the part may color. Letters and round lines extend a little beyond their boxes.
  package var painted: Box {
    guard case .text(let text) = self else { return box.inset(-2, -2) }
    return box.inset(-4, -text.style.lineHeight / 2)
  }
}
