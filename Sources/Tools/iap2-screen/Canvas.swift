// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CarPlayPlatform
  import CarPlayScreen
  import Foundation

  /// Draws lists of a layout with Cairo, and their texts with Pango.
  final class Canvas {
    /// The fonts of Debian's packages, and no others, so that a picture is the same on every machine.
    private static let fonts = """
      <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
      <fontconfig>
      <dir>/usr/share/fonts/truetype/noto</dir><dir>/usr/share/fonts/opentype/noto</dir>
      <cachedir prefix="xdg">fontconfig</cachedir>
      <alias><family>screen</family><prefer><family>Noto Sans</family><family>Noto Sans Arabic</family>
      <family>Noto Sans Hebrew</family><family>Noto Sans CJK JP</family></prefer></alias>
      </fontconfig>
      """

    /// Creates a canvas. Returns nil without a font.
    init?() {
      let config = unsafe FcConfigCreate()
      let isRead = unsafe Self.fonts.withCString { text in
        unsafe text.withMemoryRebound(to: FcChar8.self, capacity: 1) {
          unsafe FcConfigParseAndLoadFromMemory(config, $0, 1)
        }
      }
      guard isRead != 0, unsafe FcConfigBuildFonts(config) != 0, unsafe FcConfigSetCurrent(config) != 0 else {
        return nil
      }
      guard let set = unsafe FcConfigGetFonts(config, FcSetSystem), unsafe set.pointee.nfont > 0 else { return nil }
    }

    /// Draws a list in memory.
    func frame(_ list: DrawList) {
      let (width, height) = (list.width * Double(list.scale), list.height * Double(list.scale))
      let surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))
      _ = unsafe paint(list, on: surface)
      unsafe cairo_surface_destroy(surface)
    }

    /// Paints a list and returns the texts that were shortened.
    private func paint(_ list: DrawList, on surface: OpaquePointer?) -> [String] {
      let context = unsafe cairo_create(surface)
      defer { unsafe cairo_destroy(context) }
      unsafe cairo_scale(context, Double(list.scale), Double(list.scale))
      var painter = unsafe Painter(context: context, list: list)
      painter.paint()
      return painter.cut
    }

    /// Draws a list into a file whose name says the format.
    func draw(_ list: DrawList, to file: String) -> Answer {
      let (width, height) = (list.width * Double(list.scale), list.height * Double(list.scale))
      let isSVG = file.hasSuffix(".svg")
      guard isSVG || file.hasSuffix(".png") else {
        return Answer(problem: "\(file): the name must end with .png or .svg")
      }
      let surface =
        unsafe isSVG
        ? cairo_svg_surface_create(file, width, height)
        : cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))
      defer { unsafe cairo_surface_destroy(surface) }
      let cut = unsafe paint(list, on: surface)
      unsafe cairo_surface_flush(surface)
      let status = unsafe isSVG ? cairo_surface_status(surface) : cairo_surface_write_to_png(surface, file)
      guard status == CAIRO_STATUS_SUCCESS else {
        return Answer(problem: "\(file): \(unsafe String(cString: cairo_status_to_string(status)))")
      }
      if isSVG { unsafe cairo_surface_finish(surface) }
      return Answer(file: file, cut: cut.isEmpty ? nil : cut)
    }
  }

  /// One pass over a list.
  @safe private struct Painter {
    let context: OpaquePointer?
    let list: DrawList
    /// The texts that did not fit.
    var cut: [String] = []

    init(context: OpaquePointer?, list: DrawList) {
      unsafe self.context = unsafe context
      self.list = list
    }

    mutating func paint() { for item in list.items { paint(item) } }

    private func set(_ ink: Ink, _ alpha: Double = 1, style: CarStyle? = nil) {
      let color = ink.color(style ?? list.style)
      unsafe cairo_set_source_rgba(context, color.red, color.green, color.blue, alpha)
    }

    private func round(_ box: Box, _ corner: Double) {
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
      case .image(let name, let box, let corner): placeholder(name, box, corner)
      case .map(let box): map(box)
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
        for (index, point) in line.enumerated() {
          unsafe index == 0 ? cairo_move_to(context, point.x, point.y) : cairo_line_to(context, point.x, point.y)
        }
        unsafe cairo_stroke(context)
      }
      for area in shape.areas {
        for (index, point) in area.enumerated() {
          unsafe index == 0 ? cairo_move_to(context, point.x, point.y) : cairo_line_to(context, point.x, point.y)
        }
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

    /// A picture that is not here: its first letter on a ground whose color comes from the name.
    private mutating func placeholder(_ name: String, _ box: Box, _ corner: Double) {
      set(.control)
      round(box, corner)
      unsafe cairo_fill(context)
      let letter = name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
      let style: TextStyle = box.height >= 40 ? .large : .body
      paint(
        DrawnText(
          text: letter, box: Box(box.x, box.y + (box.height - style.lineHeight) / 2, box.width, style.lineHeight),
          style: style, ink: .secondary, ground: .control, alignment: .center))
    }

    /// A plain map: land, water, and roads that cross. It stands in where the app draws none.
    private func map(_ box: Box) {
      unsafe cairo_save(context)
      round(box, 0)
      unsafe cairo_clip(context)
      set(.land, style: list.mapStyle)
      unsafe cairo_paint(context)
      set(.water, style: list.mapStyle)
      unsafe cairo_move_to(context, box.right - box.width * 0.2, box.y)
      unsafe cairo_curve_to(
        context, box.right - box.width * 0.35, box.y + box.height * 0.4, box.right - box.width * 0.05,
        box.y + box.height * 0.6, box.right - box.width * 0.25, box.bottom)
      unsafe cairo_line_to(context, box.right, box.bottom)
      unsafe cairo_line_to(context, box.right, box.y)
      unsafe cairo_close_path(context)
      unsafe cairo_fill(context)
      set(.road, style: list.mapStyle)
      for step in 0..<8 {
        let isMain = step % 3 == 0
        unsafe cairo_set_line_width(context, isMain ? 7 : 3)
        let x = box.x + box.width * (Double(step) / 7 - 0.1)
        unsafe cairo_move_to(context, x, box.y)
        unsafe cairo_line_to(context, x + box.height * 0.3, box.bottom)
        unsafe cairo_stroke(context)
        let y = box.y + box.height * Double(step) / 7
        unsafe cairo_move_to(context, box.x, y + 10)
        unsafe cairo_line_to(context, box.right, y - box.height * 0.1)
        unsafe cairo_stroke(context)
      }
      unsafe cairo_restore(context)
    }

    private mutating func paint(_ text: DrawnText) {
      let layout = unsafe pango_cairo_create_layout(context)
      defer { unsafe g_object_unref(UnsafeMutableRawPointer(layout)) }
      let font = unsafe pango_font_description_from_string(text.style.isStrong ? "screen Semi-Bold" : "screen")
      unsafe pango_font_description_set_absolute_size(font, text.style.size * Double(PANGO_SCALE))
      unsafe pango_layout_set_font_description(layout, font)
      unsafe pango_font_description_free(font)
      unsafe pango_layout_set_text(layout, text.text, Int32(text.text.utf8.count))
      unsafe pango_layout_set_width(layout, Int32(text.box.width * Double(PANGO_SCALE)))
      unsafe pango_layout_set_height(layout, Int32(-max(1, text.lines)))
      unsafe pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
      unsafe pango_layout_set_alignment(layout, alignment(of: text, in: layout))
      var size: (width: Int32, height: Int32) = (0, 0)
      unsafe pango_layout_get_pixel_size(layout, &size.width, &size.height)
      if unsafe pango_layout_is_ellipsized(layout) != 0 { cut.append(text.text) }
      set(text.ink)
      unsafe cairo_move_to(context, text.box.x, text.box.y + max(0, (text.box.height - Double(size.height)) / 2))
      unsafe pango_cairo_show_layout(context, layout)
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
