// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if USB
  import IAP2
  import IAP2Transport
  import Synchronization

  /// The interfaces beside the link's, and their names, which identify the protocols.
  struct NativeInterfaces: Sendable {
    private let interfaces: AccessoryInterfaces
    private let names: [String?]

    init(of interfaces: AccessoryInterfaces, names: [String?]) {
      self.interfaces = interfaces
      self.names = names
    }

    func interface(of name: String, among protocols: [String]) -> AccessoryInterfaces.Native? {
      interfaces.native(of: name, among: protocols, interfaceNames: names)
    }
  }

  /// A transport through libusb: an accessory's link on a bulk pair with native EA protocols on further pairs, or a
  /// phone's link in reports.
  final class LibUSBTransport: ByteTransport {
    private let device: LibUSBDevice
    private let link: LibUSBPipe
    private let natives: NativeInterfaces?
    /// The latest stream of each interface. The next stream waits for its end.
    private let latest = Mutex<[UInt8: LibUSBNativeStream]>([:])

    var address: String { device.address }

    /// Creates a transport and starts reading.
    ///
    /// - Parameters:
    ///   - handle: The open device, with the link's interface claimed.
    ///   - natives: The native interfaces; nil if the device has none.
    ///   - onEnd: Called when the transport has ended: with the reason, or with nil if it was closed.
    init(
      _ handle: LibUSBHandle, _ endpoints: LinkEndpoints, natives: NativeInterfaces? = nil, address: String,
      onEnd: @escaping @Sendable (TransportError?) -> Void
    ) {
      self.natives = natives
      let device = LibUSBDevice(handle, address: address, onEnd: onEnd)
      self.device = device
      link = LibUSBPipe(endpoints, of: device) { device.end($0) }
      link.start()
    }

    func receive() async throws(TransportError) -> [UInt8]? { try await link.receive() }

    func send(_ bytes: [UInt8]) async throws(TransportError) { try await link.send(bytes) }

    func close() async {
      link.end(nil)
      await device.close()
    }

    func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? {
      guard let native = natives?.interface(of: name, among: protocols) else { return nil }
      return latest.withLock { latest in
        let stream = LibUSBNativeStream(native, of: device, after: latest[native.interface])
        latest[native.interface] = stream
        return stream
      }
    }
  }
#endif
