// swift-iap2 · Apache-2.0

import Glibc

/// An event of a gadget on its bus.
public enum GadgetEvent: Sendable {
  /// The gadget was bound to its controller, or unbound from it.
  case bound, unbound
  /// A host has configured the gadget and may use it.
  case configured
  /// The host has reset the bus, and may configure the gadget again.
  case reset
  /// The cable was pulled.
  case unplugged
  /// The cable was pulled or the host has given up the configuration. This controller does not report which.
  case unconfigured
  /// The host has suspended or resumed the bus.
  case suspended, resumed
}

extension GadgetEvent {
  /// Converts an event of FunctionFS. Returns nil for a control request, which concerns only the host and the function.
  ///
  /// - Parameter state: Returns the controller's report of its bus state.
  init?(_ event: FunctionEvent, state: () -> String?) {
    switch event {
    case .bind: self = .bound
    case .unbind: self = .unbound
    case .enable: self = .configured
    case .disable: self = Self.end(state)
    case .suspend: self = .suspended
    case .resume: self = .resumed
    case .setup: return nil
    }
  }

  /// Returns the reason of a `disable`. FunctionFS reports a reset and an unplug as the same event; the controller's
  /// state distinguishes them (`usb_state_string` of Linux's drivers/usb/common/common.c). `dummy_hcd` has no state for
  /// an unplug (seen in the lab, 31-usb-suspend).
  private static func end(_ state: () -> String?) -> GadgetEvent {
    for _ in 0..<stateReadings {
      switch state() {
      case "default": return .reset
      case "not attached": return .unplugged
      default: usleep(stateMicroseconds)
      }
    }
    return .unconfigured
  }

  /// The number of state readings and the time between them. The event arrives a moment before the controller's state
  /// changes. A host holds a reset for at least 10 ms (USB 2.0, section 7.1.7.5) before it can assign an address.
  private static let stateReadings = 10
  private static let stateMicroseconds: UInt32 = 1000
}
