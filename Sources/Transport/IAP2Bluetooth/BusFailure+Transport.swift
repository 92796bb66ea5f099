// swift-iap2 · Apache-2.0

import DBus
import IAP2Transport

#if Bluetooth
  import Glibc

  extension SystemBus {
    static let bluez = "org.bluez"

    /// Calls a method of bluetoothd, and waits for its answer.
    @discardableResult
    func call(
      _ member: String, of interface: String, at path: String, _ arguments: [BusArgument] = []
    ) throws(BusFailure) -> [BusValue] {
      try call(member, of: interface, at: path, to: Self.bluez, arguments)
    }
  }

  extension TransportError {
    init(_ failure: BusFailure, address: String) {
      let error = "org.freedesktop.DBus.Error."
      self =
        switch failure.name {
        case error + "AccessDenied", error + "AuthFailed": .permissionDenied(address: address)
        // There is no bus, no service of that name on it, or the bus has disconnected.
        case error + "FileNotFound", error + "NoServer", error + "ServiceUnknown", error + "NameHasNoOwner",
          error + "Disconnected":
          .bluetooth(.noDaemon, address: address)
        case error + "NoReply": .bluetooth(.daemonSilent, address: address)
        // bluetoothd reports these errors for a service that another program has registered.
        case "org.bluez.Error.NotPermitted" where failure.text.contains("already registered"),
          "org.bluez.Error.AlreadyExists":
          .addressInUse(address: address)
        default: .system(number: EPROTO, operation: "bluetoothd: \(failure.name) \(failure.text)")
        }
    }
  }
#endif
