// swift-iap2 · Apache-2.0

import DBus
import IAP2
package import IAP2Formats

/// The objects of bluetoothd: this machine's adapters and the devices that bluetoothd knows.
package struct BlueZObjects: Sendable, Equatable {
  /// An adapter of this machine.
  package struct Adapter: Sendable, Equatable {
    /// The number in the adapter's name, such as 0 in hci0.
    package var number: UInt16
    /// The adapter's Bluetooth address as text; empty if bluetoothd has not given it.
    package var address: String
    /// The adapter's name that users see.
    package var name: String
    /// Whether the adapter is powered on.
    package var isPowered: Bool
  }

  /// A device that bluetoothd knows.
  package struct Device: Sendable, Equatable {
    /// The number of the adapter that has seen the device.
    package var adapter: UInt16
    /// The device's Bluetooth address.
    package var address: BluetoothAddress
    /// The device's name; nil if it is unknown.
    package var name: String?
    /// Whether the device and the adapter have a bond.
    package var isPaired: Bool
    /// Whether the device is connected now.
    package var isConnected: Bool
    /// The services of iAP2 and CarPlay that the device offers, as far as bluetoothd knows.
    package var services: Set<BluetoothService>
  }

  /// The adapters in the order of their object paths.
  package var adapters: [Adapter] = []
  /// The devices in the order of their object paths.
  package var devices: [Device] = []

  /// Reads the answer of `GetManagedObjects`: paths, for each path interfaces, for each interface properties.
  init(_ objects: [String: BusValue]) {
    for (path, interfaces) in objects.sorted(by: { $0.key < $1.key }) {
      guard let number = Self.adapter(of: path) else { continue }
      if let properties = interfaces.dictionary["org.bluez.Adapter1"]?.dictionary {
        adapters.append(
          Adapter(
            number: number, address: properties["Address"]?.text ?? "", name: properties["Alias"]?.text ?? "",
            isPowered: properties["Powered"]?.boolean ?? false))
      }
      if let properties = interfaces.dictionary["org.bluez.Device1"]?.dictionary,
        let address = BluetoothAddress(properties["Address"]?.text ?? "")
      {
        let uuids = (properties["UUIDs"]?.list ?? []).compactMap { BluetoothUUID($0.text ?? "") }
        devices.append(
          Device(
            adapter: number, address: address, name: properties["Name"]?.text,
            isPaired: properties["Paired"]?.boolean ?? false, isConnected: properties["Connected"]?.boolean ?? false,
            services: Set(uuids.compactMap { BluetoothService(announced: $0) })))
      }
    }
  }

  /// Returns the adapter's number in a path such as `/org/bluez/hci0/dev_00_AA_01_01_00_01`.
  static func adapter(of path: String) -> UInt16? {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? RFCOMMAddress.adapter(parts[2]) : nil
  }

  /// Returns the device's address in such a path; nil if the path has none.
  static func address(of path: String) -> BluetoothAddress? {
    guard let last = path.split(separator: "/").last, last.hasPrefix("dev_") else { return nil }
    return BluetoothAddress(last.dropFirst(4).replacing("_", with: ":"))
  }
}

#if Bluetooth
  extension BlueZObjects {
    init(_ bus: SystemBus) throws(BusFailure) {
      let answer = try bus.call("GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", at: "/")
      self.init(answer.first?.dictionary ?? [:])
    }
  }
#endif
