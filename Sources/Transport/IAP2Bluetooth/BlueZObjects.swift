// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Formats

/// What bluetoothd knows: this machine's adapters, and the devices that it has met.
package struct BlueZObjects: Sendable, Equatable {
  package struct Adapter: Sendable, Equatable {
    /// As in hci0.
    package var number: UInt16
    package var address: String
    package var name: String
    package var isPowered: Bool
  }

  package struct Device: Sendable, Equatable {
    /// The number of the adapter that has met it.
    package var adapter: UInt16
    package var address: BluetoothAddress
    package var name: String?
    package var isPaired: Bool
    package var isConnected: Bool
    /// What of this protocol it speaks, as far as it was told.
    package var services: Set<BluetoothService>
  }

  package var adapters: [Adapter] = []
  package var devices: [Device] = []

  /// From the answer of `GetManagedObjects`: paths, of each its interfaces, of each its properties.
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

  /// The number in `/org/bluez/hci0/dev_00_AA_01_01_00_01` and its like.
  static func adapter(of path: String) -> UInt16? {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? RFCOMMAddress.adapter(parts[2]) : nil
  }

  /// The address in such a path.
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
