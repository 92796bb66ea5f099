// swift-iap2 · Apache-2.0

import Glibc

/// The open files of a gadget's function, and what is done with them, each call on the thread that it is for.
protocol GadgetFiles: Sendable {
  /// Waits for what happens next; nil once `stopEvents` was called, or the function is gone.
  func nextEvents() -> [FunctionEvent]?
  func stopEvents()
  /// Waits for bytes from the host.
  func read(into buffer: inout [UInt8]) -> GadgetOutcome
  /// Waits until the host has taken them, which are at most `writeByteCount`.
  func write(_ bytes: ArraySlice<UInt8>) -> GadgetOutcome
  var writeByteCount: Int { get }
  /// Of the endpoint towards the host, if a full packet at the end wants an empty one behind it; nil if not.
  var packetByteCount: Int? { get }
  /// A connection may begin.
  var isSpokenTo: Bool { get }
  /// What comes while there is no connection is for the next one.
  var keepsFirstBytes: Bool { get }
  func close()
}

enum GadgetOutcome: Equatable {
  case done(Int)
  case disabled, interrupted
  case failed(Int32)

  /// Of a system call that was the last one on this thread.
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
