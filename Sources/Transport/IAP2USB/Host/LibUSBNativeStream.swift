// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if USB
  import CLibUSB
  import IAP2
  import IAP2Transport
  import Synchronization

  /// The stream of one session of a native EA protocol. The first `receive` claims the interface and selects the
  /// setting with its endpoints. The end selects alternate setting 0 and releases the interface.
  ///
  /// If setting 0 has the endpoints itself, selecting it again still restarts the session, because it ends transfers in
  /// flight.
  // Unverified: that real accessories want setting 1 selected after they have answered the opening, as here, rather
  // than before. The gadget of this project has its endpoints in setting 0. No accessory with endpoints in setting 1
  // was available.
  final class LibUSBNativeStream: ByteTransport {
    private enum State {
      case idle, opening
      case open(LibUSBPipe)
      case closing(LibUSBPipe)
      case closed(LibUSBPipe?)
    }

    private let native: AccessoryInterfaces.Native
    private let device: LibUSBDevice
    private let state = Mutex((stage: State.idle, wantsClose: false, closers: [CheckedContinuation<Void, Never>]()))
    /// The previous session on the same interface, until it is known to have ended.
    private let previous: Mutex<LibUSBNativeStream?>
    private let opened = Signal()

    var address: String { device.address }

    init(_ native: AccessoryInterfaces.Native, of device: LibUSBDevice, after previous: LibUSBNativeStream?) {
      self.native = native
      self.device = device
      self.previous = Mutex(previous)
    }

    func receive() async throws(TransportError) -> [UInt8]? {
      let (stage, isFirst) = state.withLock { state in
        guard case .idle = state.stage else { return (state.stage, false) }
        state.stage = .opening
        return (state.stage, true)
      }
      if isFirst {
        defer { opened.notify() }
        return try await open()?.receive()
      }
      switch stage {
      case .open(let pipe), .closing(let pipe): return try await pipe.receive()
      case .closed(let pipe): return try await pipe?.receive()
      case .idle, .opening: return nil
      }
    }

    func send(_ bytes: [UInt8]) async throws(TransportError) {
      while true {
        switch state.withLock({ $0.stage }) {
        case .open(let pipe): return try await pipe.send(bytes)
        case .closing, .closed: throw .closed
        case .idle, .opening:
          guard !Task.isCancelled else { throw .closed }
          await opened.wait()
        }
      }
    }

    func close() async {
      let pipe: LibUSBPipe? = state.withLock { state in
        switch state.stage {
        case .idle: state.stage = .closed(nil)
        case .opening: state.wantsClose = true
        case .open(let pipe):
          state.stage = .closing(pipe)
          return pipe
        case .closing, .closed: break
        }
        return nil
      }
      opened.notify()
      if let pipe { return await shut(pipe) }
      await withCheckedContinuation { (waiting: CheckedContinuation<Void, Never>) in
        let isOver = state.withLock { state in
          if case .closed = state.stage { return true }
          state.closers.append(waiting)
          return false
        }
        if isOver { waiting.resume() }
      }
    }

    // MARK: The interface

    /// Opens the interface. Returns nil if the stream was closed meanwhile.
    private func open() async throws(TransportError) -> LibUSBPipe? {
      await previous.withLock { $0 }?.close()
      previous.withLock { $0 = nil }
      guard device.enter() else {
        over(nil)
        throw device.endReason ?? .closed
      }
      do throws(TransportError) {
        let (native, device) = (native, device)
        try await onOwnThread(usbThread) { () throws(TransportError) in
          try device.handle.claim(native, address: device.address)
        }
      } catch {
        device.leave()
        over(nil)
        throw error
      }
      let pipe = LibUSBPipe(.bulk(native.bulk), of: device) { _ in }
      let wantsClose = state.withLock { state in
        state.stage = state.wantsClose ? .closing(pipe) : .open(pipe)
        return state.wantsClose
      }
      guard !wantsClose else {
        await shut(pipe)
        return nil
      }
      pipe.start()
      opened.notify()
      return pipe
    }

    private func shut(_ pipe: LibUSBPipe) async {
      await pipe.close()
      let (device, interface) = (device, native.interface)
      // The call fails only without the device, which then has nothing to release.
      do { try await onOwnThread(usbThread) { device.handle.release(interface) } } catch {}
      device.leave()
      over(pipe)
    }

    private func over(_ pipe: LibUSBPipe?) {
      let closers = state.withLock { state in
        state.stage = .closed(pipe)
        defer { state.closers = [] }
        return state.closers
      }
      for closer in closers { closer.resume() }
    }
  }

  extension LibUSBHandle {
    /// Claims an interface beside the link's and selects the setting with its endpoints.
    fileprivate func claim(_ native: AccessoryInterfaces.Native, address: String) throws(TransportError) {
      var status = unsafe libusb_claim_interface(device, Int32(native.interface))
      guard status == 0 else { throw TransportError(libusb: status, operation: "claim", address: address) }
      status = unsafe libusb_set_interface_alt_setting(
        device, Int32(native.interface), Int32(native.alternateSetting))
      guard status == 0 else {
        unsafe libusb_release_interface(device, Int32(native.interface))
        throw TransportError(libusb: status, operation: "select the native endpoints", address: address)
      }
    }

    fileprivate func release(_ interface: UInt8) {
      unsafe libusb_set_interface_alt_setting(device, Int32(interface), 0)
      unsafe libusb_release_interface(device, Int32(interface))
    }
  }
#endif
