// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats

/// The description of a function with one interface for FunctionFS, in the layout of `linux/usb/functionfs.h`.
///
/// The endpoints are in alternate setting 0. This is also so for a native EA protocol, for which accessories use
/// setting 1. FunctionFS does not report the setting that the host selects, and usb_f_fs of Linux 6.1.192 has no
/// `get_alt` (by its symbols).
// Unverified: without `get_alt`, the kernel refuses every setting except 0; newer kernels are said to have it.
struct FunctionDescriptors: Equatable {
  var use: USBInterfaceUse
  var name: String

  /// The link's function. All head units and accessories that name the interface use this name (USB.md#interface-name;
  /// high).
  static let link = FunctionDescriptors(use: .link, name: "iAP Interface")

  /// Returns the function of a native EA protocol, which is named after the protocol
  /// (ExternalAccessory.md#native-interface; high).
  static func native(_ name: String) -> FunctionDescriptors {
    FunctionDescriptors(use: .nativeExternalAccessory, name: name)
  }

  /// The proposed endpoint addresses. The kernel assigns addresses that the controller has.
  static let toHost: UInt8 = 0x81
  static let toDevice: UInt8 = 0x02

  /// The descriptors of one bulk pair at full, high and super speed.
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
      // At super speed each endpoint has a companion descriptor, here without bursts and streams.
      return packetByteCount == 1024 ? [endpoint, [6, USBDescriptorType.companion, 0, 0, 0, 0]] : [endpoint]
    }
    return [interface] + endpoints
  }

  /// The function's name as a string in American English.
  var strings: [UInt8] { FunctionLayout.strings([name]) }
}
