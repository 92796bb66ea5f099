// swift-iap2 · Apache-2.0

import Glibc
import IAP2
import IAP2Formats
import IAP2Transport

#if USB
  import CLibUSB
#endif

/// A namespace for opening phones in device mode.
enum PhoneHost {
  /// The time limit of a request in milliseconds. CAT uses the same limit (RoleSwitch.md#limits; medium).
  private static let requestMilliseconds: UInt32 = 2000

  /// The number of interfaces whose report descriptors are requested. An interface that does not answer takes the whole
  /// time limit. A phone has one HID interface.
  private static let maximumInterfaceCount = 4

  /// Finds the interface with the reports of iAP2 and claims it.
  ///
  /// - Parameter onEnd: Called when the transport has ended: with the reason, or with nil if it was closed.
  static func open(
    _ device: AttachedDevice, _ wanted: USBPhoneAddress, onEnd: @escaping @Sendable (TransportError?) -> Void
  ) throws(TransportError) -> any ByteTransport {
    let address = wanted.description
    #if USB
      var handle = try LibUSBHandle(device, address: address)
      do throws(TransportError) {
        _ = try mayBecomeHost(handle, wanted)
        let reports = try claimReports(&handle, device, address)
        return LibUSBTransport(handle, .reports(reports), address: address, onEnd: onEnd)
      } catch {
        handle.close()
        throw error
      }
    #else
      throw .notBuilt(address: address, trait: "USB")
    #endif
  }

  /// Asks a phone to become the host.
  static func askToSwitch(
    _ device: AttachedDevice, _ wanted: USBPhoneAddress, to role: USBRoleSwitch
  ) throws(TransportError) {
    let address = wanted.description
    #if USB
      // The phone would leave the bus and disconnect the program that uses it.
      guard !device.hasReader else { throw .addressInUse(address: address) }
      let handle = try LibUSBHandle(device, address: address)
      defer { handle.close() }
      // The answer does not matter: only the switch request itself is refused or accepted.
      _ = try mayBecomeHost(handle, wanted)
      switch handle.control(.roleSwitch(role), milliseconds: requestMilliseconds) {
      case .success: return
      // The phone may leave the bus before it acknowledges the request.
      case .failure(let status) where status == LIBUSB_ERROR_NO_DEVICE.rawValue: return
      case .failure(let status) where status == LIBUSB_ERROR_PIPE.rawValue:
        throw .deviceMode(address: address, .roleSwitchRefused)
      case .failure(let status): throw TransportError(libusb: status, operation: "role switch", address: address)
      }
    #else
      throw .notBuilt(address: address, trait: "USB")
    #endif
  }

  /// Returns the first interface whose report descriptor is a table of reports for iAP2. Skips an interface if its
  /// descriptor cannot be read or describes something else. If no interface serves, throws the error of the first,
  /// which is the likeliest.
  ///
  /// - Parameters:
  ///   - interfaces: The candidates, the likeliest first.
  ///   - read: Claims an interface and returns its report descriptor. Leaves nothing claimed when it fails.
  ///   - passOver: Releases an interface that was read and does not serve.
  static func firstServing(
    among interfaces: [ReportInterface], address: String,
    read: (ReportInterface) throws(TransportError) -> [UInt8], passOver: () -> Void
  ) throws(TransportError) -> (ReportInterface, HIDReportTable) {
    var failure: TransportError?
    for interface in interfaces.prefix(maximumInterfaceCount) {
      do throws(TransportError) {
        try checkLength(interface, address)
        let bytes = try read(interface)
        do { return (interface, try HIDReportTable(descriptor: bytes)) } catch {
          passOver()
          throw .deviceMode(address: address, .badReportTable(error))
        }
      } catch {
        // Without the device, no other interface serves either.
        if case .unplugged = error { throw error }
        failure = failure ?? error
      }
    }
    throw failure ?? .deviceMode(address: address, .noReportInterface)
  }

  /// Checks a length before the request, because Linux reports a request longer than its limit only as invalid.
  private static func checkLength(_ interface: ReportInterface, _ address: String) throws(TransportError) {
    let (byteCount, limit) = (interface.reportDescriptorByteCount, HIDReportTable.maximumDescriptorByteCount)
    guard byteCount <= limit else {
      throw .deviceMode(address: address, .badReportTable(.descriptorTooLong(byteCount: byteCount, limit: limit)))
    }
  }

  #if USB
    /// Sends the requests that precede a configuration (RoleSwitch.md#before-configuration; medium: CAT). Returns the
    /// phone's answer about role switches; nil if the phone does not support the request, which it need not do.
    private static func mayBecomeHost(
      _ handle: LibUSBHandle, _ wanted: USBPhoneAddress
    ) throws(TransportError) -> Bool? {
      var answer: Bool?
      switch handle.control(.roleSwitchQuery, milliseconds: requestMilliseconds) {
      case .success(let bytes): answer = bytes.first.map { $0 & 1 == 1 }
      case .failure(let status): try passOver(status, wanted)
      }
      guard let extra = wanted.extraMilliamperes else { return answer }
      let request = USBSetup.chargeCurrent(extraMilliamperes: extra)
      if case .failure(let status) = handle.control(request, milliseconds: requestMilliseconds) {
        try passOver(status, wanted)
      }
      return answer
    }

    /// Ignores a failed request, unless the device is unplugged. A phone that stalls a request or does not answer may
    /// still have reports.
    private static func passOver(_ status: Int32, _ wanted: USBPhoneAddress) throws(TransportError) {
      guard status == LIBUSB_ERROR_NO_DEVICE.rawValue else { return }
      throw TransportError(libusb: status, operation: "request", address: wanted.description)
    }

    /// Claims the interface that serves, and sets its configuration if another one is active.
    private static func claimReports(
      _ handle: inout LibUSBHandle, _ device: AttachedDevice, _ address: String
    ) throws(TransportError) -> ReportEndpoints {
      var active = device.activeConfiguration
      let (interface, table) = try firstServing(among: device.reportInterfaces, address: address) {
        (interface) throws(TransportError) in
        do throws(TransportError) {
          if interface.configuration != active?.number {
            try handle.set(interface.configuration, leaving: active)
            active = device.configurations.first { $0.number == interface.configuration }
          }
          return try claimReports(&handle, interface)
        } catch {
          handle.release()
          throw error
        }
      } passOver: {
        handle.release()
      }
      return ReportEndpoints(interface: interface, table: table)
    }

    /// Claims an interface and returns its report descriptor.
    private static func claimReports(
      _ handle: inout LibUSBHandle, _ interface: ReportInterface
    ) throws(TransportError) -> [UInt8] {
      try handle.claim(interface.interface, alternateSetting: interface.alternateSetting)
      let request = USBSetup.reportDescriptor(
        interface: interface.interface, byteCount: interface.reportDescriptorByteCount)
      switch handle.control(request, milliseconds: requestMilliseconds) {
      case .success(let bytes): return bytes
      case .failure(let status):
        throw TransportError(libusb: status, operation: "report descriptor", address: handle.address)
      }
    }
  #endif
}

#if USB
  extension LibUSBHandle {
    enum ControlResult {
      case success([UInt8])
      /// An error code of libusb.
      case failure(Int32)
    }

    /// Sends a control request without data, or with data to the host. Blocks for at most `milliseconds`.
    func control(_ setup: USBSetup, milliseconds: UInt32) -> ControlResult {
      var bytes = [UInt8](repeating: 0, count: setup.isToHost ? Int(setup.length) : 0)
      let status = unsafe libusb_control_transfer(
        device, setup.requestType, setup.request, setup.value, setup.index, &bytes, UInt16(bytes.count), milliseconds)
      return status < 0 ? .failure(status) : .success(Array(bytes.prefix(Int(status))))
    }

    /// Sets a configuration. No kernel driver may hold an interface of the active configuration, so they are detached
    /// first.
    func set(_ number: UInt8, leaving active: USBConfiguration?) throws(TransportError) {
      for interface in Set((active?.interfaces ?? []).map(\.number)) {
        // The call fails for an interface without a driver, which is already the wanted state.
        unsafe libusb_detach_kernel_driver(device, Int32(interface))
      }
      let status = unsafe libusb_set_configuration(device, Int32(number))
      if status != 0 {
        throw TransportError(libusb: status, operation: "configuration \(number)", address: address)
      }
    }
  }
#endif
