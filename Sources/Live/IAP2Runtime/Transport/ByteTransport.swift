// swift-iap2 · Apache-2.0

public import IAP2

/// Moves bytes between two sides, in order. One task reads and one writes at a time.
public protocol ByteTransport: Sendable {
  /// The next bytes, at least one; nil at the end of the stream, whichever side ended it.
  func receive() async throws(TransportError) -> [UInt8]?
  /// Waits while the medium is full.
  func send(_ bytes: [UInt8]) async throws(TransportError)
  /// Sends what was accepted, then ends the stream. May be called again.
  func close() async
  var address: String { get }
  /// Where a connection's tasks run best: on the thread that moves the bytes, so that an acknowledgement costs no change
  /// of threads. Nil leaves them where they were started.
  var taskExecutor: (any TaskExecutor)? { get }
  /// The bytes of one session of an EA protocol that go beside the link (EA native transport), from now until it is
  /// closed; nil where the medium has no place for them, and they go through the link.
  ///
  /// What opens the medium, and may fail or take its time, is left to the first `receive`. Whoever gets it calls `close`;
  /// when that has returned, the next session of the protocol may have its own. It ends with the link's medium at the
  /// latest.
  ///
  /// - Parameter protocols: the names of all that the accessory has identified as native, in its order.
  func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)?
}

extension ByteTransport {
  public var taskExecutor: (any TaskExecutor)? { nil }

  public func nativeStream(of name: String, among protocols: [String]) -> (any ByteTransport)? { nil }
}

/// Where connections come from: a dialled one once, a listener's one after another.
public protocol TransportSource: Sendable {
  /// The next connection; nil when there are no more.
  func next() async throws(TransportError) -> (any ByteTransport)?
  func close() async
  /// The real address, as after listening on port 0.
  var address: String { get }
}

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
