// swift-iap2 · Apache-2.0

import Glibc

/// The open files of a gadget's function and the operations on them. Each operation belongs to one thread.
protocol GadgetFiles: Sendable {
  /// Waits for the next events. Returns nil after `stopEvents`, or if the function was removed.
  func nextEvents() -> [FunctionEvent]?
  func stopEvents()
  /// Waits for bytes from the host.
  func read(into buffer: inout [UInt8]) -> GadgetOutcome
  /// Writes at most `writeByteCount` bytes. Waits until the host has taken them.
  func write(_ bytes: ArraySlice<UInt8>) -> GadgetOutcome
  var writeByteCount: Int { get }
  /// The packet size of the endpoint to the host if a full last packet needs an empty one behind it; nil if not.
  var packetByteCount: Int? { get }
  /// Whether a connection may start.
  var isReadyForConnection: Bool { get }
  /// Whether bytes that arrive without a connection are kept for the next one.
  var keepsFirstBytes: Bool { get }
  func close()
}

enum GadgetOutcome: Equatable {
  case done(Int)
  case disabled, interrupted
  case failed(Int32)

  /// Converts the status of the last system call on this thread; reads `errno`.
  init(status: Int) {
    guard status < 0 else {
      self = .done(status)
      return
    }
    switch errno {
    case EINTR: self = .interrupted
    case EAGAIN, ESHUTDOWN, ENODEV, ECONNRESET: self = .disabled
    default: self = .failed(errno)
    }
  }
}
