// swift-iap2 · Apache-2.0

import IAP2Faults

/// Bytes that nobody mistakes for others, made again where they arrive.
enum SimulatedContent {
  /// What an app asks of the accessory at the beginning of a session.
  struct Order: Sendable {
    var seed: UInt32
    var toAccessory: Int
    var toApp: Int

    static let byteCount = 12
    /// Far more than any seed draws. Damage that passed the checksums may say gigabytes.
    private static let maximumByteCount = 1 << 20

    var isPlausible: Bool { max(toAccessory, toApp) <= Self.maximumByteCount }

    init(seed: UInt32, toAccessory: Int, toApp: Int) {
      self.seed = seed
      self.toAccessory = toAccessory
      self.toApp = toApp
    }

    init?(_ bytes: [UInt8]) {
      guard bytes.count >= Self.byteCount else { return nil }
      func number(_ offset: Int) -> UInt32 { bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
      self.init(seed: number(0), toAccessory: Int(number(4)), toApp: Int(number(8)))
    }

    var bytes: [UInt8] {
      [seed, UInt32(toAccessory), UInt32(toApp)].flatMap { number in
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) }
      }
    }
  }

  /// Every value but FF: what a damaged header uncovers is not to be read as the start of a packet by chance.
  static func bytes(_ count: Int, seed: UInt32) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(seed))
    return (0..<count).map { _ in byte(&generator) }
  }

  private static func byte(_ generator: inout SeededGenerator) -> UInt8 {
    UInt8(truncatingIfNeeded: generator.next() % 255)
  }

  /// Compares what arrives with what was sent, piece by piece.
  struct Check: Sendable {
    private var generator: SeededGenerator
    private var left: Int
    /// Zeros behind it.
    private var more: Int

    init(count: Int, seed: UInt32, more: Int = 0) {
      generator = SeededGenerator(seed: UInt64(seed))
      left = count
      self.more = more
    }

    var isWhole: Bool { left == 0 && more == 0 }

    /// False when anything is different, or too much.
    mutating func take(_ bytes: [UInt8]) -> Bool {
      for byte in bytes {
        if left > 0 {
          left -= 1
          guard byte == SimulatedContent.byte(&generator) else { return false }
        } else {
          guard more > 0, byte == 0 else { return false }
          more -= 1
        }
      }
      return true
    }
  }
}
