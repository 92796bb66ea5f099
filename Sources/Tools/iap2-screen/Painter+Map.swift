// swift-iap2 · Apache-2.0

#if Screen
  import CPango
  import CarPlayPlatform
  import CarPlayScreen
  import Foundation

  extension Painter {
    /// Paints the plain map, and the views of the app's window over it.
    mutating func paint(_ map: DrawnMap) {
      if !map.isCovered { paintPlain(map, in: map.box) }
      paintParts(of: map)
    }

    /// Paints an area of the plain map.
    func paintPlain(_ map: DrawnMap, in area: Box) {
      unsafe cairo_save(context)
      unsafe cairo_set_antialias(context, CAIRO_ANTIALIAS_FAST)
      round(area, 0)
      unsafe cairo_clip(context)
      setMap(.land)
      unsafe cairo_paint(context)
      let plain = PlainMap(map, in: area)
      for kind in PlainMap.Kind.allCases { paint(plain.lines(of: kind), as: kind) }
      unsafe cairo_restore(context)
    }

    /// Paints the views of the app's window over the map.
    mutating func paintParts(of map: DrawnMap) {
      unsafe cairo_save(context)
      unsafe cairo_set_antialias(context, CAIRO_ANTIALIAS_FAST)
      round(map.box, 0)
      unsafe cairo_clip(context)
      for part in map.map.parts { paint(part, in: map.box) }
      unsafe cairo_restore(context)
    }

    /// Puts the pixels of a box onto the screen.
    ///
    /// - Parameters:
    ///   - pixels: The pixels of the whole screen.
    ///   - box: The box.
    ///   - shift: The distance in pixels by which they are moved.
    func put(_ pixels: Surface, in box: Box, shift: (x: Int, y: Int) = (0, 0)) {
      unsafe cairo_save(context)
      round(box, 0)
      unsafe cairo_clip(context)
      unsafe cairo_identity_matrix(context)
      unsafe cairo_set_source_surface(context, pixels.pointer, Double(shift.x), Double(shift.y))
      unsafe cairo_paint(context)
      unsafe cairo_restore(context)
    }

    private func setMap(_ ink: Ink) { set(ink, style: list.mapStyle) }

    private func paint(_ lines: [[SymbolShape.Point]], as kind: PlainMap.Kind) {
      guard !lines.isEmpty else { return }
      // Narrow lines need no round corners, which cost most of a map's time.
      let isWide = kind == .river || kind == .route
      unsafe cairo_set_line_join(context, isWide ? CAIRO_LINE_JOIN_ROUND : CAIRO_LINE_JOIN_BEVEL)
      switch kind {
      case .park:
        setMap(.park)
        for line in lines { trace(line) }
        unsafe cairo_fill(context)
      case .river: stroke(lines, 26, .water)
      case .street: stroke(lines, 2, .road)
      case .avenue: stroke(lines, 5, .road)
      case .route:
        stroke(lines, 9, .land)
        stroke(lines, 6, .route)
      case .place: for point in lines.joined() { place(point) }
      }
    }

    private func stroke(_ lines: [[SymbolShape.Point]], _ width: Double, _ ink: Ink) {
      setMap(ink)
      unsafe cairo_set_line_width(context, width)
      for line in lines { trace(line) }
      unsafe cairo_stroke(context)
    }

    /// The place of the car.
    private func place(_ point: SymbolShape.Point) {
      for (radius, ink) in [(10.0, Ink.land), (8, .route)] {
        setMap(ink)
        unsafe cairo_new_sub_path(context)
        unsafe cairo_arc(context, point.x, point.y, radius, 0, 2 * Double.pi)
        unsafe cairo_fill(context)
      }
    }

    private mutating func paint(_ part: CarMap.Part, in box: Box) {
      let frame = Box(part.frame.minX + box.x, part.frame.minY + box.y, part.frame.width, part.frame.height)
      if let ground = part.ground {
        set(ground)
        round(frame, 0)
        unsafe cairo_fill(context)
      }
      if let id = part.image, let pixels = images.surface(id) {
        put(pixels, in: frame, fills: false)
      }
      if let text = part.text { write(text, in: frame, size: part.size ?? 17, part.ink) }
    }

    private func set(_ color: CarColor) {
      unsafe cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
    }

    /// Writes the text of a label: one line at its left side, in the middle of its height.
    private func write(_ text: String, in frame: Box, size: Double, _ ink: CarColor?) {
      guard !frame.isEmpty else { return }
      // The library counts a width in an Int32.
      let layout = unsafe layout(text, size: size, isStrong: false, width: min(frame.width, 1e5), lines: 1)
      defer { unsafe g_object_unref(UnsafeMutableRawPointer(layout)) }
      set(ink ?? CarColor(red: 0, green: 0, blue: 0))
      unsafe cairo_move_to(context, frame.x, frame.y + (frame.height - height(of: layout)) / 2)
      unsafe pango_cairo_show_layout(context, layout)
    }
  }
#endif
