// swift-iap2 · Apache-2.0

import IAP2Transport

/// A way in which connections end, or seem to: what happens physically, and what each signal of it does.
///
/// The cases are those of Lifecycle.md#missed and Lifecycle.md#scenarios. How long a platform takes for its notice, or
/// a phone for seeing that it is no longer charged, nobody has published: the ranges here are ours.
public struct StudyCase: Sendable, Hashable {
  public enum Event: Sendable, Hashable {
    /// The connection ends.
    case gone
    /// It ends, and another begins within a second.
    case replugged
    /// It goes on.
    case nothing
  }

  /// What becomes of a signal of the event.
  public enum Signal: Sendable, Hashable {
    case absent
    case present
    /// It comes, but not each time.
    case lost(probability: Double)
    /// It comes seconds afterwards.
    case late

    var lossProbability: Double {
      switch self {
      case .absent: 1
      case .present, .late: 0
      case .lost(let probability): probability
      }
    }
  }

  /// Where the phone's current comes from.
  public enum Supply: Sendable, Hashable {
    /// The car, over the cable.
    case car
    /// A wall charger or a pad: not the car.
    case other
    case none
  }

  public var name: String
  /// For people: what happens.
  public var text: String
  public var event: Event
  /// Whether the transport tells of its end; if not, it is half-open.
  public var isEndTold = false
  public var notice = Signal.lost(probability: 0.2)
  public var supply = Supply.car
  /// That the supply stops with the event; without an end, for a moment.
  public var supplyStop = Signal.present
  public var isBatteryFull = false
  /// A call rings, and its alert is on the screen.
  public var isAlertShown = false

  private init(
    _ name: String, _ text: String, _ event: Event = .gone, _ change: (inout StudyCase) -> Void = { _ in }
  ) {
    self.name = name
    self.text = text
    self.event = event
    change(&self)
  }

  public static let all: [StudyCase] = [
    StudyCase("pull-noticed", "cable pulled, notice delivered") { $0.notice = .present },
    StudyCase("pull", "cable pulled, notice lost one time in five"),
    StudyCase("pull-unnoticed", "cable pulled, notice always lost") { $0.notice = .absent },
    StudyCase("pull-told", "cable pulled, the transport tells of it") { $0.isEndTold = true },
    StudyCase("pull-late", "cable pulled, notice seconds late") { $0.notice = .late },
    StudyCase("edge-late", "cable pulled, notice always lost, charging's end seen seconds late") {
      $0.notice = .absent
      $0.supplyStop = .late
    },
    StudyCase("edge-lost", "cable pulled, notice and charging's end each lost one time in five") {
      $0.supplyStop = .lost(probability: 0.2)
    },
    StudyCase("alert", "cable pulled while an alert is shown") { $0.isAlertShown = true },
    StudyCase("battery-full", "cable pulled, battery full") { $0.isBatteryFull = true },
    StudyCase("no-current", "cable pulled, the car offers no current") {
      $0.supply = .none
      $0.supplyStop = .absent
    },
    StudyCase("other-charger", "cable pulled, charged by a wall charger that stays") {
      $0.supply = .other
      $0.supplyStop = .absent
    },
    StudyCase("wireless", "wireless, access point lost") {
      $0.supply = .none
      $0.supplyStop = .absent
    },
    StudyCase("wireless-unnoticed", "wireless, access point lost, notice always lost") {
      $0.notice = .absent
      $0.supply = .none
      $0.supplyStop = .absent
    },
    StudyCase("wireless-pad", "wireless, taken off its charging pad; the connection lives", .nothing) {
      $0.supply = .other
    },
    StudyCase("wall-charger", "wall charger or power-only port unplugged; the connection lives", .nothing) {
      $0.supply = .other
    },
    StudyCase("engine-start", "no power for a moment, as when an engine starts; the connection lives", .nothing),
    StudyCase("false-notice", "a notice for nothing; the connection lives", .nothing) {
      $0.notice = .present
      $0.supplyStop = .absent
    },
    StudyCase("replug", "replugged within a second, notice late") {
      $0.event = .replugged
      $0.notice = .late
    },
  ]
}
