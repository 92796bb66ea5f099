// swift-iap2 · Apache-2.0

/// The address of a chip on an I2C bus: `i2c:/dev/i2c-N[@ADDRESS]`.
public struct I2CAddress: Sendable, Equatable {
  /// The path of the bus's device file.
  public var path: String
  /// The chip's bus address, seven bits; nil selects the one of ``Register/addresses`` that answers.
  public var chip: UInt8?

  static let scheme = "i2c"

  /// Creates an address.
  public init(path: String, chip: UInt8? = nil) {
    self.path = path
    self.chip = chip
  }
}
