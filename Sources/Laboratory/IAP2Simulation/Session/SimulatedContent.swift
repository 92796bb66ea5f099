// swift-iap2 · Apache-2.0

import IAP2Faults

/// Pseudorandom contents, which the receiver generates again from the seed and compares.
enum SimulatedContent {
  /// The request that an app sends at the start of an EA session: seed and byte counts.
  struct Order: Sendable {
    var seed: UInt32
    var toAccessory: Int
    var toApp: Int

    static let byteCount = 12
    /// The maximum byte count, far more than any seed draws. Damage that passed the checksums may request gigabytes.
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

  /// Returns pseudorandom bytes without the value FF, so that contents after a damaged header are not read as the start
  /// of a packet.
  static func bytes(_ count: Int, seed: UInt32) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(seed))
    return (0..<count).map { _ in byte(&generator) }
  }

  private static func byte(_ generator: inout SeededGenerator) -> UInt8 {
    UInt8(truncatingIfNeeded: generator.next() % 255)
  }

  /// An incremental comparison of received bytes with the expected ones.
  struct Check: Sendable {
    private var generator: SeededGenerator
    private var left: Int
    /// The number of zero bytes still expected after the contents.
    private var more: Int

    init(count: Int, seed: UInt32, more: Int = 0) {
      generator = SeededGenerator(seed: UInt64(seed))
      left = count
      self.more = more
    }

    var isWhole: Bool { left == 0 && more == 0 }

    /// Compares the next bytes. Returns false when a byte differs or exceeds the expected count.
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
