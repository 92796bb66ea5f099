// swift-iap2 · Apache-2.0

#if Screen
  import CPango

  /// Pixels of Cairo, which are freed with their last owner.
  @safe final class Surface {
    let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) { unsafe self.pointer = unsafe pointer }

    /// Creates clear pixels.
    convenience init(width: Double, height: Double) {
      unsafe self.init(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height)))
    }

    deinit { unsafe cairo_surface_destroy(pointer) }

    var width: Double { Double(unsafe cairo_image_surface_get_width(pointer)) }
    var height: Double { Double(unsafe cairo_image_surface_get_height(pointer)) }
  }
#endif
