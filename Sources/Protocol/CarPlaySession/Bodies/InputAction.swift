// swift-iap2 · Apache-2.0

/// An action of a user at the head unit's input devices.
public enum InputAction: Sendable, Hashable {
  /// A finger touches a place of the screen, in pixels, and leaves the screen.
  case tap(x: Int, y: Int)
  /// A finger moves from a place to another one.
  case drag(x: Int, y: Int, toX: Int, toY: Int)
  /// A finger is at a place of the screen, or leaves the screen there.
  case finger(x: Int, y: Int, isDown: Bool)
  /// A button of the knob is pressed and released.
  case knob(KnobButton)
  /// The knob is turned; a negative number is counterclockwise.
  case turn(Int8)
  /// The knob is pushed and returns to rest.
  case nudge(x: Int8, y: Int8)
  /// A media key is pressed and released.
  case mediaKey(MediaKey)
  /// A telephony key is pressed and released.
  case telephonyKey(TelephonyKey)
  /// The voice button is pressed or released. A press is always followed by a release.
  case siri(isDown: Bool)

  /// The number of steps in a drag.
  private static let dragSteps = 8

  /// Returns the commands of the action for the standard devices of a screen.
  public func commands(width: Int, height: Int) -> [SessionCommand] {
    func reports(_ device: InputDevice, _ reports: [[UInt8]]) -> [SessionCommand] {
      reports.map { .inputReport(device: device.uuid, report: $0) }
    }
    let (width, height) = (UInt16(clamping: width), UInt16(clamping: height))
    let touchScreen = InputDevice.touchScreen(width: width, height: height)
    var screen = TouchScreen(width: width, height: height)
    switch self {
    case .tap(let x, let y): return reports(touchScreen, [screen.touch(x: x, y: y), screen.lift()])
    case .drag(let x, let y, let toX, let toY):
      let points = (0...Self.dragSteps).map { step in
        screen.touch(x: x + (toX - x) * step / Self.dragSteps, y: y + (toY - y) * step / Self.dragSteps)
      }
      return reports(touchScreen, points + [screen.lift()])
    case .finger(let x, let y, let isDown):
      let touch = screen.touch(x: x, y: y)
      return reports(touchScreen, [isDown ? touch : screen.lift()])
    case .knob(let button): return reports(.knob(), KnobReport.press(button))
    case .turn(let steps): return reports(.knob(), [KnobReport.turn(steps)])
    case .nudge(let x, let y): return reports(.knob(), KnobReport.nudge(x: x, y: y))
    case .mediaKey(let key): return reports(.mediaKeys(), key.press)
    case .telephonyKey(let key): return reports(.telephonyKeys(), key.press)
    case .siri(let isDown): return [.requestSiri(isDown ? .buttonDown : .buttonUp)]
    }
  }
}
