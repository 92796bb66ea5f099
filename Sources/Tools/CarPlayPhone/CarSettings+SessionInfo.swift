// swift-iap2 · Apache-2.0

package import CarPlayPlatform
package import CarPlaySession

extension CarSettings {
  /// The screen.
  package var display: DisplaySettings { DisplaySettings(width: screen.pixelWidth, height: screen.pixelHeight) }

  /// Returns the answer to `/info` of a head unit with the screen, the driver's side and the input of this car.
  package func sessionInfo(generation: Generation, deviceID: String) -> SessionInfo {
    var info = SessionInfo.standard(generation: generation, deviceID: deviceID, displays: [display])
    info.rightHandDrive = screen.drivingSide == .right
    info.nightMode = appearance == .dark
    info.displays = info.displays?.map { display in
      var display = display
      display.features = inputs.reduce(0) { $0 | $1.displayFeature }
      display.primaryInputDevice = inputs.contains(where: \.points) ? 1 : inputs.contains(.touchpad) ? 2 : 3
      display.viewAreas = [viewArea]
      return display
    }
    let hasTouch = inputs.contains(where: \.points)
    info.inputDevices = info.inputDevices?.filter { hasTouch || $0.uuid != InputDevice.touchScreenID }
    return info
  }

  private var viewArea: ViewArea {
    var area = ViewArea(width: screen.pixelWidth, height: screen.pixelHeight)
    let insets = screen.safeArea
    let safe = ViewArea(
      x: insets.left, y: insets.top, width: screen.pixelWidth - insets.left - insets.right,
      height: screen.pixelHeight - insets.top - insets.bottom)
    if case .dictionary(var values) = safe.propertyValue {
      values["safeArea"] = nil
      values["drawUIOutsideSafeArea"] = false
      area.values["safeArea"] = .dictionary(values)
    }
    return area
  }
}

extension CarInput {
  /// The bit of a display's features. The bits of coarse touch and of a touchpad are inferred.
  var displayFeature: Int {
    switch self {
    case .touch: 8
    case .lowFidelityTouch: 4
    case .knob: 2
    case .touchpad: 16
    case .keys: 0
    }
  }
}

extension InputDevice {
  fileprivate static let touchScreenID = InputDevice.touchScreen(width: 1, height: 1).uuid
}
