// swift-iap2 · Apache-2.0

import IAP2Transport

/// A case of the charging study: a physical event that ends a connection, or seems to, and the behavior of each signal
/// of the event.
///
/// The cases are those of Lifecycle.md#missed and Lifecycle.md#scenarios. No published source states the latency of a
/// platform's disconnect notification or of a phone's charging status, so this project chose the ranges.
public struct StudyCase: Sendable, Hashable {
  /// A physical event of the connection.
  public enum Event: Sendable, Hashable {
    /// The connection ends.
    case gone
    /// The connection ends, and another begins 100 to 900 ms later.
    case replugged
    /// The connection stays up.
    case nothing
    /// Neither side hears the other for this many milliseconds; nothing is lost, and the connection stays up.
    case pause(milliseconds: Int)

    /// Whether the connection ends.
    public var isEnd: Bool { self == .gone || self == .replugged }
  }

  /// The behavior of one signal of the event.
  public enum Signal: Sendable, Hashable {
    /// The signal never arrives.
    case absent
    /// The signal arrives: a notification after 10 to 300 ms, a charging status after 50 to 1000 ms.
    case present
    /// The signal is lost with this probability, 0…1, and otherwise arrives as in ``present``.
    case lost(probability: Double)
    /// The signal arrives after 1 to 10 s; a notification about a replug 1.5 s later still.
    case late

    var lossProbability: Double {
      switch self {
      case .absent: 1
      case .present, .late: 0
      case .lost(let probability): probability
      }
    }
  }

  /// The source of the phone's charging current.
  public enum Supply: Sendable, Hashable {
    /// The car, over the cable.
    case car
    /// A wall charger or a charging pad.
    case other
    /// No source.
    case none
  }

  /// The identifier, such as `pull-noticed`; unique in ``all``.
  public var name: String
  /// The human-readable description.
  public var text: String
  /// The physical event.
  public var event: Event
  /// Whether the transport reports its end; if not, it is half-open. False by default.
  public var isEndReported = false
  /// The behavior of the platform's disconnect notification, on each side; by default lost with a probability of 0.2.
  /// Without an end of the connection, only ``Signal/present`` delivers one.
  public var notice = Signal.lost(probability: 0.2)
  /// The source of the phone's charging current; the car by default.
  public var supply = Supply.car
  /// The behavior of the phone's report that the supply stopped; by default present. If the connection stays up, the
  /// car's supply returns after 0.2 to 2 s.
  public var supplyStop = Signal.present
  /// Whether the phone's battery level is 100 %; otherwise it is 60 or 61 %. False by default.
  public var isBatteryFull = false
  /// Whether an incoming call rings during the event. False by default.
  public var isAlertShown = false

  private init(
    _ name: String, _ text: String, _ event: Event = .gone, _ change: (inout StudyCase) -> Void = { _ in }
  ) {
    self.name = name
    self.text = text
    self.event = event
    change(&self)
  }

  /// The twenty-six cases of the study, in the order of its table.
  public static let all: [StudyCase] =
    [
      StudyCase("pull-noticed", "cable pulled, notification delivered") { $0.notice = .present },
      StudyCase("pull", "cable pulled, notification lost one time in five"),
      StudyCase("pull-unnoticed", "cable pulled, notification always lost") { $0.notice = .absent },
      StudyCase("pull-told", "cable pulled, the transport reports it") { $0.isEndReported = true },
      StudyCase("pull-late", "cable pulled, notification seconds late") { $0.notice = .late },
      StudyCase("edge-late", "cable pulled, notification always lost, end of charging seen seconds late") {
        $0.notice = .absent
        $0.supplyStop = .late
      },
      StudyCase("edge-lost", "cable pulled, notification and end of charging each lost one time in five") {
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
      StudyCase("wireless-unnoticed", "wireless, access point lost, notification always lost") {
        $0.notice = .absent
        $0.supply = .none
        $0.supplyStop = .absent
      },
      StudyCase("wireless-pad", "wireless, taken off its charging pad; the connection stays active", .nothing) {
        $0.supply = .other
      },
      StudyCase("wall-charger", "wall charger or power-only port unplugged; the connection stays active", .nothing) {
        $0.supply = .other
      },
      StudyCase(
        "engine-start", "no power for a moment, as when an engine starts; the connection stays active", .nothing),
      StudyCase("false-notice", "a false notification; the connection stays active", .nothing) {
        $0.notice = .present
        $0.supplyStop = .absent
      },
      StudyCase("replug", "replugged within a second, notice late") {
        $0.event = .replugged
        $0.notice = .late
      },
    ] + pauses

  /// A active peer that pauses, without another sign and with a false notification.
  private static var pauses: [StudyCase] {
    [false, true].flatMap { isNoticed in
      [1, 2, 5, 10].map { seconds in
        StudyCase(
          "pause-\(seconds)s" + (isNoticed ? "-noticed" : ""),
          "a pause of \(seconds) s\(isNoticed ? " and a false notification" : ""); the connection stays active",
          .pause(milliseconds: seconds * 1000)
        ) {
          $0.notice = isNoticed ? .present : .absent
          $0.supplyStop = .absent
        }
      }
    }
  }
}
