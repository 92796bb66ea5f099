// swift-iap2 · Apache-2.0

public import IAP2

/// The state of a phone that it can report to an accessory. A change is sent to an accessory that has requested it.
public struct PhoneState: Sendable, Equatable {
  /// The name of the phone.
  public var name = "swift-iap2 Phone"
  /// The language of the phone as a code, such as `en`.
  public var language = "en"
  /// The UUID of the phone; any UUID is possible. One car resets the link without it
  /// (Features.md#device-uuid-needed).
  public var uuid = "00000000-0000-4000-8000-000000000001"
  /// The Bluetooth address of the phone as text.
  package var bluetoothAddress = "02:00:00:00:00:02"
  /// The USB serial number of the phone.
  package var usbSerialNumber = "0000000000000000000000000000000000000001"
  /// The current time in Unix seconds, which ticks advance. The epoch is that of LIVI and BRIDGE
  /// (Features.md#device-time-unit).
  public var time = Int64(LocationFix.plainStart)
  /// The offset of the time zone in minutes. A change of it sends the time; a change of the time alone does not.
  public var timeZoneOffsetMinutes: Int16 = 0

  /// The battery of the phone.
  public var battery = Battery()
  /// The media player of the phone.
  public var player = MediaPlayer()
  /// The media libraries of the phone. A library that replaces one with its identifier continues with the next
  /// revision.
  public var libraries: [MediaLibrary] = [] {
    didSet {
      for index in libraries.indices {
        let earlier = oldValue.first { $0.identifier == libraries[index].identifier }
        guard let earlier, earlier != libraries[index], libraries[index].revision <= earlier.revision else { continue }
        libraries[index].follow(earlier)
      }
    }
  }
  /// The calls, the network and the call lists of the phone.
  public var telephone = Telephone()
  /// The route guidance in progress; nil without a route. ``navigate(_:)``, ``drive(_:)`` and ``endNavigation()``
  /// change it.
  package internal(set) var guidance: Guidance?
  /// The apps on the phone that communicate with accessories.
  public var apps: [PhoneApp] = []

  /// Whether apps decide about the player and the calls. Then a request of the accessory changes nothing by itself, but
  /// waits in ``takeRequests()``, and an item that is over stays at its end until the app tells another one.
  package var appsDecide = false
  /// The requests of the accessory that wait for apps.
  var requests: [PhoneRequest] = []

  /// Whether the phone requests location from an accessory that provides it. A change sends the request, or its end.
  package var wantsLocation = true
  /// Whether the phone offers CarPlay over the cable.
  public var offersCarPlay = true
  /// Whether the phone offers wireless CarPlay.
  public var offersWirelessCarPlay = false
  /// The Wi-Fi network that the phone is in; nil if there is none.
  public var network: WiFiInformation.Network?
  /// Whether the user shares the network with an accessory that requests it.
  public var sharesNetwork = true
  /// Whether AssistiveTouch is on. The accessory can switch it on and off.
  public var isAssistiveTouchEnabled = false
  /// The sample rate of USB device mode audio.
  public var audioSampleRate = AudioSampleRate.rate44100
  /// Whether an accessory's Bluetooth component is connected. The encoding of the connected profiles is not publicly
  /// known.
  public var isBluetoothConnected = false

  /// Creates the state of a phone with default values.
  package init() {}

  /// Starts guidance along a route, which replaces an earlier route.
  public mutating func navigate(_ route: Route) {
    let first = guidance.map { $0.firstIndex + $0.route.maneuvers.count } ?? nextManeuverIndex
    guidance = Guidance(route: route, firstIndex: first)
  }

  /// Ends guidance.
  public mutating func endNavigation() {
    if let guidance { nextManeuverIndex = guidance.firstIndex + guidance.route.maneuvers.count }
    guidance = nil
  }

  /// Changes the guidance in progress with `body`; does nothing without a route.
  package mutating func drive(_ body: (inout Guidance) -> Void) {
    guard var driven = guidance else { return }
    body(&driven)
    guidance = driven
  }

  private var nextManeuverIndex = 0

  /// The power state of the phone itself.
  package var power: PowerObservation {
    var power = PowerObservation()
    power.note(battery.update)
    return power
  }

  /// Whether the state changes with time.
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
    if appsDecide { player.run(milliseconds: milliseconds) } else { player.advance(milliseconds: milliseconds) }
    guidance?.advance(milliseconds: milliseconds)
  }

  private var elapsed = 0
}

/// The initial state of a phone and its behavior.
public struct PhoneProfile: Sendable, Equatable {
  /// The initial state.
  public var state = PhoneState()
  /// The order of authentication and identification.
  public var order = SessionOrder.authenticationFirst
  /// The interval in milliseconds at which the state changes with time. A real phone sends the elapsed time about twice
  /// a second while it plays (Features.md#elapsed-time; high).
  package var tickMilliseconds = 500

  /// Creates a profile with default values.
  public init() {}
}

/// The order of authentication and identification. Known implementations use both orders
/// (Authentication.md#order-both).
public enum SessionOrder: String, Sendable, Hashable, CaseIterable {
  /// The phone authenticates the accessory, then starts identification.
  case authenticationFirst = "authentication-first"
  /// The phone starts identification, then authenticates the accessory.
  case identificationFirst = "identification-first"
}
