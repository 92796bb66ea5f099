// swift-iap2 · Apache-2.0

#if Bluetooth
  import CBlueZ
  import Foundation
  import IAP2
  import IAP2Runtime

  /// A Bluetooth controller of this machine, as the kernel tells it to everybody.
  struct Adapter: Sendable, Equatable {
    /// As in hci0.
    var number: UInt16
    var address: BluetoothAddress
    /// Why it cannot be used now.
    var problem: BluetoothProblem?

    var name: String { "hci\(number)" }

    static let sysfs = "/sys/class/bluetooth"

    /// Nil when there is none of this number.
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

    /// In the order of their numbers; empty where there is no Bluetooth.
    static func all() -> [Adapter] {
      let names: [String]
      do { names = try FileManager.default.contentsOfDirectory(atPath: sysfs) } catch { return [] }
      // `hci0:11` is a connection of hci0.
      return names.compactMap(RFCOMMAddress.adapter).sorted().compactMap { Adapter($0) }
    }

    /// By a switch or by software (Documentation/ABI/stable/sysfs-class-rfkill).
    private static func isBlocked(_ folder: String) -> Bool {
      let names: [String]
      do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch { return false }
      return names.filter { $0.hasPrefix("rfkill") }.contains { name in
        ["soft", "hard"].contains { FileManager.default.contents(atPath: "\(folder)/\(name)/\($0)")?.first == 0x31 }
      }
    }

    /// The one that is meant, or the first that can be used.
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
