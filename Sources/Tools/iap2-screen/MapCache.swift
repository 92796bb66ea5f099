// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CarPlayPlatform
  import CarPlayScreen
  import Foundation

  /// The last map as pixels: a card that changes over a map costs no new map, and of a map that moves only the edge is
  /// drawn that comes into sight. Lines that meet the edge may have other shades than those of a map drawn whole.
  final class MapCache {
    /// The values of a map that its place does not change.
    private struct Frame: Hashable {
      var box: Box
      var hasRoute: Bool
      var place: Double
      var style: CarStyle
      var width, height: Double
      var scale: Double

      init(_ map: DrawnMap, of list: DrawList) {
        (box, hasRoute, place) = (map.box, map.hasRoute, map.place)
        (style, width, height, scale) = (list.mapStyle, list.width, list.height, list.scale)
      }
    }

    /// The plain map.
    private var plain: (frame: Frame, moved: CGPoint, surface: Surface)?
    /// The pixels of a map before that, which are drawn over.
    private var spare: Surface?
    /// The last map with the views of the app's window.
    private var last: (map: DrawnMap, frame: Frame, surface: Surface)?

    func forget() { (plain, spare, last) = (nil, nil, nil) }

    /// Returns a map in its place on pixels of the whole screen.
    func surface(_ map: DrawnMap, of list: DrawList, _ images: ImageCache) -> Surface {
      let frame = Frame(map, of: list)
      guard !map.map.parts.isEmpty else { return surface(ofPlain: map, frame, list, images) }
      if let last, last.map == map, last.frame == frame { return last.surface }
      let below = map.isCovered ? nil : surface(ofPlain: map, frame, list, images)
      let surface = Surface(width: list.width * list.scale, height: list.height * list.scale)
      paint(on: surface, list, images) { painter in
        if let below { painter.put(below, in: map.box) }
        painter.paintParts(of: map)
      }
      last = (map, frame, surface)
      return surface
    }

    /// Returns the plain map.
    private func surface(ofPlain map: DrawnMap, _ frame: Frame, _ list: DrawList, _ images: ImageCache) -> Surface {
      let moved = map.map.moved
      guard let before = plain, before.frame == frame else {
        let surface = Surface(width: list.width * list.scale, height: list.height * list.scale)
        paint(on: surface, list, images) { $0.paintPlain(map, in: map.box) }
        (plain, spare) = ((frame, moved, surface), nil)
        return surface
      }
      guard before.moved != moved else { return before.surface }
      let surface = spare ?? Surface(width: list.width * list.scale, height: list.height * list.scale)
      paint(on: surface, list, images) { painter in
        guard let shift = Self.shift(from: before.moved, to: moved, frame) else {
          return painter.paintPlain(map, in: map.box)
        }
        painter.put(before.surface, in: map.box, shift: shift)
        for area in map.box.uncovered(by: (Double(shift.x) / list.scale, Double(shift.y) / list.scale)) {
          painter.paintPlain(map, in: area)
        }
      }
      (plain, spare) = ((frame, moved, surface), before.surface)
      return surface
    }

    private func paint(
      on surface: Surface, _ list: DrawList, _ images: ImageCache, _ body: (inout Painter) -> Void
    ) {
      let context = unsafe cairo_create(surface.pointer)
      defer { unsafe cairo_destroy(context) }
      unsafe cairo_scale(context, list.scale, list.scale)
      var painter = unsafe Painter(context: context, list: list, images: images, maps: nil)
      body(&painter)
    }

    /// Returns the distance of two places in pixels; nil if it is not a whole number of them, or the map lies between
    /// pixels.
    private static func shift(from old: CGPoint, to new: CGPoint, _ frame: Frame) -> (x: Int, y: Int)? {
      func pixels(_ way: Double) -> Double { CarMap.bounded(way) * frame.scale }
      let edges = [frame.box.x, frame.box.y, frame.box.right, frame.box.bottom].map { $0 * frame.scale }
      guard edges.allSatisfy({ $0 == $0.rounded() }), let x = Int(exactly: pixels(new.x) - pixels(old.x)),
        let y = Int(exactly: pixels(new.y) - pixels(old.y))
      else { return nil }
      return (x, y)
    }
  }

  extension Box {
    /// Returns the areas of the box that it does not cover after it was moved.
    fileprivate func uncovered(by shift: (x: Double, y: Double)) -> [Box] {
      guard abs(shift.x) < width, abs(shift.y) < height else { return [self] }
      var areas: [Box] = []
      if shift.x != 0 { areas.append(Box(shift.x > 0 ? x : right + shift.x, y, abs(shift.x), height)) }
      if shift.y != 0 { areas.append(Box(x, shift.y > 0 ? y : bottom + shift.y, width, abs(shift.y))) }
      return areas
    }
  }
#endif
