// swift-iap2 · Apache-2.0

public import IAP2

/// A model of a phone's battery, with everything that a car can read.
///
/// It charges with the larger of two currents: that of a wall charger, and that of the car if the car wants the battery
/// charged. Above 80 % it charges ever slower. The phone itself draws a constant current. The behavior of a real phone
/// is not known; this project chose the curve.
public struct Battery: Sendable, Hashable {
  /// The charge level in hundredths of a percent, 0 to 10 000.
  package var level: Int
  /// The capacity of a full battery in milliampere-hours; values below 1 count as 1.
  package var capacity = 3300
  /// The current that the phone itself draws, in milliamperes.
  public var drain = 300
  /// The current of a charger at the phone's other port, in milliamperes; 0 if there is none.
  public var wallCurrent = 0
  /// The current that the car offers, in milliamperes.
  package var carCurrent = 0
  /// Whether the car wants the battery charged with its current.
  package var carCharges = false
  /// Whether the level changes with time.
  package var isMoving = false

  /// The level above which the battery takes less and less current, in hundredths of a percent.
  private static let knee = 8000
  private static let full = 10_000

  /// Creates a battery.
  ///
  /// - Parameter percent: The charge level in percent; values outside 0 to 100 are clamped.
  public init(percent: Int = 80) { level = max(0, min(100, percent)) * 100 }

  /// The charge level in whole percent, 0 to 100. Values outside this range are clamped.
  public var percent: Int {
    get { level / 100 }
    set { level = max(0, min(100, newValue)) * 100 }
  }

  /// Whether the level is 100 %.
  package var isFull: Bool { level >= Self.full }

  /// The current into the phone, in milliamperes.
  public var current: Int { max(wallCurrent, carCharges ? carCurrent : 0) }

  /// The charging state: disabled if the current is not above ``drain``, charged at 100 %, charging otherwise.
  public var state: BatteryChargingState {
    if current <= drain { return .disabled }
    return isFull ? .charged : .charging
  }

  /// Changes the level for the time that has passed, if ``isMoving`` is true.
  package mutating func advance(milliseconds: Int) {
    guard isMoving else { return }
    let capacity = max(1, capacity)
    // Above the knee the battery takes less and less current, even if more is available. The phone itself comes first.
    let taken = level < Self.knee ? capacity : capacity * max(50, Self.full - level) / (Self.full - Self.knee)
    let net = min(current - drain, taken)
    remainder += net * milliseconds * Self.full
    let unit = capacity * 3_600_000
    level = max(0, min(Self.full, level + remainder / unit))
    remainder %= unit
  }

  /// The change that is less than a hundredth of a percent.
  private var remainder = 0

  /// The attributes that a car reads.
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
