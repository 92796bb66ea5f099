// swift-iap2 · Apache-2.0

public import IAP2Transport

/// The reason why Bluetooth cannot be used, or why a connection ended.
public enum BluetoothProblem: TransportProblem {
  /// The machine has no system bus, or bluetoothd is not running.
  case noDaemon
  /// bluetoothd did not answer a call in time. It hangs, or it ended during the call.
  case daemonSilent
  /// The connection to the system bus was lost while the program waited for incoming connections.
  case busLost
  /// The machine has no Bluetooth adapter, or not the one that the address names.
  case noAdapter
  /// The adapter is powered off.
  case adapterOff
  /// The adapter is blocked by rfkill, in software or by a hardware switch.
  case adapterBlocked
  /// The peer and this adapter have no bond.
  case notPaired
  /// The peer refused the connection: no program listens on that channel, or the peer has forgotten the bond.
  case refused
  /// The peer answered, but has no record of the service.
  case serviceNotFound
  /// The peer did not answer until the supervision timeout.
  case outOfRange
  /// The peer closed the Bluetooth connection under RFCOMM.
  case droppedByPeer
  /// This machine closed the Bluetooth connection; the kernel gives no reason.
  case droppedHere
}

extension BluetoothProblem {
  public var explanation: String {
    switch self {
    case .noDaemon:
      "bluetoothd is not running, or this machine has no D-Bus; install bluez and start it: systemctl start bluetooth"
    case .daemonSilent: "bluetoothd does not answer; restart it: systemctl restart bluetooth"
    case .busLost:
      "the connection to the system's D-Bus was lost; start D-Bus and bluetoothd (systemctl start dbus bluetooth), "
        + "then run the command again"
    case .noAdapter:
      "this machine has no such Bluetooth adapter; `iap2 devices` and `bluetoothctl list` list the adapters, "
        + "`rfkill list` the blocked ones; plug one in, or load its driver (modprobe btusb)"
    case .adapterOff: "the Bluetooth adapter is off; `bluetoothctl power on` turns it on"
    case .adapterBlocked: "the Bluetooth adapter is blocked by rfkill; `rfkill unblock bluetooth` frees it"
    case .notPaired:
      "the peer is not paired with this adapter; run `bluetoothctl pair ADDRESS`; with several adapters, "
        + "run `select ADAPTER` inside bluetoothctl first"
    case .refused:
      "the peer refused the connection: no program listens on that channel, or the peer has removed the pairing"
    case .serviceNotFound: "the peer has no service record of iAP2 for this role"
    case .outOfRange: "the peer is out of range: it did not answer until the supervision timeout"
    case .droppedByPeer: "the peer closed the Bluetooth connection"
    case .droppedHere: "this machine closed the Bluetooth connection"
    }
  }
}

extension TransportError {
  /// Returns a Bluetooth problem of the transport at `address`.
  package static func bluetooth(_ problem: BluetoothProblem, address: String) -> Self {
    .specific(SpecificTransportProblem(problem, address: address))
  }

  /// The problem, if only Bluetooth has it.
  package var bluetoothProblem: BluetoothProblem? {
    if case .specific(let specific) = self { specific.problem as? BluetoothProblem } else { nil }
  }
}
