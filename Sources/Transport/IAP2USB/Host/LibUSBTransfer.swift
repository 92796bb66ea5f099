// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if USB
  import CLibUSB
  import Glibc
  import IAP2
  import IAP2Transport

  /// A transfer with a buffer of its own.
  ///
  /// Invariant for `@unchecked`: one owner at a time — whoever makes it, libusb while it is under way, the event thread
  /// when it comes back.
  @safe struct LibUSBTransfer: @unchecked Sendable, Hashable {
    private let pointer: UnsafeMutablePointer<libusb_transfer>

    /// - Parameter owner: told when it comes back; outlives it.
    init(_ endpoint: USBEndpoint, byteCount: Int, handle: LibUSBHandle, owner: LibUSBDevice) {
      // libusb gives none only when memory is exhausted, as any allocation here.
      guard let pointer = unsafe libusb_alloc_transfer(0) else { fatalError("no memory for a transfer") }
      let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCount)
      unsafe libusb_fill_bulk_transfer(
        pointer, handle.device, endpoint.address, buffer, Int32(byteCount),
        { pointer in
          guard let pointer = unsafe pointer, let user = unsafe pointer.pointee.user_data else { return }
          let owner = unsafe Unmanaged<LibUSBDevice>.fromOpaque(user).takeUnretainedValue()
          owner.finished(unsafe LibUSBTransfer(pointer))
        }, Unmanaged.passUnretained(owner).toOpaque(), 0)
      switch endpoint.kind {
      case .control: unsafe pointer.pointee.type = UInt8(LIBUSB_TRANSFER_TYPE_CONTROL.rawValue)
      case .interrupt: unsafe pointer.pointee.type = UInt8(LIBUSB_TRANSFER_TYPE_INTERRUPT.rawValue)
      case .bulk, .isochronous: break
      }
      unsafe self.pointer = unsafe pointer
    }

    /// A report that is handed to a HID interface.
    init(report: [UInt8], interface: UInt8, handle: LibUSBHandle, owner: LibUSBDevice) {
      let control = USBEndpoint(address: 0, kind: .control, maximumPacketByteCount: 64)
      self.init(control, byteCount: USBSetup.byteCount + report.count, handle: handle, owner: owner)
      let setup = USBSetup.report(id: report.first ?? 0, interface: interface, byteCount: report.count)
      unsafe libusb_fill_control_setup(
        pointer.pointee.buffer, setup.requestType, setup.request, setup.value, setup.index, setup.length)
      unsafe (pointer.pointee.buffer + USBSetup.byteCount).update(from: report, count: report.count)
    }

    private init(_ pointer: UnsafeMutablePointer<libusb_transfer>) { unsafe self.pointer = unsafe pointer }

    /// Puts bytes in that are to be sent. A receiver that reads more than a packet at a time learns by an empty packet
    /// that a full one was the last.
    func fill(_ bytes: [UInt8]) {
      unsafe pointer.pointee.buffer.update(from: bytes, count: bytes.count)
      unsafe pointer.pointee.flags = UInt8(LIBUSB_TRANSFER_ADD_ZERO_PACKET.rawValue)
    }

    static func == (a: Self, b: Self) -> Bool { unsafe a.pointer == b.pointer }

    func hash(into hasher: inout Hasher) { unsafe hasher.combine(pointer) }

    /// - Returns: why the device did not take it; nil if it did.
    func submit(address: String) -> TransportError? {
      let status = unsafe libusb_submit_transfer(pointer)
      if status == 0 { return nil }
      if status == LIBUSB_ERROR_NO_DEVICE.rawValue { return .unplugged(address: address) }
      let reason = unsafe String(cString: libusb_strerror(status))
      return .system(number: 0, operation: "\(address): endpoint \(endpointName) takes no transfer: \(reason)")
    }

    /// As descriptors have it, with the direction.
    private var endpointName: String {
      let digits = String(unsafe pointer.pointee.endpoint, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }

    func cancel() { unsafe libusb_cancel_transfer(pointer) }

    /// While the device is open, for libusb logs to its context.
    func free() {
      unsafe pointer.pointee.buffer.deallocate()
      unsafe libusb_free_transfer(pointer)
    }

    var isToHost: Bool { unsafe pointer.pointee.endpoint & 0x80 != 0 }

    /// Came back with what was asked for: some bytes or none when reading, all of them when writing.
    var isDone: Bool {
      let hasAll = unsafe isToHost || pointer.pointee.actual_length == pointer.pointee.length - setupByteCount
      return unsafe pointer.pointee.status == LIBUSB_TRANSFER_COMPLETED && hasAll
    }

    private var setupByteCount: Int32 {
      unsafe pointer.pointee.type == UInt8(LIBUSB_TRANSFER_TYPE_CONTROL.rawValue) ? Int32(USBSetup.byteCount) : 0
    }

    var isCancelled: Bool { unsafe pointer.pointee.status == LIBUSB_TRANSFER_CANCELLED }

    /// Hands over what was read.
    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
      body(
        unsafe RawSpan(
          _unsafeStart: pointer.pointee.buffer, byteCount: Int(unsafe pointer.pointee.actual_length)))
    }

    /// Nil for what is no failure of the medium.
    func failure(address: String) -> TransportError? {
      switch unsafe pointer.pointee.status {
      case LIBUSB_TRANSFER_COMPLETED, LIBUSB_TRANSFER_CANCELLED: nil
      case LIBUSB_TRANSFER_STALL:
        .system(number: 0, operation: "\(address): the device stalls endpoint \(endpointName)")
      case LIBUSB_TRANSFER_OVERFLOW:
        .system(
          number: 0, operation: "\(address): the device sends more than was asked for on endpoint \(endpointName)")
      // A device that is being unplugged fails transfers until the bus has noticed.
      default: .unplugged(address: address)
      }
    }
  }
#endif
