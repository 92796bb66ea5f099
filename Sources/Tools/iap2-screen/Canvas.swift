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

    private let images = ImageCache()
    private let maps = MapCache()
    /// The last frame: what is on it is not drawn again.
    private var last: (list: DrawList, surface: Surface, cut: Set<DrawnText>)?

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

    /// Takes an image of the app for the pictures to come.
    func add(_ image: CarImage) { images.add(image) }

    /// Forgets the last frame and its map, so that the next one is drawn whole.
    func forget() {
      last = nil
      maps.forget()
    }

    /// Draws a list in memory: the whole, or what differs from the last frame.
    ///
    /// - Returns: The pixels, and the texts that were shortened.
    @discardableResult
    func frame(_ list: DrawList) -> (surface: Surface, cut: [String]) {
      let damage = last.flatMap { Damage(from: $0.list, to: list) }
      if damage == nil { last = nil }
      let scale = list.scale
      let surface = last?.surface ?? Surface(width: list.width * scale, height: list.height * scale)
      var cut = last?.cut ?? []
      if damage?.boxes.isEmpty != true { paint(list, damage?.boxes, on: surface, &cut) }
      cut.formIntersection(list.texts)
      last = (list, surface, cut)
      return (surface, list.texts.filter(cut.contains).map(\.text))
    }

    /// Paints a list, or some boxes of it, and notes the texts that were shortened.
    private func paint(
      _ list: DrawList, _ boxes: [Box]?, on surface: Surface, _ cut: inout Set<DrawnText>, isLines: Bool = false
    ) {
      let context = unsafe cairo_create(surface.pointer)
      defer { unsafe cairo_destroy(context) }
      unsafe cairo_scale(context, list.scale, list.scale)
      var painter = unsafe Painter(context: context, list: list, images: images, maps: isLines ? nil : maps)
      painter.paint(only: boxes)
      cut.formUnion(painter.cut)
    }

    /// Draws a list into a file whose name says the format.
    func draw(_ list: DrawList, to file: String) -> Answer {
      if file.hasSuffix(".svg") { return drawLines(list, to: file) }
      guard file.hasSuffix(".png") else { return Answer(problem: "\(file): the name must end with .png, .svg or .six") }
      let (surface, cut) = frame(list)
      unsafe cairo_surface_flush(surface.pointer)
      return unsafe answer(cairo_surface_write_to_png(surface.pointer, file), file, cut)
    }

    private func drawLines(_ list: DrawList, to file: String) -> Answer {
      let scale = list.scale
      let surface = unsafe Surface(cairo_svg_surface_create(file, list.width * scale, list.height * scale))
      var cut: Set<DrawnText> = []
      paint(list, nil, on: surface, &cut, isLines: true)
      unsafe cairo_surface_finish(surface.pointer)
      return unsafe answer(cairo_surface_status(surface.pointer), file, list.texts.filter(cut.contains).map(\.text))
    }

    private func answer(_ status: cairo_status_t, _ file: String, _ cut: [String]) -> Answer {
      guard status == CAIRO_STATUS_SUCCESS else {
        return Answer(problem: "\(file): \(unsafe String(cString: cairo_status_to_string(status)))")
      }
      return Answer(file: file, cut: cut.isEmpty ? nil : cut)
    }
  }
#endif
