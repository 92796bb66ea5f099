// swift-iap2 · Apache-2.0

import IAP2Formats
import IAP2Transport

#if Bluetooth
  import CBlueZ
  import Foundation
  import Glibc
  import IAP2
  import IAP2Transport

  /// A Bluetooth adapter of this machine. Its properties come from the kernel, which any user may ask.
  struct Adapter: Sendable, Equatable {
    /// The number in the adapter's name, such as 0 in hci0.
    var number: UInt16
    var address: BluetoothAddress
    /// The reason why the adapter cannot be used now; nil if it can.
    var problem: BluetoothProblem?

    var name: String { "hci\(number)" }

    static let sysfs = "/sys/class/bluetooth"

    /// Reads an adapter from the kernel. Returns nil if no adapter has this number.
    init?(_ number: UInt16) {
      var info = hci_dev_info()
      guard unsafe hci_devinfo(Int32(number), &info) == 0 else { return nil }
      let bytes = unsafe withUnsafeBytes(of: &info.bdaddr) { unsafe Array($0) }
      guard let address = BluetoothAddress(wire: bytes) else { return nil }
      self.number = number
      self.address = address
      let isUp = info.flags & 1 << UInt32(HCI_UP) != 0
      if !isUp { problem = Self.isBlocked("\(Self.sysfs)/hci\(number)") ? .adapterBlocked : .adapterOff }
    }

    /// Returns all adapters in the order of their numbers. Empty if the machine has no Bluetooth.
    static func all() -> [Adapter] {
      let names: [String]
      do { names = try FileManager.default.contentsOfDirectory(atPath: sysfs) } catch { return [] }
      // The entry `hci0:11` is a connection of hci0.
      return names.compactMap(RFCOMMAddress.adapter).sorted().compactMap { Adapter($0) }
    }

    /// Returns whether a switch or software blocks the adapter (Documentation/ABI/stable/sysfs-class-rfkill).
    private static func isBlocked(_ folder: String) -> Bool {
      let names: [String]
      do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch { return false }
      return names.filter { $0.hasPrefix("rfkill") }.contains { name in
        ["soft", "hard"].contains { FileManager.default.contents(atPath: "\(folder)/\(name)/\($0)")?.first == 0x31 }
      }
    }

    /// The request HCIGETCONNINFO of `bluetooth/hci.h`. Swift cannot import macros with arguments.
    private static let connectionInformation: UInt = 0x8004_48D5
    private static let connected: UInt16 = 1

    /// Returns whether the ACL link to a peer is up. It carries all other connections to the peer.
    static func isConnected(_ adapter: UInt16, to peer: BluetoothAddress) -> Bool {
      let descriptor = hci_open_dev(Int32(adapter))
      guard descriptor >= 0 else { return false }
      defer { Glibc.close(descriptor) }
      // The buffer starts with `struct hci_conn_info_req`: the address, the type (1 is ACL), one byte of padding.
      // `struct hci_conn_info` follows; its state comes after a handle, the address, the type and the direction.
      var request = peer.bytes.reversed() + [1, 0] + [UInt8](repeating: 0, count: 16)
      guard unsafe ioctl(descriptor, connectionInformation, &request) == 0 else { return false }
      return UInt16(request[18]) | UInt16(request[19]) << 8 == connected
    }

    /// Returns the wanted adapter, or the first one that can be used. Throws if there is none or it cannot be used.
    static func usable(_ wanted: UInt16?, for address: String) throws(TransportError) -> Adapter {
      let all = wanted.map { [Adapter($0)].compactMap { $0 } } ?? Adapter.all()
      guard let adapter = all.first(where: { $0.problem == nil }) ?? all.first else {
        throw .bluetooth(.noAdapter, address: address)
      }
      if let problem = adapter.problem { throw .bluetooth(problem, address: address) }
      return adapter
    }
  }
#endif
