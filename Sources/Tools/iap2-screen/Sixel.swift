// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CSixel
  import CarPlayScreen

  extension Canvas {
    /// The most colors that libsixel gives a picture (`SIXEL_PALETTE_MAX`). It chooses them by the picture.
    private static let maximumColors = 256

    /// Draws a list as the sequences that show it on a terminal with sixels.
    func sixel(_ list: DrawList, colors: Int?) throws -> Picture {
      let (surface, cut) = frame(list)
      let (width, height) = (Int(surface.width), Int(surface.height))
      unsafe cairo_surface_flush(surface.pointer)
      guard let data = unsafe cairo_image_surface_get_data(surface.pointer) else { throw Self.noMemory(surface) }
      // A row of four bytes a pixel has no gap at its end, as libsixel wants it. The frame is kept, so it gets a copy.
      var pixels = unsafe [UInt8](UnsafeBufferPointer(start: data, count: width * height * 4))
      let sink = ByteSink()
      let status = unsafe Self.encode(
        &pixels, Int32(width), Int32(height), Int32(max(2, min(colors ?? Self.maximumColors, Self.maximumColors))),
        to: sink)
      guard Self.isDone(status) else { throw ScreenProblem(unsafe String(cString: sixel_helper_format_error(status))) }
      return Picture(bytes: sink.bytes, width: width, height: height, cut: cut)
    }

    /// Whether a status of libsixel is not one of its failures (`SIXEL_SUCCEEDED`).
    private static func isDone(_ status: SIXELSTATUS) -> Bool { status & 0x1000 == 0 }

    /// Writes pixels, which it may change. Returns libsixel's status.
    private static func encode(
      _ pixels: UnsafeMutablePointer<UInt8>, _ width: Int32, _ height: Int32, _ colors: Int32,
      to sink: ByteSink
    ) -> SIXELSTATUS {
      var writer: OpaquePointer?
      var palette: OpaquePointer?
      defer {
        if unsafe writer != nil { unsafe sixel_output_unref(writer) }
        if unsafe palette != nil { unsafe sixel_dither_unref(palette) }
      }
      let write: sixel_write_function = { text, count, pointer in
        guard let text = unsafe text, let pointer = unsafe pointer else { return -1 }
        let sink = unsafe Unmanaged<ByteSink>.fromOpaque(pointer).takeUnretainedValue()
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
        unsafe sink.bytes.append(contentsOf: bytes)
        return count
      }
      var status = unsafe sixel_output_new(&writer, write, sink.pointer, nil)
      if isDone(status) { status = unsafe sixel_dither_new(&palette, colors, nil) }
      if isDone(status) {
        status = unsafe sixel_dither_initialize(
          palette, pixels, width, height, Int32(SIXEL_PIXELFORMAT_BGRA8888), Int32(SIXEL_LARGE_AUTO),
          Int32(SIXEL_REP_AUTO), Int32(SIXEL_QUALITY_LOW))
      }
      return isDone(status) ? unsafe sixel_encode(pixels, width, height, 0, palette, writer) : status
    }
  }
#endif
