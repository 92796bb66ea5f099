// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CSixel
  import CarPlayScreen
  import Glibc

  extension Canvas {
    /// The most colors that libsixel gives a picture (`SIXEL_PALETTE_MAX`). It chooses them by the picture.
    private static let maximumColors = 256

    /// Draws a list into a file that a terminal with sixels shows when it is written to it.
    func drawSixel(_ list: DrawList, colors: Int?, to file: String) -> Answer {
      let (surface, cut) = frame(list)
      let (width, height) = (Int32(surface.width), Int32(surface.height))
      unsafe cairo_surface_flush(surface.pointer)
      guard let data = unsafe cairo_image_surface_get_data(surface.pointer) else {
        return Answer(problem: "\(file): there is no memory for \(width) x \(height) pixels")
      }
      // A row of four bytes a pixel has no gap at its end, as libsixel wants it. The frame is kept, so it gets a copy.
      var pixels = unsafe [UInt8](UnsafeBufferPointer(start: data, count: Int(width) * Int(height) * 4))
      guard let output = unsafe fopen(file, "we") else {
        return Answer(problem: "\(file): \(unsafe String(cString: strerror(errno)))")
      }
      let colors = Int32(max(2, min(colors ?? Self.maximumColors, Self.maximumColors)))
      let status = unsafe Self.encode(&pixels, width, height, colors, to: output)
      let isWritten = unsafe ferror(output) == 0
      guard unsafe fclose(output) == 0, isWritten else { return Answer(problem: "\(file) cannot be written") }
      guard Self.isDone(status) else {
        return Answer(problem: "\(file): \(unsafe String(cString: sixel_helper_format_error(status)))")
      }
      return Answer(file: file, cut: cut.isEmpty ? nil : cut)
    }

    /// Whether a status of libsixel is not one of its failures (`SIXEL_SUCCEEDED`).
    private static func isDone(_ status: SIXELSTATUS) -> Bool { status & 0x1000 == 0 }

    /// Writes pixels, which it may change. Returns libsixel's status.
    private static func encode(
      _ pixels: UnsafeMutablePointer<UInt8>, _ width: Int32, _ height: Int32, _ colors: Int32,
      to output: UnsafeMutablePointer<FILE>
    ) -> SIXELSTATUS {
      var writer: OpaquePointer?
      var palette: OpaquePointer?
      defer {
        if unsafe writer != nil { unsafe sixel_output_unref(writer) }
        if unsafe palette != nil { unsafe sixel_dither_unref(palette) }
      }
      let write: sixel_write_function = { bytes, count, output in
        Int32(unsafe fwrite(bytes, 1, Int(count), output?.assumingMemoryBound(to: FILE.self)))
      }
      var status = unsafe sixel_output_new(&writer, write, output, nil)
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
