// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CarPlayPlatform
  import CarPlayScreen
  import Foundation

  /// One pass over a list.
  @safe struct Painter {
    let context: OpaquePointer?
    let list: DrawList
    let images: ImageCache
    /// The maps as pixels; nil for a picture of lines.
    let maps: MapCache?
    /// The texts that did not fit.
    private(set) var cut: Set<DrawnText> = []

    init(context: OpaquePointer?, list: DrawList, images: ImageCache, maps: MapCache?) {
      unsafe self.context = unsafe context
      self.list = list
      self.images = images
      self.maps = maps
    }

    /// Paints the whole list, or the parts in some boxes.
    mutating func paint(only boxes: [Box]?) {
      guard let boxes else {
        for item in list.items { paint(item) }
        return
      }
      let scale = list.scale
      for box in boxes {
        // On the grid of pixels, so that no pixel at an edge is drawn half over what was there.
        let (x, y) = ((box.x * scale).rounded(.down) / scale, (box.y * scale).rounded(.down) / scale)
        unsafe cairo_rectangle(
          context, x, y, (box.right * scale).rounded(.up) / scale - x, (box.bottom * scale).rounded(.up) / scale - y)
      }
      unsafe cairo_clip(context)
      for item in list.items where boxes.contains(where: item.painted.inset(-1, -1).overlaps) { paint(item) }
    }

    func set(_ ink: Ink, _ alpha: Double = 1, style: CarStyle? = nil) {
      let color = ink.color(style ?? list.style)
      unsafe cairo_set_source_rgba(context, color.red, color.green, color.blue, alpha)
    }

    func round(_ box: Box, _ corner: Double) {
      let radius = min(corner, box.width / 2, box.height / 2)
      unsafe cairo_new_sub_path(context)
      for (x, y, turn) in [
        (box.right - radius, box.y + radius, -0.5), (box.right - radius, box.bottom - radius, 0),
        (box.x + radius, box.bottom - radius, 0.5), (box.x + radius, box.y + radius, 1),
      ] {
        unsafe cairo_arc(context, x, y, radius, turn * Double.pi, (turn + 0.5) * Double.pi)
      }
      unsafe cairo_close_path(context)
    }

    private mutating func paint(_ item: DrawItem) {
      switch item {
      case .fill(let box, let corner, let ink):
        set(ink)
        round(box, corner)
        unsafe cairo_fill(context)
      case .ring(let box, let corner, let width, let ink):
        set(ink)
        round(box, corner)
        unsafe cairo_set_line_width(context, width)
        unsafe cairo_stroke(context)
      case .text(let text): paint(text)
      case .symbol(let symbol, let box, let ink):
        set(ink)
        paint(symbol.shape, in: box)
      case .image(let image): paint(image)
      case .backdrop(let id, let box): backdrop(id, box)
      case .map(let map):
        if let maps { put(maps.surface(map, of: list, images), in: map.box) } else { paint(map) }
      case .dim(let box):
        set(.ground, 0.86)
        round(box, 0)
        unsafe cairo_fill(context)
      }
    }

    private func paint(_ shape: SymbolShape, in box: Box) {
      unsafe cairo_save(context)
      unsafe cairo_translate(context, box.x, box.y)
      unsafe cairo_scale(context, box.width / 24, box.height / 24)
      unsafe cairo_set_line_width(context, 2)
      unsafe cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
      unsafe cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND)
      for line in shape.lines {
        trace(line)
        unsafe cairo_stroke(context)
      }
      for area in shape.areas {
        trace(area)
        unsafe cairo_close_path(context)
        unsafe cairo_fill(context)
      }
      for circle in shape.circles {
        unsafe cairo_new_sub_path(context)
        unsafe cairo_arc(context, circle.middle.x, circle.middle.y, circle.radius, 0, 2 * Double.pi)
        unsafe circle.isFilled ? cairo_fill(context) : cairo_stroke(context)
      }
      unsafe cairo_restore(context)
    }

    /// Draws lines from each point to the next one.
    func trace(_ points: [SymbolShape.Point]) {
      for (index, point) in points.enumerated() {
        unsafe index == 0 ? cairo_move_to(context, point.x, point.y) : cairo_line_to(context, point.x, point.y)
      }
    }

    mutating func paint(_ text: DrawnText) {
      let layout = unsafe layout(
        text.text, size: text.style.size, isStrong: text.style.isStrong, width: text.box.width, lines: text.lines)
      defer { unsafe g_object_unref(UnsafeMutableRawPointer(layout)) }
      unsafe pango_layout_set_alignment(layout, alignment(of: text, in: layout))
      if unsafe pango_layout_is_ellipsized(layout) != 0 { cut.insert(text) }
      set(text.ink)
      let above = unsafe (text.box.height - height(of: layout)) / 2
      unsafe cairo_move_to(context, text.box.x, text.box.y + above.rounded())
      unsafe pango_cairo_show_layout(context, layout)
    }

    /// Lays a text out that is cut at a width and behind a number of lines. The caller releases the layout.
    func layout(_ text: String, size: Double, isStrong: Bool, width: Double, lines: Int) -> OpaquePointer? {
      let layout = unsafe pango_cairo_create_layout(context)
      let font = unsafe pango_font_description_from_string(isStrong ? "screen Semi-Bold" : "screen")
      unsafe pango_font_description_set_absolute_size(font, size * Double(PANGO_SCALE))
      unsafe pango_layout_set_font_description(layout, font)
      unsafe pango_font_description_free(font)
      unsafe pango_layout_set_text(layout, text, Int32(text.utf8.count))
      unsafe pango_layout_set_width(layout, Int32(width * Double(PANGO_SCALE)))
      unsafe pango_layout_set_height(layout, Int32(-max(1, lines)))
      unsafe pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
      return unsafe layout
    }

    func height(of layout: OpaquePointer?) -> Double {
      var size: (width: Int32, height: Int32) = (0, 0)
      unsafe pango_layout_get_pixel_size(layout, &size.width, &size.height)
      return Double(size.height)
    }

    /// Pango's left is the right for a text that is read from right to left.
    private func alignment(of text: DrawnText, in layout: OpaquePointer?) -> PangoAlignment {
      let isFlipped = unsafe pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL
      switch text.alignment {
      case .center: return PANGO_ALIGN_CENTER
      case .leading: return isFlipped ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT
      case .trailing: return isFlipped ? PANGO_ALIGN_LEFT : PANGO_ALIGN_RIGHT
      }
    }
  }
#endif
