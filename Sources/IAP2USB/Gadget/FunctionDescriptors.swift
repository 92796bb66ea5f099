// swift-iap2 · Apache-2.0

import IAP2

/// What FunctionFS is told of a head unit's function, in the layout of `linux/usb/functionfs.h`.
enum FunctionDescriptors {
  /// Addresses are proposals: the kernel gives those that the controller has.
  static let toHost: UInt8 = 0x81
  static let toDevice: UInt8 = 0x02
  /// How the interface is named, on all head units and accessories that name it (link-and-sessions, section 10.2; high).
  static let interfaceName = "iAP Interface"

  private enum Magic {
    static let strings: UInt32 = 2
    static let descriptors: UInt32 = 3
  }

  private enum Flags {
    static let full: UInt32 = 1
    static let high: UInt32 = 2
    static let superSpeed: UInt32 = 4
  }

  /// One bulk pair at full, high and super speed.
  static var descriptors: [UInt8] {
    let speeds = [speed(packetByteCount: 64), speed(packetByteCount: 512), speed(packetByteCount: 1024)]
    let counts = speeds.flatMap { little(UInt32($0.count)) }
    let body = counts + speeds.flatMap { $0.flatMap { $0 } }
    let flags = Flags.full | Flags.high | Flags.superSpeed
    return little(Magic.descriptors) + little(UInt32(body.count + 12)) + little(flags) + body
  }

  private static func speed(packetByteCount: Int) -> [[UInt8]] {
    let use = USBInterfaceUse.link
    let interface = [
      9, USBDescriptorType.interface, 0, 0, 2, use.interfaceClass, use.subclass, use.interfaceProtocol, 1,
    ]
    let packet = [UInt8(packetByteCount & 255), UInt8(packetByteCount >> 8)]
    let endpoints = [toHost, toDevice].flatMap { address -> [[UInt8]] in
      let endpoint = [7, USBDescriptorType.endpoint, address, 2] + packet + [0]
      // Super speed has a companion for each, here without bursts and streams.
      return packetByteCount == 1024 ? [endpoint, [6, USBDescriptorType.companion, 0, 0, 0, 0]] : [endpoint]
    }
    return [interface] + endpoints
  }

  /// One string in American English.
  static var strings: [UInt8] {
    let body = little(1) + little(1) + [0x09, 0x04] + Array(interfaceName.utf8) + [0]
    return little(Magic.strings) + little(UInt32(body.count + 8)) + body
  }

  private static func little(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(number >> ($0 * 8) & 255) } }
}
