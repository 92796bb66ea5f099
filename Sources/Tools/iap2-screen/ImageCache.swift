// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CTurboJPEG
  import CarPlayPlatform
  import Foundation

  /// The images of the app as pixels, by their names. An image that cannot be decoded has none.
  final class ImageCache {
    /// The pixels of an image that is decoded: more than any screen of a car has.
    private static let maximumPixels = 16 << 20
    /// The longest side in pixels that is kept: no part of a screen is larger. An image has then at most 4 MiB.
    private static let keptSide = 1024.0
    /// The longest side in pixels of an image behind a screen.
    private static let blurredSide = 12.0
    private var surfaces: [String: Surface] = [:]
    private var small: [String: Surface] = [:]
    private var shapes: Set<String> = []
    private var fitted: [Fit: Surface] = [:]

    /// An image as large as a place needs it.
    private struct Fit: Hashable {
      var id: String
      var side: Int
    }

    /// Whether only the opacity of an image counts.
    func isShape(_ id: String) -> Bool { shapes.contains(id) }

    /// Returns an image whose longest side has as many pixels as a place needs, if the image has more; nil without any.
    func surface(_ id: String, longestSide side: Double) -> Surface? {
      guard let surface = surfaces[id] else { return nil }
      let fit = Fit(id: id, side: Int(min(max(1, side.rounded(.up)), Self.keptSide)))
      guard Double(fit.side) < max(surface.width, surface.height) else { return surface }
      if let known = fitted[fit] { return known }
      if fitted.count >= CarImage.maximumCount { fitted = [:] }
      let made = Self.turned(surface, 0, side: Double(fit.side))
      fitted[fit] = made
      return made
    }

    /// Returns an image as some pixels, which a large box shows as a gradient; nil without any.
    func blurred(_ id: String) -> Surface? {
      if small[id] == nil { small[id] = surfaces[id].map { Self.turned($0, 0, side: Self.blurredSide) } }
      return small[id]
    }

    /// Returns the pixels of an image; nil without any.
    func surface(_ id: String) -> Surface? { surfaces[id] }

    func removeAll() { (surfaces, small, shapes, fitted) = ([:], [:], [], [:]) }

    func add(_ image: CarImage) {
      guard surfaces[image.id] == nil, surfaces.count < CarImage.maximumCount else { return }
      let isPNG = image.data.starts(with: [0x89, 0x50, 0x4E, 0x47])
      guard let decoded = isPNG ? Self.png(image.data) : Self.jpeg(image.data) else { return }
      surfaces[image.id] = Self.turned(decoded, image.turns, side: Self.keptSide)
      if image.isShape { shapes.insert(image.id) }
    }

    /// Decodes a PNG file. Its header begins with the size (PNG specification, 11.2.2).
    private static func png(_ data: Data) -> Surface? {
      let header = Array(data.prefix(24))
      guard header.count == 24 else { return nil }
      func number(_ start: Int) -> Int { header[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
      let (width, height) = (number(16), number(20))
      guard width > 0, height > 0, width <= maximumPixels / height else { return nil }
      var rest = data[...]
      let surface = unsafe withUnsafeMutablePointer(to: &rest) { rest in
        unsafe Surface(
          cairo_image_surface_create_from_png_stream(
            { closure, target, count in
              guard let rest = unsafe closure?.assumingMemoryBound(to: Data.self), let target = unsafe target,
                unsafe rest.pointee.count >= Int(count)
              else { return CAIRO_STATUS_READ_ERROR }
              unsafe rest.pointee.copyBytes(to: target, count: Int(count))
              unsafe rest.pointee.removeFirst(Int(count))
              return CAIRO_STATUS_SUCCESS
            }, rest))
      }
      return unsafe cairo_surface_status(surface.pointer) == CAIRO_STATUS_SUCCESS ? surface : nil
    }

    private static func jpeg(_ data: Data) -> Surface? {
      guard let reader = unsafe tjInitDecompress() else { return nil }
      defer { unsafe tjDestroy(reader) }
      let bytes = [UInt8](data)
      var (width, height, sampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
      guard
        unsafe tjDecompressHeader3(reader, bytes, UInt(bytes.count), &width, &height, &sampling, &colors) == 0,
        width > 0, height > 0, Int(width) <= maximumPixels / Int(height)
      else { return nil }
      let surface = unsafe Surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height))
      unsafe cairo_surface_flush(surface.pointer)
      let isDecoded =
        unsafe tjDecompress2(
          reader, bytes, UInt(bytes.count), cairo_image_surface_get_data(surface.pointer), width,
          cairo_image_surface_get_stride(surface.pointer), height, Int32(TJPF_BGRX.rawValue), 0) == 0
      // A warning, such as a cut end, leaves the lines before it.
      let isWarned = unsafe tjGetErrorCode(reader) == Int32(TJERR_WARNING.rawValue)
      guard isDecoded || isWarned else { return nil }
      unsafe cairo_surface_mark_dirty(surface.pointer)
      return surface
    }

    /// Returns the pixels turned, with no side longer than a length.
    private static func turned(_ source: Surface, _ turns: Int, side: Double) -> Surface {
      let turns = ((turns % 4) + 4) % 4
      let scale = min(1, side / max(source.width, source.height))
      let (width, height) = (source.width * scale, source.height * scale)
      let size = turns % 2 == 0 ? (width, height) : (height, width)
      let target = Surface(width: max(1, size.0.rounded()), height: max(1, size.1.rounded()))
      let context = unsafe cairo_create(target.pointer)
      defer { unsafe cairo_destroy(context) }
      unsafe cairo_translate(context, size.0 / 2, size.1 / 2)
      unsafe cairo_rotate(context, Double(turns) * .pi / 2)
      unsafe cairo_scale(context, scale, scale)
      unsafe cairo_set_source_surface(context, source.pointer, -source.width / 2, -source.height / 2)
      unsafe cairo_paint(context)
      return target
    }
  }
#endif
