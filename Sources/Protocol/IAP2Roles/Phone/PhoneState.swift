// swift-iap2 · Apache-2.0

public import IAP2

/// Everything a phone can tell a car about itself. A change of it is told to whoever has asked.
public struct PhoneState: Sendable, Equatable {
  public var name = "swift-iap2 Phone"
  public var language = "en"
  /// Any UUID; one car was seen to reset the link without it (PodBox).
  public var uuid = "00000000-0000-4000-8000-000000000001"
  public var bluetoothAddress = "02:00:00:00:00:02"
  public var usbSerialNumber = "0000000000000000000000000000000000000001"
  /// Unix seconds; the epoch is as LIVI and bridgething read it (medium).
  public var time = Int64(LocationFix.plainStart)
  public var timeZoneOffsetMinutes: Int16 = 0

  public var battery = Battery()
  public var player = MediaPlayer()
  /// One that takes the place of another with its identifier goes on with the next revision.
  public var libraries: [MediaLibrary] = [] {
    didSet {
      for index in libraries.indices {
        let earlier = oldValue.first { $0.identifier == libraries[index].identifier }
        guard let earlier, earlier != libraries[index], libraries[index].revision <= earlier.revision else { continue }
        libraries[index].follow(earlier)
      }
    }
  }
  public var telephone = Telephone()
  public internal(set) var guidance: Guidance?
  public var apps: [PhoneApp] = []

  /// Whether the phone says that it can do CarPlay over the cable, and without one.
  public var offersCarPlay = true
  public var offersWirelessCarPlay = false
  /// The network the phone is in, and whether its user shares it.
  public var network: WiFiInformation.Network?
  public var sharesNetwork = true
  public var isAssistiveTouchEnabled = false
  public var audioSampleRate = AudioSampleRate.rate44100
  /// Whether an accessory's Bluetooth component is connected; which profiles are is not publicly known how to say.
  public var isBluetoothConnected = false

  public init() {}

  /// Begins to guide along a route; an earlier one is replaced.
  public mutating func navigate(_ route: Route) {
    let first = guidance.map { $0.firstIndex + $0.route.maneuvers.count } ?? nextManeuverIndex
    guidance = Guidance(route: route, firstIndex: first)
  }

  /// Ends guidance.
  public mutating func endNavigation() {
    if let guidance { nextManeuverIndex = guidance.firstIndex + guidance.route.maneuvers.count }
    guidance = nil
  }

  /// Changes how the route is driven; nothing without one.
  public mutating func drive(_ body: (inout Guidance) -> Void) {
    guard var driven = guidance else { return }
    body(&driven)
    guidance = driven
  }

  private var nextManeuverIndex = 0

  /// The supply, as the phone itself sees it.
  package var power: PowerSighting {
    var power = PowerSighting()
    power.note(battery.update)
    return power
  }

  /// Something goes on by itself.
  var isMoving: Bool {
    player.isPlaying || battery.isMoving || (guidance.map { $0.isMoving && !$0.isArrived } ?? false)
  }

  mutating func advance(milliseconds: Int) {
    elapsed += milliseconds
    time += Int64(elapsed / 1000)
    elapsed %= 1000
    telephone.time = UInt64(clamping: time)
    guidance?.time = UInt64(clamping: time)
    battery.advance(milliseconds: milliseconds)
    player.advance(milliseconds: milliseconds)
    guidance?.advance(milliseconds: milliseconds)
  }

  private var elapsed = 0
}

/// What a phone is at the beginning and how it behaves.
public struct PhoneProfile: Sendable, Equatable {
  public var state = PhoneState()
  public var order = SessionOrder.authenticationFirst
  /// How often what goes on by itself is looked at, in milliseconds: elapsed time comes about twice a second while
  /// playing (Features.md#elapsed-time; high).
  public var tickMilliseconds = 500

  public init() {}
}

/// Which of the two comes first; both orders are seen in the wild (Authentication.md#order-both).
public enum SessionOrder: String, Sendable, Hashable, CaseIterable {
  case authenticationFirst = "authentication-first"
  case identificationFirst = "identification-first"
}
