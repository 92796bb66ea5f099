// swift-iap2 · Apache-2.0

import Glibc
import IAP2
import IAP2Formats
import IAP2Transport

#if USB
  import CLibUSB
#endif

/// Opens phones in device mode.
enum PhoneHost {
  /// How long a phone has for a request; CAT gives it as much (RoleSwitch.md#limits; medium).
  private static let requestMilliseconds: UInt32 = 2000

  /// Of interfaces that are asked for their reports, which takes one that does not answer its whole time; a phone has one.
  private static let maximumInterfaceCount = 4

  /// Finds the interface with iAP2's reports and claims it.
  ///
  /// - Parameter onEnd: told why the medium ended, or nil when it was closed.
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
      // It would leave the bus, and with it whoever speaks to it.
      guard !device.hasReader else { throw .addressInUse(address: address) }
      let handle = try LibUSBHandle(device, address: address)
      defer { handle.close() }
      // Whether it says yes or nothing: only the request itself is refused or not.
      _ = try mayBecomeHost(handle, wanted)
      switch handle.control(.roleSwitch(role), milliseconds: requestMilliseconds) {
      case .success: return
      // It may be off the bus before it has acknowledged.
      case .failure(let status) where status == LIBUSB_ERROR_NO_DEVICE.rawValue: return
      case .failure(let status) where status == LIBUSB_ERROR_PIPE.rawValue:
        throw .deviceMode(address: address, .roleSwitchRefused)
      case .failure(let status): throw TransportError(libusb: status, operation: "role switch", address: address)
      }
    #else
      throw .notBuilt(address: address, trait: "USB")
    #endif
  }

  /// The first interface whose descriptor is a table of reports for iAP2. One that cannot be read, or says something
  /// else, is passed over; what is wrong with the first, the likeliest, is told if none serves.
  ///
  /// - Parameters:
  ///   - interfaces: the likeliest first.
  ///   - read: claims an interface and reads its report descriptor; leaves nothing claimed when it fails.
  ///   - passOver: gives back what was read and does not serve.
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
        // Without the device none serves.
        if case .unplugged = error { throw error }
        failure = failure ?? error
      }
    }
    throw failure ?? .deviceMode(address: address, .noReportInterface)
  }

  /// Linux moves no more in one request of a program, and says of more only that it is invalid.
  private static func checkLength(_ interface: ReportInterface, _ address: String) throws(TransportError) {
    let (byteCount, limit) = (interface.reportDescriptorByteCount, HIDReportTable.maximumDescriptorByteCount)
    guard byteCount <= limit else {
      throw .deviceMode(address: address, .badReportTable(.descriptorTooLong(byteCount: byteCount, limit: limit)))
    }
  }

  #if USB
    /// The requests that come before a configuration is set (RoleSwitch.md#before-configuration; medium: CAT): nil
    /// where the phone does not know them, for it need not.
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

    /// A phone that stalls or is silent may still have reports; one that is gone has not.
    private static func passOver(_ status: Int32, _ wanted: USBPhoneAddress) throws(TransportError) {
      guard status == LIBUSB_ERROR_NO_DEVICE.rawValue else { return }
      throw TransportError(libusb: status, operation: "request", address: wanted.description)
    }

    /// Claims the interface that serves, in whatever configuration.
    private static func claimReports(
      _ handle: inout LibUSBHandle, _ device: AttachedDevice, _ address: String
    ) throws(TransportError) -> ReportCarriage {
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
      return ReportCarriage(interface: interface, table: table)
    }

    /// - Returns: the report descriptor.
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
      /// One of libusb's errors.
      case failure(Int32)
    }

    /// A request without data, or with data to the host. Blocks.
    func control(_ setup: USBSetup, milliseconds: UInt32) -> ControlResult {
      var bytes = [UInt8](repeating: 0, count: setup.isToHost ? Int(setup.length) : 0)
      let status = unsafe libusb_control_transfer(
        device, setup.requestType, setup.request, setup.value, setup.index, &bytes, UInt16(bytes.count), milliseconds)
      return status < 0 ? .failure(status) : .success(Array(bytes.prefix(Int(status))))
    }

    /// Sets a configuration, for which no driver may hold an interface of the one before.
    func set(_ number: UInt8, leaving active: USBConfiguration?) throws(TransportError) {
      for interface in Set((active?.interfaces ?? []).map(\.number)) {
        // Where no driver is, none has to go.
        unsafe libusb_detach_kernel_driver(device, Int32(interface))
      }
      let status = unsafe libusb_set_configuration(device, Int32(number))
      if status != 0 {
        throw TransportError(libusb: status, operation: "configuration \(number)", address: address)
      }
    }
  }
#endif
