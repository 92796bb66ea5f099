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
}

extension ByteTransport {
  public var taskExecutor: (any TaskExecutor)? { nil }
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
  case deviceMode(address: String, DeviceModeProblem)
  case closed
  /// Another error of the system.
  case system(number: Int32, operation: String)
}
