// swift-iap2 · Apache-2.0

package import CarPlayPlatform
package import CarPlaySession

/// The main screen of a head unit, by its answer to `/info`.
package struct HeadUnitScreen: Sendable {
  /// The car: the screen, its input and its styles.
  package var settings: CarSettings
  /// The place of the phone's screen on the display, in pixels: that of the view area.
  package var x, y: Int
  /// The most pictures per second.
  package var rate: Int

  /// Returns whether the phone draws and encodes pictures of a size in pixels.
  static func canDraw(_ width: Int, _ height: Int) -> Bool {
    min(width, height) >= CarScreen.sides.lowerBound && max(width, height) <= CarScreen.filmSides.longer
      && min(width, height) <= CarScreen.filmSides.shorter
  }

  /// The pictures per second of a display that says nothing.
  private static let usualRate = 60

  /// - Parameters:
  ///   - info: The head unit's answer to `/info`.
  ///   - index: The index of the view area; nil for the initial one.
  /// - Throws: The reason if the phone draws no screen of that size, or if there is no such view area.
  package init(_ info: SessionInfo, area index: Int? = nil) throws(ValueProblem) {
    var settings = CarSettings(name: info.name ?? "CarPlay")
    guard let display = info.mainDisplay, let width = display.width, let height = display.height else {
      throw ValueProblem("/info", is: "it has no screen", expected: "displays with widthPixels and heightPixels")
    }
    let area = display.area(index)
    if let index, area == nil {
      throw ValueProblem("viewAreaIndex", is: "it is \(index)", expected: "an index of viewAreas")
    }
    let pixels = (width: area?.width ?? width, height: area?.height ?? height)
    guard Self.canDraw(pixels.width, pixels.height) else {
      throw ValueProblem(
        "/info", is: "its screen has \(pixels.width) × \(pixels.height) pixels",
        expected: "at least \(CarScreen.sides.lowerBound) a side, and at most \(CarScreen.filmSides.longer) × "
          + "\(CarScreen.filmSides.shorter)")
    }
    // H.264 has even sides.
    (settings.screen.pixelWidth, settings.screen.pixelHeight) = (pixels.width & ~1, pixels.height & ~1)
    settings.screen.scale = Self.scale(of: display)
    if let safe = area?.safeArea, let insets = CarInsets(safe, of: pixels, in: area) {
      settings.screen.safeArea = insets
    }
    settings.screen.drivingSide = info.rightHandDrive == true ? .right : .left
    settings.screen.dock = pixels.width < pixels.height ? .bottom : .leading
    settings.inputs = Self.inputs(display, info.inputDevices ?? [])
    settings.appearance = info.nightMode == true ? .dark : .light
    settings.contentStyle = settings.appearance
    self.settings = settings
    func place(_ pixels: Int?) -> Int { min(max(pixels ?? 0, 0), CarScreen.sides.upperBound) }
    (x, y) = (place(area?.x), place(area?.y))
    rate = display.maximumFrameRate ?? Self.usualRate
  }

  /// The pixels per millimeter above which a point has three pixels instead of two. Ours: Apple publishes no rule.
  private static let finePixels = 8.0

  /// Returns the pixels per point.
  private static func scale(of display: DisplayInfo) -> Int {
    guard let millimeters = display.physicalWidth, millimeters > 0, let width = display.width else { return 2 }
    return Double(width) / Double(millimeters) > finePixels ? 3 : 2
  }

  /// Returns the inputs of a display: by its features, or else by the devices of the head unit.
  private static func inputs(_ display: DisplayInfo, _ devices: [InputDevice]) -> Set<CarInput> {
    let features = display.features ?? 0
    var inputs = Set(CarInput.allCases.filter { features & $0.displayFeature != 0 })
    if inputs.contains(.touch) { inputs.remove(.lowFidelityTouch) }
    // A head unit with a touch screen and a knob names the one for which the phone makes its screen.
    if display.primaryInputDevice == 1, inputs.contains(where: \.points) { inputs = inputs.filter { !$0.movesFocus } }
    if inputs.isEmpty { inputs = [.touch] }
    if !devices.isEmpty { inputs.insert(.keys) }
    return inputs
  }
}

extension SessionInfo {
  /// The first main display; nil without one.
  var mainDisplay: DisplayInfo? {
    displays?.first { $0.type == nil || $0.type == StreamType.screen.rawValue } ?? displays?.first
  }
}

extension DisplayInfo {
  /// Returns the view area with an index, or the one that is used at the start; nil without it.
  fileprivate func area(_ index: Int?) -> ViewArea? {
    guard let areas = viewAreas, !areas.isEmpty else { return nil }
    if let index { return areas.indices.contains(index) ? areas[index] : nil }
    return areas.indices.contains(initialViewArea ?? 0) ? areas[initialViewArea ?? 0] : areas[0]
  }
}

extension ViewArea {
  fileprivate var safeArea: ViewArea? { values["safeArea"].flatMap(ViewArea.init(propertyValue:)) }
  fileprivate var x: Int? { values["originXPixels"]?.integer.map { Int(clamping: $0) } }
  fileprivate var y: Int? { values["originYPixels"]?.integer.map { Int(clamping: $0) } }
}

extension CarInsets {
  /// Creates the distances of a safe area in pixels of the screen; nil if the area is not inside the screen.
  fileprivate init?(_ safe: ViewArea, of pixels: (width: Int, height: Int), in area: ViewArea?) {
    guard let width = safe.width, let height = safe.height, width > 0, height > 0,
      let left = safe.x?.subtracting(area?.x), let top = safe.y?.subtracting(area?.y),
      (0...pixels.width).contains(left), (0...pixels.height).contains(top),
      width <= pixels.width - left, height <= pixels.height - top
    else { return nil }
    self.init(top: top, left: left, bottom: pixels.height - top - height, right: pixels.width - left - width)
  }
}

extension Int {
  /// Returns the distance from a place, which is 0 if it is nil; nil if no number has it.
  fileprivate func subtracting(_ place: Int?) -> Int? {
    let (distance, isTooLarge) = subtractingReportingOverflow(place ?? 0)
    return isTooLarge ? nil : distance
  }
}
