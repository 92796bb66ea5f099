// swift-iap2 · Apache-2.0

import Basics
import Foundation

/// A call between the app, the car and the user, for the log.
public struct CarEvent: Sendable, Hashable, CustomStringConvertible {
  /// A direction of a call.
  public enum Direction: String, Sendable, Codable, Hashable {
    /// A call from the phone to the app's code.
    case toApp
    /// A call from the app to the framework.
    case fromApp
    /// An action of the user or the car.
    case car
    /// A remark of the host, such as the clock that a delay uses.
    case note
  }

  /// The virtual time since the car's start.
  public var time: Duration
  /// The direction.
  public var direction: Direction
  /// The called object, such as `scene delegate`; empty for the user and the car.
  public var object: String
  /// The method, or the event's name.
  public var name: String
  /// The relevant arguments, as text.
  public var detail: String
  /// Whether the app implements the method. The log also has the optional methods that the app does not implement.
  public var isImplemented: Bool

  /// Creates an event.
  public init(
    time: Duration, direction: Direction, object: String, name: String, detail: String, isImplemented: Bool = true
  ) {
    self.time = time
    self.direction = direction
    self.object = object
    self.name = name
    self.detail = detail
    self.isImplemented = isImplemented
  }

  /// The name of the remark that virtual time passes.
  package static let timePasses = "virtual time passes"

  /// The name and the detail.
  public var text: String { detail.isEmpty ? name : "\(name) \(detail)" }

  /// The event as one line.
  public var description: String {
    let arrow =
      switch direction {
      case .toApp: "car -> app"
      case .fromApp: "app -> car"
      case .car: "car"
      case .note: "note"
      }
    let receiver = object.isEmpty ? "" : "\(object) "
    return "\(time.secondsText) \(arrow): \(receiver)\(text)" + (isImplemented ? "" : " (not implemented)")
  }
}

/// The end of an app by the system.
public enum AppEnd: Sendable, Hashable, CustomStringConvertible {
  /// An exception of the framework.
  case exception(CarPlayException)
  /// A signal of the system.
  case killed(signal: Int, reason: String)
  /// A life cycle call that took too long (0x8badf00d).
  case watchdog(call: String, seconds: Double)

  /// The end as one line of a crash log.
  public var description: String {
    switch self {
    case .exception(let exception): exception.description
    case .killed(let signal, let reason): "signal \(signal): \(reason)"
    case .watchdog(let call, let seconds):
      "0x8badf00d: \(call) did not return within \(seconds.formatted(.number.precision(.fractionLength(0...2)))) s"
    }
  }
}

/// The handling of an exception that the real framework raises.
public enum ExceptionHandling: String, Sendable, Codable, Hashable, CaseIterable {
  /// The process ends, as with the real framework.
  case trap
  /// The exception is recorded, the app counts as ended, and its further calls have no effect. For tests in one
  /// process.
  case record
}
