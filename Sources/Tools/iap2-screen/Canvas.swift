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
    /// The list of the last pixels that were handed out.
    private var handed: DrawList?
    /// The film of H.264: its encoder, and the list of its last picture.
    private var film: (encoder: VideoEncoder, list: DrawList)?

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

    /// Forgets the images of the app.
    func forgetImages() { images.removeAll() }

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

    /// Draws a list as PNG.
    func png(_ list: DrawList) throws -> Picture {
      let (surface, cut) = frame(list)
      unsafe cairo_surface_flush(surface.pointer)
      let sink = ByteSink()
      try unsafe check(cairo_surface_write_to_png_stream(surface.pointer, ByteSink.write, sink.pointer))
      return Picture(bytes: sink.bytes, width: Int(surface.width), height: Int(surface.height), cut: cut)
    }

    /// Draws a list as SVG.
    func svg(_ list: DrawList) throws -> Picture {
      let (width, height) = (list.width * list.scale, list.height * list.scale)
      let sink = ByteSink()
      let surface = unsafe Surface(cairo_svg_surface_create_for_stream(ByteSink.write, sink.pointer, width, height))
      var cut: Set<DrawnText> = []
      paint(list, nil, on: surface, &cut, isLines: true)
      unsafe cairo_surface_finish(surface.pointer)
      try unsafe check(cairo_surface_status(surface.pointer))
      return Picture(
        bytes: sink.bytes, width: Int(width), height: Int(height), cut: list.texts.filter(cut.contains).map(\.text))
    }

    /// Draws a list in memory, and returns the pixels of the boxes in which parts differ from those of the last call.
    func pixels(_ list: DrawList) throws -> Picture {
      let (surface, cut) = frame(list)
      let (width, height) = (Int(surface.width), Int(surface.height))
      unsafe cairo_surface_flush(surface.pointer)
      guard let data = unsafe cairo_image_surface_get_data(surface.pointer) else { throw Self.noMemory(surface) }
      let all = unsafe UnsafeBufferPointer(start: data, count: width * height * ScreenPixels.pixelByteCount)
      let boxes = Self.boxes(from: handed, to: list, on: surface)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(boxes.reduce(0) { $0 + $1.width * $1.height * ScreenPixels.pixelByteCount })
      for box in boxes {
        for row in box.y..<box.y + box.height {
          for column in box.x..<box.x + box.width {
            // Cairo has blue first in memory, and the screen has no transparent pixel.
            let start = (row * width + column) * ScreenPixels.pixelByteCount
            unsafe bytes.append(all[start + 2])
            unsafe bytes.append(all[start + 1])
            unsafe bytes.append(all[start])
            bytes.append(255)
          }
        }
      }
      handed = list
      return Picture(bytes: bytes, width: width, height: height, boxes: boxes, cut: cut)
    }

    /// Returns the boxes of pixels in which parts differ between two lists; the whole screen without an earlier list.
    private static func boxes(from earlier: DrawList?, to list: DrawList, on surface: Surface) -> [ScreenPixels.Box] {
      let (width, height) = (Int(surface.width), Int(surface.height))
      let whole = ScreenPixels.Box(x: 0, y: 0, width: width, height: height)
      guard let damage = earlier.flatMap({ Damage(from: $0, to: list) }) else { return [whole] }
      var boxes: [ScreenPixels.Box] = []
      for box in damage.boxes {
        guard let box = box.pixels(scale: list.scale, width: width, height: height),
          !boxes.contains(where: { $0.contains(box) })
        else { continue }
        boxes.removeAll { box.contains($0) }
        boxes.append(box)
      }
      return boxes.reduce(0, { $0 + $1.width * $1.height }) >= width * height ? [whole] : boxes
    }

    /// Draws a list as the next picture of the film of H.264. A picture of another size begins a new film.
    ///
    /// - Parameter isKeyFrame: Whether the picture must stand alone.
    func film(_ list: DrawList, isKeyFrame: Bool) throws -> Picture {
      let clock = ContinuousClock()
      let start = clock.now
      let (surface, cut) = frame(list)
      let drawn = clock.now
      let (width, height) = (Int(surface.width), Int(surface.height))
      if film.map({ ($0.encoder.width, $0.encoder.height) != (width & ~1, height & ~1) }) ?? true { film = nil }
      let encoder = try film?.encoder ?? VideoEncoder(width: width, height: height)
      try encoder.take(Self.boxes(from: film?.list, to: list, on: surface), of: surface)
      film = (encoder, list)
      let unit = try encoder.encode(isKeyFrame: isKeyFrame)
      let targets = list.targets.compactMap { target in
        target.box.pixels(scale: list.scale, width: width, height: height).map {
          ScreenTarget(name: target.name, part: target.part, box: $0)
        }
      }
      return Picture(
        bytes: unit.bytes, width: encoder.width, height: encoder.height, cut: cut,
        film: ScreenFilm(
          isKeyFrame: unit.isKeyFrame, targets: targets, lastFirstRow: list.lastFirstRow,
          drawingTime: (drawn - start) / .milliseconds(1), encodingTime: (clock.now - drawn) / .milliseconds(1)))
    }

    static func noMemory(_ surface: Surface) -> ScreenProblem {
      ScreenProblem("there is no memory for \(Int(surface.width)) x \(Int(surface.height)) pixels")
    }

    private func check(_ status: cairo_status_t) throws {
      guard status != CAIRO_STATUS_SUCCESS else { return }
      throw ScreenProblem(unsafe String(cString: cairo_status_to_string(status)))
    }
  }

  extension Box {
    /// Returns the pixels that the box touches; nil for none.
    fileprivate func pixels(scale: Double, width: Int, height: Int) -> ScreenPixels.Box? {
      func clamped(_ place: Double, _ limit: Int) -> Int { Int(min(max(place, 0), Double(limit))) }
      let left = clamped((x * scale).rounded(.down), width)
      let top = clamped((y * scale).rounded(.down), height)
      let right = clamped((self.right * scale).rounded(.up), width)
      let bottom = clamped((self.bottom * scale).rounded(.up), height)
      guard left < right, top < bottom else { return nil }
      return ScreenPixels.Box(x: left, y: top, width: right - left, height: bottom - top)
    }
  }

  extension ScreenPixels.Box {
    fileprivate func contains(_ other: Self) -> Bool {
      x <= other.x && y <= other.y && other.x + other.width <= x + width && other.y + other.height <= y + height
    }
  }

  /// Takes the bytes that a library of C writes.
  @safe final class ByteSink {
    var bytes: [UInt8] = []

    /// The pointer that the library gives back to ``write``. The sink must live as long as the library writes.
    var pointer: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// Adds bytes for Cairo.
    static let write: cairo_write_func_t = { pointer, data, count in
      guard let pointer = unsafe pointer, let data = unsafe data else { return CAIRO_STATUS_WRITE_ERROR }
      let sink = unsafe Unmanaged<ByteSink>.fromOpaque(pointer).takeUnretainedValue()
      unsafe sink.bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
      return CAIRO_STATUS_SUCCESS
    }
  }
#endif
