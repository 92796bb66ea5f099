// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if USB
  import CLibUSB
  import Glibc
  import IAP2
  import IAP2Transport

  /// A transfer with its own buffer.
  ///
  /// Invariant for `@unchecked`: a transfer has one owner at a time: its creator, then libusb while it is in flight,
  /// then the event thread once it has completed.
  @safe struct LibUSBTransfer: @unchecked Sendable, Hashable {
    private let pointer: UnsafeMutablePointer<libusb_transfer>

    /// Creates a transfer for an endpoint.
    ///
    /// - Parameter owner: The device whose `finished` is called on completion. It must outlive the transfer.
    init(_ endpoint: USBEndpoint, byteCount: Int, handle: LibUSBHandle, owner: LibUSBDevice) {
      // libusb returns null only when memory is exhausted. Swift's own allocations trap then too.
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

    /// Creates a control transfer that sends a report to a HID interface.
    init(report: [UInt8], interface: UInt8, handle: LibUSBHandle, owner: LibUSBDevice) {
      let control = USBEndpoint(address: 0, kind: .control, maximumPacketByteCount: 64)
      self.init(control, byteCount: USBSetup.byteCount + report.count, handle: handle, owner: owner)
      let setup = USBSetup.report(id: report.first ?? 0, interface: interface, byteCount: report.count)
      unsafe libusb_fill_control_setup(
        pointer.pointee.buffer, setup.requestType, setup.request, setup.value, setup.index, setup.length)
      unsafe (pointer.pointee.buffer + USBSetup.byteCount).update(from: report, count: report.count)
    }

    private init(_ pointer: UnsafeMutablePointer<libusb_transfer>) { unsafe self.pointer = unsafe pointer }

    /// Copies the bytes to send into the buffer. An empty packet follows a full last packet, so that a receiver that
    /// reads several packets at a time recognizes the end.
    func fill(_ bytes: [UInt8]) {
      unsafe pointer.pointee.buffer.update(from: bytes, count: bytes.count)
      unsafe pointer.pointee.flags = UInt8(LIBUSB_TRANSFER_ADD_ZERO_PACKET.rawValue)
    }

    static func == (a: Self, b: Self) -> Bool { unsafe a.pointer == b.pointer }

    func hash(into hasher: inout Hasher) { unsafe hasher.combine(pointer) }

    /// Submits the transfer.
    ///
    /// - Returns: The reason why the device did not accept it; nil on success.
    func submit(address: String) -> TransportError? {
      let status = unsafe libusb_submit_transfer(pointer)
      if status == 0 { return nil }
      if status == LIBUSB_ERROR_NO_DEVICE.rawValue { return .unplugged(address: address) }
      let reason = unsafe String(cString: libusb_strerror(status))
      return .system(number: 0, operation: "\(address): endpoint \(endpointName) accepts no transfer: \(reason)")
    }

    /// The endpoint's address in hexadecimal with the direction bit, as in descriptors.
    private var endpointName: String {
      let digits = String(unsafe pointer.pointee.endpoint, radix: 16)
      return digits.count < 2 ? "0" + digits : digits
    }

    func cancel() { unsafe libusb_cancel_transfer(pointer) }

    /// Frees the transfer. The device must be open, because libusb logs to its context.
    func free() {
      unsafe pointer.pointee.buffer.deallocate()
      unsafe libusb_free_transfer(pointer)
    }

    var isToHost: Bool { unsafe pointer.pointee.endpoint & 0x80 != 0 }

    /// Whether the transfer did what was requested. A read may bring any number of bytes; a write must have sent all.
    var isDone: Bool {
      let hasAll = unsafe isToHost || pointer.pointee.actual_length == pointer.pointee.length - setupByteCount
      return unsafe pointer.pointee.status == LIBUSB_TRANSFER_COMPLETED && hasAll
    }

    private var setupByteCount: Int32 {
      unsafe pointer.pointee.type == UInt8(LIBUSB_TRANSFER_TYPE_CONTROL.rawValue) ? Int32(USBSetup.byteCount) : 0
    }

    var isCancelled: Bool { unsafe pointer.pointee.status == LIBUSB_TRANSFER_CANCELLED }

    /// Calls `body` with the bytes that were read.
    func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
      body(
        unsafe RawSpan(
          _unsafeStart: pointer.pointee.buffer, byteCount: Int(unsafe pointer.pointee.actual_length)))
    }

    /// Returns the error of a failed transfer; nil for a completed or cancelled one.
    func failure(address: String) -> TransportError? {
      switch unsafe pointer.pointee.status {
      case LIBUSB_TRANSFER_COMPLETED, LIBUSB_TRANSFER_CANCELLED: nil
      case LIBUSB_TRANSFER_STALL:
        .system(number: 0, operation: "\(address): the device stalls endpoint \(endpointName)")
      case LIBUSB_TRANSFER_OVERFLOW:
        .system(
          number: 0, operation: "\(address): the device sends more than was requested on endpoint \(endpointName)")
      // While a device is being unplugged, its transfers fail before the bus reports the disconnection.
      default: .unplugged(address: address)
      }
    }
  }
#endif
