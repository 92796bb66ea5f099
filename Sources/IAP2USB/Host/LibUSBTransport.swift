// swift-iap2 · Apache-2.0

#if USB
  import IAP2
  import IAP2Runtime
  import Synchronization

  /// An accessory through libusb: the link on one bulk pair, native EA protocols on pairs beside it.
  final class LibUSBTransport: ByteTransport {
    private let device: LibUSBDevice
    private let link: LibUSBPipe
    private let interfaces: AccessoryInterfaces
    private let nativeNames: [String?]
    /// The latest stream of each interface; the next one waits for its end.
    private let latest = Mutex<[UInt8: LibUSBNativeStream]>([:])

    var address: String { device.address }

    /// - Parameters:
    ///   - handle: with the link's interface claimed.
    ///   - onEnd: told why the medium ended, or nil when it was closed.
    init(
      _ handle: LibUSBHandle, interfaces: AccessoryInterfaces, nativeNames: [String?], address: String,
      onEnd: @escaping @Sendable (TransportError?) -> Void
    ) {
      self.interfaces = interfaces
      self.nativeNames = nativeNames
      let device = LibUSBDevice(handle, address: address, onEnd: onEnd)
      self.device = device
      link = LibUSBPipe(interfaces.link.bulk, of: device) { device.end($0) }
      link.start()
    }

    func receive() async throws(TransportError) -> [UInt8]? { try await link.receive() }

    func send(_ bytes: [UInt8]) async throws(TransportError) { try await link.send(bytes) }

    func close() async {
      link.end(nil)
      await device.close()
    }

    func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
      guard let native = interfaces.native(of: name, among: protocols, interfaceNames: nativeNames) else { return nil }
      return latest.withLock { latest in
        let stream = LibUSBNativeStream(native, of: device, after: latest[native.interface])
        latest[native.interface] = stream
        return stream
      }
    }
  }
#endif
