// swift-iap2 · Apache-2.0

import Glibc

/// What happens to a gadget on its bus.
public enum GadgetEvent: Sendable {
  /// Its controller shows it, or shows it no more.
  case bound, unbound
  /// A host has it and may use it.
  case configured
  /// The host has reset its bus, and will configure the gadget again if it likes.
  case reset
  case unplugged
  /// The cable was pulled or the host has given the configuration up: this controller does not tell which.
  case unconfigured
  case suspended, resumed
}

extension GadgetEvent {
  /// Nil for what is between the host and the function alone.
  ///
  /// - Parameter state: what the controller says of its bus.
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

  /// FunctionFS has one word for a reset and an unplug, the controller two (`usb_state_string` of Linux's
  /// drivers/usb/common/common.c); `dummy_hcd` has none for an unplug (seen in the lab, 31-usb-suspend).
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

  /// A function is told a moment before the controller's state changes. A host holds a reset for 10 ms at least (USB 2.0,
  /// section 7.1.7.5) before it can give an address.
  private static let stateReadings = 10
  private static let stateMicroseconds: UInt32 = 1000
}
