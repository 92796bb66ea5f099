// swift-iap2 · Apache-2.0

import Glibc
import IAP2
import IAP2Formats
import IAP2Transport

#if USB
  import CLibUSB
#endif

/// A namespace for opening accessories.
enum USBHost {
  /// Opens an accessory and claims the link's interface.
  ///
  /// - Parameter onEnd: Called when the transport has ended: with the reason, or with nil if it was closed.
  static func open(
    _ device: AttachedDevice, onEnd: @escaping @Sendable (TransportError?) -> Void
  ) throws(TransportError) -> any ByteTransport {
    let address = device.address.description
    #if USB
      guard case .accessory(let interfaces) = device.role else { throw .notFound(address: address) }
      let link = interfaces.link
      var handle = try LibUSBHandle(device, address: address)
      do { try handle.claim(link.interface, alternateSetting: link.alternateSetting) } catch {
        handle.close()
        throw error
      }
      return LibUSBTransport(
        handle, .bulk(link.bulk), natives: NativeInterfaces(of: interfaces, names: device.nativeNames),
        address: address, onEnd: onEnd)
    #else
      throw .notBuilt(address: address, trait: "USB")
    #endif
  }
}

#if USB
  /// An open device with the interface claimed for the link. It has its own libusb context. The context does not
  /// enumerate devices, so it needs no udev and is cheap.
  @safe struct LibUSBHandle {
    let context: OpaquePointer
    let device: OpaquePointer
    private let descriptor: Int32
    let address: String
    private var interface: Int32?

    init(_ attached: AttachedDevice, address: String) throws(TransportError) {
      descriptor = unsafe Glibc.open(attached.node, O_RDWR | O_CLOEXEC)
      guard descriptor >= 0 else {
        switch errno {
        case ENOENT where attached.isWithoutNode:
          throw .system(number: 0, operation: "\(address): \(AttachedDevice.missingNode(attached.node))")
        case ENOENT, ENODEV, ENXIO: throw .notFound(address: address)
        case EACCES, EPERM: throw .permissionDenied(address: address)
        default: throw .system(number: errno, operation: "open \(attached.node)")
        }
      }
      self.address = address
      var context: OpaquePointer?
      var device: OpaquePointer?
      var status = iap2_libusb_without_discovery()
      if status == 0 { status = unsafe libusb_init(&context) }
      if status == 0 { status = unsafe libusb_wrap_sys_device(context, Int(descriptor), &device) }
      guard status == 0, let context = unsafe context, let device = unsafe device else {
        if let context = unsafe context { unsafe libusb_exit(context) }
        Glibc.close(descriptor)
        throw TransportError(libusb: status, operation: "open", address: address)
      }
      // A kernel driver that held the interface gets it back when the interface is released.
      unsafe libusb_set_auto_detach_kernel_driver(device, 1)
      unsafe self.context = context
      unsafe self.device = device
    }

    mutating func claim(_ number: UInt8, alternateSetting: UInt8) throws(TransportError) {
      var status = unsafe libusb_claim_interface(device, Int32(number))
      if status == 0 { interface = Int32(number) }
      if status == 0, alternateSetting != 0 {
        status = unsafe libusb_set_interface_alt_setting(device, Int32(number), Int32(alternateSetting))
      }
      if status != 0 { throw TransportError(libusb: status, operation: "claim", address: address) }
    }

    mutating func release() {
      if let interface { unsafe libusb_release_interface(device, interface) }
      interface = nil
    }

    func close() {
      if let interface { unsafe libusb_release_interface(device, interface) }
      unsafe libusb_close(device)
      unsafe libusb_exit(context)
      Glibc.close(descriptor)
    }
  }

  extension TransportError {
    init(libusb status: Int32, operation: String, address: String) {
      self =
        switch libusb_error(rawValue: status) {
        case LIBUSB_ERROR_NO_DEVICE: .unplugged(address: address)
        case LIBUSB_ERROR_ACCESS: .permissionDenied(address: address)
        case LIBUSB_ERROR_BUSY: .addressInUse(address: address)
        case LIBUSB_ERROR_NO_MEM: .system(number: ENOMEM, operation: operation)
        default:
          .system(
            number: 0,
            operation: "\(address): \(operation): \(unsafe String(cString: libusb_strerror(status))); "
              + "unplug the device and plug it in again")
        }
    }
  }
#endif
