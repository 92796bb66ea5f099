// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CarPlayPlatform
  import CarPlayScreen
  import Foundation

  extension Painter {
    mutating func paint(_ image: DrawnImage) {
      guard let id = image.id, let whole = images.surface(id) else { return placeholder(image) }
      // Many screens show an image in one size, so it is made smaller once.
      let (across, down) = (image.box.width / whole.width, image.box.height / whole.height)
      let scale = (image.fills ? max(across, down) : min(across, down)) * list.scale
      let pixels = images.surface(id, longestSide: max(whole.width, whole.height) * scale) ?? whole
      unsafe cairo_save(context)
      defer { unsafe cairo_restore(context) }
      if image.corner > 0 {
        round(image.box, image.corner)
        unsafe cairo_clip(context)
      }
      let isShape = images.isShape(id)
      if isShape { set(image.ink) }
      put(pixels, in: image.box, fills: image.fills, isShape: isShape)
    }

    /// The colors of an image behind a screen.
    func backdrop(_ id: String, _ box: Box) {
      guard let pixels = images.blurred(id) else { return }
      unsafe cairo_save(context)
      defer { unsafe cairo_restore(context) }
      round(box, 0)
      unsafe cairo_clip(context)
      put(pixels, in: box, fills: true, alpha: Ink.backdropShare(list.style))
    }

    /// Draws pixels into a box: whole in its middle, or so that they fill it and are cut by the clip.
    func put(_ pixels: Surface, in box: Box, fills: Bool, isShape: Bool = false, alpha: Double = 1) {
      let (width, height) = (pixels.width, pixels.height)
      let (across, down) = (box.width / width, box.height / height)
      let scale = fills ? max(across, down) : min(across, down)
      unsafe cairo_save(context)
      defer { unsafe cairo_restore(context) }
      if fills {
        round(box, 0)
        unsafe cairo_clip(context)
      }
      unsafe cairo_translate(
        context, box.x + (box.width - width * scale) / 2, box.y + (box.height - height * scale) / 2)
      unsafe cairo_scale(context, scale, scale)
      if isShape {
        unsafe cairo_mask_surface(context, pixels.pointer, 0, 0)
      } else {
        unsafe cairo_set_source_surface(context, pixels.pointer, 0, 0)
        unsafe cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        unsafe cairo_rectangle(context, 0, 0, width, height)
        unsafe cairo_clip(context)
        unsafe cairo_paint_with_alpha(context, alpha)
      }
    }

    /// A picture that is not here: its first letter on a ground whose color comes from the name.
    private mutating func placeholder(_ image: DrawnImage) {
      let box = image.box
      set(.control)
      round(box, image.corner)
      unsafe cairo_fill(context)
      let letter = image.name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() } ?? "?"
      let style: TextStyle = box.height >= 40 ? .large : .body
      paint(
        DrawnText(
          text: letter, box: Box(box.x, box.y + (box.height - style.lineHeight) / 2, box.width, style.lineHeight),
          style: style, ink: .secondary, ground: .control, alignment: .center))
    }
  }
#endif
