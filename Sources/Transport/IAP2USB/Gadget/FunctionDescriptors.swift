// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats

/// What FunctionFS is told of a function with one interface, in the layout of `linux/usb/functionfs.h`.
///
/// The endpoints are in alternate setting 0, also those of a native EA protocol, which accessories have in setting 1:
/// FunctionFS says nothing of the setting that the host selects, and usb_f_fs of Linux 6.1.192 has no `get_alt` (by its
/// symbols).
// Unverified: without it the kernel refuses every setting but 0; newer kernels are said to have it.
struct FunctionDescriptors: Equatable {
  var use: USBInterfaceUse
  var name: String

  /// How the link's interface is named on all head units and accessories that name it (USB.md#interface-name;
  /// high).
  static let link = FunctionDescriptors(use: .link, name: "iAP Interface")

  /// Named after the protocol (ExternalAccessory.md#native-interface; high).
  static func native(_ name: String) -> FunctionDescriptors {
    FunctionDescriptors(use: .nativeExternalAccessory, name: name)
  }

  /// Addresses are proposals: the kernel gives those that the controller has.
  static let toHost: UInt8 = 0x81
  static let toDevice: UInt8 = 0x02

  /// One bulk pair at full, high and super speed.
  var descriptors: [UInt8] {
    FunctionLayout.descriptors(
      full: speed(packetByteCount: 64), high: speed(packetByteCount: 512), superSpeed: speed(packetByteCount: 1024))
  }

  private func speed(packetByteCount: Int) -> [[UInt8]] {
    let interface = [
      9, USBDescriptorType.interface, 0, 0, 2, use.interfaceClass, use.subclass, use.interfaceProtocol, 1,
    ]
    let packet = [UInt8(packetByteCount & 255), UInt8(packetByteCount >> 8)]
    let endpoints = [Self.toHost, Self.toDevice].flatMap { address -> [[UInt8]] in
      let endpoint = [7, USBDescriptorType.endpoint, address, 2] + packet + [0]
      // Super speed has a companion for each, here without bursts and streams.
      return packetByteCount == 1024 ? [endpoint, [6, USBDescriptorType.companion, 0, 0, 0, 0]] : [endpoint]
    }
    return [interface] + endpoints
  }

  /// One string in American English.
  var strings: [UInt8] { FunctionLayout.strings([name]) }
}
