// swift-iap2 · Apache-2.0

import Basics

/// The fingers on a touch screen of the head unit, and their reports. Source: CarPlaySession.md#hid-touch-screen.
public struct TouchScreen: Sendable, Hashable {
  /// A place for a finger in the report.
  public enum Slot: UInt8, Sendable, Hashable, CaseIterable {
    /// The first finger.
    case first = 0
    /// The second finger.
    case second
  }

  private struct Finger: Sendable, Hashable {
    var isTouching: Bool
    var x, y: UInt16
  }

  /// The size of the display in pixels.
  public let width, height: UInt16
  private var fingers: [Slot: Finger] = [:]

  /// Creates a screen that no finger touches.
  public init(width: UInt16, height: UInt16) { (self.width, self.height) = (width, height) }

  /// Returns the report of a finger that touches the screen or moves on it.
  ///
  /// - Parameters:
  ///   - x: The distance from the left edge in pixels. A finger outside of the screen counts at its edge.
  ///   - y: The distance from the top edge in pixels.
  ///   - slot: The slot of the finger.
  public mutating func touch(x: Int, y: Int, slot: Slot = .first) -> [UInt8] {
    let (x, y) = (min(UInt16(clamping: x), width), min(UInt16(clamping: y), height))
    fingers[slot] = Finger(isTouching: true, x: x, y: y)
    return report
  }

  /// Returns the report of a finger that leaves the screen. It has the last position of the finger; later reports have
  /// zeros for the slot.
  public mutating func lift(slot: Slot = .first) -> [UInt8] {
    fingers[slot]?.isTouching = false
    defer { fingers[slot] = nil }
    return report
  }

  private var report: [UInt8] {
    Slot.allCases.flatMap { slot in
      let finger = fingers[slot] ?? Finger(isTouching: false, x: 0, y: 0)
      return [slot.rawValue, finger.isTouching ? 1 : 0] + finger.x.littleEndianBytes + finger.y.littleEndianBytes
    }
  }
}

/// A button of a knob.
public enum KnobButton: String, Sendable, Hashable, CaseIterable {
  /// The knob itself, which can be pressed.
  case select
  /// The button that leads to the home screen.
  case home
  /// The button that leads back.
  case back
}

/// A report of a knob of the head unit. Source: CarPlaySession.md#hid-knob.
public struct KnobReport: Sendable, Hashable {
  /// The buttons that are pressed.
  public var buttons: Set<KnobButton>
  /// The deflection of the knob to the right and down, -127 to 127; -128 counts as -127.
  public var x, y: Int8
  /// The steps that the knob was turned since the last report, clockwise; -128 counts as -127.
  public var wheel: Int8

  /// Creates a report. The default is the report of a knob at rest.
  public init(buttons: Set<KnobButton> = [], x: Int8 = 0, y: Int8 = 0, wheel: Int8 = 0) {
    (self.buttons, self.x, self.y, self.wheel) = (buttons, x, y, wheel)
  }

  /// The bytes of the report.
  public var bytes: [UInt8] {
    let bits = KnobButton.allCases.enumerated().reduce(UInt8(0)) { bits, button in
      buttons.contains(button.element) ? bits | 1 << UInt8(button.offset) : bits
    }
    return [bits] + [x, y, wheel].map { UInt8(bitPattern: max($0, -127)) }
  }

  /// Returns the reports of a short press.
  public static func press(_ button: KnobButton) -> [[UInt8]] { [Self(buttons: [button]).bytes, Self().bytes] }

  /// Returns the reports of a short deflection.
  public static func nudge(x: Int8, y: Int8) -> [[UInt8]] { [Self(x: x, y: y).bytes, Self().bytes] }

  /// Returns the report of a turn in steps, clockwise.
  public static func turn(_ steps: Int8) -> [UInt8] { Self(wheel: steps).bytes }
}
