// swift-iap2 · Apache-2.0

/// A change on an input device of the head unit.
public enum InputEvent: Sendable, Hashable {
  /// A finger touches the screen, moves on it or leaves it. The position is in pixels of the display. A finger on the
  /// far edge can have the width or the height as its position.
  case touch(slot: Int, isTouching: Bool, x: Int, y: Int)
  /// A button of a knob or a touchpad is pressed or released.
  case knobButton(KnobButton, isDown: Bool)
  /// The knob is deflected, or returns to rest, in units of the device.
  case knobNudge(x: Int, y: Int)
  /// The knob is turned, in steps. A negative number is counterclockwise.
  case knobWheel(steps: Int)
  /// A key is pressed or released: its usage page and usage.
  case key(page: UInt16, usage: UInt16, isDown: Bool)
}
