// swift-iap2 · Apache-2.0

import Glibc
public import IAP2Formats

/// What a phone in device mode, or the change of roles with it, came to grief over.
public enum DeviceModeProblem: Error, Equatable, Sendable {
  /// No HID interface with an interrupt endpoint and a report descriptor.
  case noReportInterface
  /// There is one, and what its descriptor says cannot carry iAP2.
  case badReportTable(HIDReportTableProblem)
  /// The phone stalled the request to become host.
  case roleSwitchRefused
  /// This machine has no controller on which it could be the device.
  case noController
  /// The phone agreed to become host and is still on the bus.
  case didNotLeave(seconds: Int)
  /// It left, and no host came.
  case noHost(seconds: Int)
  /// The phone is host, and no accessory came.
  case noAccessory(seconds: Int)
}

/// What went wrong with a medium.
public enum TransportError: Error, Equatable, Sendable {
  case refused(address: String)
  case unreachable(address: String)
  case notFound(address: String)
  case permissionDenied(address: String)
  case addressInUse(address: String)
  /// The device went away, or the cable did.
  case unplugged(address: String)
  /// This build leaves out what the transport needs.
  case notBuilt(address: String, trait: String)
  /// What can be wrong with Bluetooth and with no other medium.
  case bluetooth(BluetoothProblem, address: String)
  case deviceMode(address: String, DeviceModeProblem)
  case closed
  /// Another error of the system.
  case system(number: Int32, operation: String)
}

/// Why Bluetooth cannot be used, or stopped.
public enum BluetoothProblem: Sendable, Equatable {
  /// No system bus, or no bluetoothd on it.
  case noDaemon
  /// bluetoothd was asked and has not answered: it hangs, or ended meanwhile.
  case daemonSilent
  /// The system bus itself has gone while somebody waited for calls over it.
  case busLost
  case noAdapter
  case adapterOff
  /// Off by rfkill: software, or a switch of the machine.
  case adapterBlocked
  /// The other side and this adapter have no bond.
  case notPaired
  /// The other side does not take the call: nobody waits on that channel, or it has forgotten the bond.
  case refused
  /// The other side is there and has no record of the service.
  case serviceNotFound
  /// Nothing was heard of the other side for too long.
  case outOfRange
  /// The other side ended the connection under everything else.
  case droppedByPeer
  /// This machine did, for a reason it does not tell.
  case droppedHere
}

extension TransportError {
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
