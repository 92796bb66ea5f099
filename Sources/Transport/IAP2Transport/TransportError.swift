// swift-iap2 · Apache-2.0

import Glibc
public import IAP2Formats

/// An error of a phone in device mode, or of a role switch with it.
public enum DeviceModeProblem: Error, Equatable, Sendable {
  /// The phone has no HID interface with an interrupt endpoint and a report descriptor.
  case noReportInterface
  /// The phone has such an interface, but the reports in its descriptor cannot carry iAP2.
  case badReportTable(HIDReportTableProblem)
  /// The phone stalled the request to become host.
  case roleSwitchRefused
  /// This machine has no free USB device controller, which it needs to become the device.
  case noController
  /// The phone accepted the role switch, but was still on the bus after `seconds`.
  case didNotLeave(seconds: Int)
  /// The phone left the bus, but no host enumerated this machine within `seconds`.
  case noHost(seconds: Int)
  /// The phone became host, but no accessory appeared on its bus within `seconds`.
  case noAccessory(seconds: Int)
}

/// An error of a transport. `address` is the transport's address as text.
public enum TransportError: Error, Equatable, Sendable {
  /// The peer refused the connection.
  case refused(address: String)
  /// The peer cannot be reached, or did not answer in time.
  case unreachable(address: String)
  /// The host name, file or device does not exist.
  case notFound(address: String)
  /// The process may not use the device, file or port.
  case permissionDenied(address: String)
  /// Another program uses the port, channel, device or controller.
  case addressInUse(address: String)
  /// The USB device was unplugged. On a gadget: the host disabled the function.
  case unplugged(address: String)
  /// The transport needs a package trait that this build does not enable.
  case notBuilt(address: String, trait: String)
  /// An error that only Bluetooth has.
  case bluetooth(BluetoothProblem, address: String)
  /// An error of a phone in device mode, or of a role switch.
  case deviceMode(address: String, DeviceModeProblem)
  /// The stream is closed, or its task was cancelled.
  case closed
  /// Any other error. `number` is the `errno`, or 0 if there is none. `operation` names the failed operation.
  case system(number: Int32, operation: String)
}

/// The reason why Bluetooth cannot be used, or why a connection ended.
public enum BluetoothProblem: Sendable, Equatable {
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
  /// The peer was not heard until the supervision timeout.
  case outOfRange
  /// The peer closed the Bluetooth connection under RFCOMM.
  case droppedByPeer
  /// This machine closed the Bluetooth connection; the kernel gives no reason.
  case droppedHere
}

extension TransportError {
  /// Maps an `errno` to the matching case. `operation` is used only where no case matches.
  package init(number: Int32, operation: String, address: String) {
    self =
      switch number {
      case ECONNREFUSED: .refused(address: address)
      case ENOENT, ENODEV, ENXIO: .notFound(address: address)
      case EACCES, EPERM: .permissionDenied(address: address)
      case EADDRINUSE: .addressInUse(address: address)
      case EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, EADDRNOTAVAIL: .unreachable(address: address)
      case ECONNRESET, EPIPE, ENOTCONN, EBADF, EIO: .closed
      default: .system(number: number, operation: operation)
      }
  }
}
