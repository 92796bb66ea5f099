// swift-iap2 · Apache-2.0

import Glibc
import IAP2
import IAP2Formats
import IAP2Transport

/// An event that FunctionFS reports to a function (`enum usb_functionfs_event_type`).
enum FunctionEvent: UInt8 {
  case bind, unbind, enable, disable, setup, suspend, resume
}

/// Endpoint 0 of a function. It reports events of the bus and control requests, and takes their answers.
struct ControlFile: Sendable {
  struct Event: Sendable {
    var kind: FunctionEvent
    /// The request of a set-up event; nil for other events. It must be answered before the next event is reported.
    var setup: USBSetup?
  }

  private let folder: String
  private let address: String
  private let file: Int32
  /// The pipe that wakes the thread in `nextEvents`.
  private let wake: Int32
  private let wakeWriter: Int32

  /// Writes the function's descriptors to the kernel, which then creates the files of its endpoints.
  init(folder: String, descriptors: [UInt8], strings: [UInt8], address: String) throws(TransportError) {
    self.folder = folder
    self.address = address
    file = try Self.open("ep0", O_RDWR, folder, address)
    var ends: [Int32] = [0, 0]
    do throws(TransportError) {
      for bytes in [descriptors, strings] {
        guard unsafe Glibc.write(file, bytes, bytes.count) == bytes.count else {
          throw TransportError(number: errno, operation: "describe the function", address: address)
        }
      }
      guard unsafe pipe(&ends) == 0 else { throw TransportError(number: errno, operation: "pipe", address: address) }
    } catch {
      Glibc.close(file)
      throw error
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (wake, wakeWriter) = (ends[0], ends[1])
  }

  private static func open(
    _ name: String, _ flags: Int32, _ folder: String, _ address: String
  ) throws(TransportError) -> Int32 {
    let descriptor = unsafe Glibc.open("\(folder)/\(name)", flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw TransportError(number: errno, operation: "open \(name)", address: address) }
    return descriptor
  }

  /// Opens an endpoint by its position among the descriptors, counted from 1.
  func openEndpoint(_ number: Int, _ flags: Int32) throws(TransportError) -> Int32 {
    try Self.open("ep\(number)", flags | O_NONBLOCK, folder, address)
  }

  func close() { for descriptor in [file, wake, wakeWriter] { Glibc.close(descriptor) } }

  /// The size of `struct usb_functionfs_event`: a set-up packet of eight bytes, the type, three bytes of padding.
  private static let eventByteCount = 12

  /// Waits for the next events. Returns nil after `stopEvents` once all events were returned, or if the function was
  /// removed.
  func nextEvents() -> [Event]? {
    var waiting = [
      pollfd(fd: file, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&waiting, 2, -1) < 0 { guard errno == EINTR else { return nil } }
    let isStopped = waiting[1].revents != 0
    guard !isStopped || Int32(waiting[0].revents) & POLLIN != 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 8 * Self.eventByteCount)
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else {
      guard !isStopped else { return nil }
      switch errno {
      case EINTR, EAGAIN, EIDRM: return []
      case ESHUTDOWN:
        // The cable was pulled between a request and its data. The kernel keeps the request until it reports the
        // disconnection, and until then treats each read as a read of the request's data.
        usleep(Self.retryMicroseconds)
        return []
      default: return nil
      }
    }
    return stride(from: 0, to: count - Self.eventByteCount + 1, by: Self.eventByteCount).compactMap { start in
      guard let kind = FunctionEvent(rawValue: bytes[start + USBSetup.byteCount]) else { return nil }
      return Event(kind: kind, setup: kind == .setup ? USBSetup(reading: bytes.rawBytes, at: start) : nil)
    }
  }

  /// The pause before the next read while the kernel has no event.
  private static let retryMicroseconds: UInt32 = 2000

  func stopEvents() { _ = unsafe Glibc.write(wakeWriter, [0], 1) }

  // MARK: Answers
  // Each call fails only if the host has given up the request. That needs no reaction.

  /// Stalls a request, by answering in the wrong direction.
  func refuse(_ setup: USBSetup) {
    var nothing: [UInt8] = []
    _ = unsafe setup.isToHost ? Glibc.read(file, &nothing, 0) : Glibc.write(file, nothing, 0)
  }

  /// Acknowledges a request without data. Returns when the host has received the acknowledgement.
  func acknowledge() {
    var nothing: [UInt8] = []
    _ = unsafe Glibc.read(file, &nothing, 0)
  }

  func reply(_ bytes: [UInt8]) { _ = unsafe Glibc.write(file, bytes, bytes.count) }

  /// Returns the data that the host sends with a request; nil if the host has given up the request.
  func takeData(byteCount: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let count = unsafe Glibc.read(file, &bytes, byteCount)
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}
