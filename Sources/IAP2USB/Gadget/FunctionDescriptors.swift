// swift-iap2 · Apache-2.0

import IAP2

/// What FunctionFS is told of a head unit's function, in the layout of `linux/usb/functionfs.h`.
enum FunctionDescriptors {
  /// Addresses are proposals: the kernel gives those that the controller has.
  static let toHost: UInt8 = 0x81
  static let toDevice: UInt8 = 0x02
  /// How the interface is named, on all head units and accessories that name it (link-and-sessions, section 10.2; high).
  static let interfaceName = "iAP Interface"

  /// One bulk pair at full, high and super speed.
  static var descriptors: [UInt8] {
    FunctionLayout.descriptors(
      full: speed(packetByteCount: 64), high: speed(packetByteCount: 512), superSpeed: speed(packetByteCount: 1024))
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
  static var strings: [UInt8] { FunctionLayout.strings([interfaceName]) }
}
