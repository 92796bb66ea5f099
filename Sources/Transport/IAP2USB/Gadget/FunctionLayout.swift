// swift-iap2 · Apache-2.0

import IAP2

/// The blocks that describe a function to FunctionFS (`linux/usb/functionfs.h`).
enum FunctionLayout {
  private enum Magic {
    static let strings: UInt32 = 2
    static let descriptors: UInt32 = 3
  }

  struct Flags: OptionSet {
    var rawValue: UInt32

    fileprivate static let full = Flags(rawValue: 1)
    fileprivate static let high = Flags(rawValue: 2)
    fileprivate static let superSpeed = Flags(rawValue: 4)
    /// The function receives control requests to the device too, not only those to its own interfaces and endpoints.
    static let allRecipients = Flags(rawValue: 64)
    /// The function receives control requests even while the host has set no configuration.
    static let beforeConfiguration = Flags(rawValue: 128)
  }

  /// Returns the block of the descriptors of each speed, in the order of a configuration.
  static func descriptors(
    full: [[UInt8]], high: [[UInt8]], superSpeed: [[UInt8]], _ more: Flags = []
  ) -> [UInt8] {
    let speeds = [full, high, superSpeed]
    let body = speeds.flatMap { little(UInt32($0.count)) } + speeds.flatMap { $0.flatMap { $0 } }
    let flags: Flags = more.union([.full, .high, .superSpeed])
    return little(Magic.descriptors) + little(UInt32(body.count + 12)) + little(flags.rawValue) + body
  }

  /// Returns the block of strings in American English.
  static func strings(_ strings: [String]) -> [UInt8] {
    let body = little(UInt32(strings.count)) + little(1) + [0x09, 0x04] + strings.flatMap { Array($0.utf8) + [0] }
    return little(Magic.strings) + little(UInt32(body.count + 8)) + body
  }

  private static func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> ($0 * 8) & 255) } }
}
