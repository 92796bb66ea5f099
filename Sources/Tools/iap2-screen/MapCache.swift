// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CarPlayPlatform
  import CarPlayScreen

  /// The last map as pixels: a card that changes over a map costs no new map.
  final class MapCache {
    private struct Key: Hashable {
      var map: DrawnMap
      var style: CarStyle
      var width, height: Double
      var scale: Double
    }

    private var last: (key: Key, surface: Surface)?

    func forget() { last = nil }

    /// Returns a map in its place on pixels of the whole screen.
    func surface(_ map: DrawnMap, of list: DrawList, _ images: ImageCache) -> Surface {
      let key = Key(map: map, style: list.mapStyle, width: list.width, height: list.height, scale: list.scale)
      if let last, last.key == key { return last.surface }
      let scale = list.scale
      let surface = Surface(width: list.width * scale, height: list.height * scale)
      let context = unsafe cairo_create(surface.pointer)
      defer { unsafe cairo_destroy(context) }
      unsafe cairo_scale(context, scale, scale)
      var painter = unsafe Painter(context: context, list: list, images: images, maps: nil)
      painter.paint(map)
      last = (key, surface)
      return surface
    }
  }
#endif
