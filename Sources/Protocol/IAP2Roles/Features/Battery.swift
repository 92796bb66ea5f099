// swift-iap2 · Apache-2.0

public import IAP2

/// A phone's battery: small, but with everything a car can see of one.
///
/// It charges from the car if the car offers current and wants it charged, else from a wall charger; from 80 % on
/// ever slower. It drains a little all the time. What a real phone does in between is not known: the curve is ours.
public struct Battery: Sendable, Hashable {
  /// Hundredths of a percent, 0…10 000.
  public var level: Int
  /// Milliampere-hours of a full battery; less than one counts as one.
  public var capacity = 3300
  /// What the phone itself draws, in milliampere.
  public var drain = 300
  /// A charger at the phone's other port, in milliampere; 0 for none.
  public var wallCurrent = 0
  /// What the car offers, in milliampere.
  public var carCurrent = 0
  /// Whether the car wants the battery charged with it.
  public var carCharges = false
  /// Whether the level moves with time.
  public var isMoving = false

  /// Below this the battery takes all the current there is.
  private static let knee = 8000
  private static let full = 10_000

  /// - Parameter percent: 0…100.
  public init(percent: Int = 80) { level = max(0, min(100, percent)) * 100 }

  public var percent: Int {
    get { level / 100 }
    set { level = max(0, min(100, newValue)) * 100 }
  }

  public var isFull: Bool { level >= Self.full }

  /// Current into the phone, in milliampere.
  public var current: Int { max(wallCurrent, carCharges ? carCurrent : 0) }

  public var state: BatteryChargingState {
    if current <= drain { return .disabled }
    return isFull ? .charged : .charging
  }

  /// Lets time pass.
  public mutating func advance(milliseconds: Int) {
    guard isMoving else { return }
    let capacity = max(1, capacity)
    // Above the knee a battery takes ever less, however much there is; the phone itself is served first.
    let taken = level < Self.knee ? capacity : capacity * max(50, Self.full - level) / (Self.full - Self.knee)
    let net = min(current - drain, taken)
    remainder += net * milliseconds * Self.full
    let unit = capacity * 3_600_000
    level = max(0, min(Self.full, level + remainder / unit))
    remainder %= unit
  }

  /// What did not make a whole hundredth of a percent yet.
  private var remainder = 0

  /// What the car sees; ``PowerUpdate`` names the attributes.
  var update: PowerUpdate {
    var update = PowerUpdate()
    update.maximumCurrentDrawnFromAccessory = UInt16(clamping: carCurrent)
    update.deviceBatteryWillChargeIfPowerIsPresent = carCharges && carCurrent > 0 && !isFull
    update.accessoryPowerMode = .reserved
    update.isExternalChargerConnected = carCurrent > 0 || wallCurrent > 0
    update.batteryChargingState = state
    update.batteryChargeLevel = UInt16(clamping: percent)
    return update
  }
}
