// swift-iap2 · Apache-2.0

import Glibc
import IAP2
import IAP2Formats
import IAP2Transport

/// What FunctionFS tells a function (`enum usb_functionfs_event_type`).
enum FunctionEvent: UInt8 {
  case bind, unbind, enable, disable, setup, suspend, resume
}

/// Endpoint 0 of a function: what FunctionFS tells of the bus, and requests to answer.
struct ControlFile: Sendable {
  struct Event: Sendable {
    var kind: FunctionEvent
    /// Of a request, which has to be answered before the next is told.
    var setup: USBSetup?
  }

  private let folder: String
  private let address: String
  private let file: Int32
  /// Wakes the one that waits for events.
  private let wake: Int32
  private let wakeWriter: Int32

  /// Describes the function to the kernel, which then shows the files of its endpoints.
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

  /// Opens an endpoint by its place among the descriptors, from 1 on.
  func openEndpoint(_ number: Int, _ flags: Int32) throws(TransportError) -> Int32 {
    try Self.open("ep\(number)", flags | O_NONBLOCK, folder, address)
  }

  func close() { for descriptor in [file, wake, wakeWriter] { Glibc.close(descriptor) } }

  /// `struct usb_functionfs_event`: a set-up packet of eight bytes, the type, three bytes of nothing.
  private static let eventByteCount = 12

  /// Waits for what happens next; nil once `stopEvents` was called and all was told, or the function is gone.
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
        // The cable was pulled between a request and its data: the kernel keeps the request until it tells of the end,
        // and takes each reading for its data until then.
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

  /// How long to leave the kernel alone that has nothing to say yet.
  private static let retryMicroseconds: UInt32 = 2000

  func stopEvents() { _ = unsafe Glibc.write(wakeWriter, [0], 1) }

  // MARK: Answers
  // Each fails only when the host has given the request up, which is its own affair.

  /// Answering in the wrong direction stalls.
  func refuse(_ setup: USBSetup) {
    var nothing: [UInt8] = []
    _ = unsafe setup.isToHost ? Glibc.read(file, &nothing, 0) : Glibc.write(file, nothing, 0)
  }

  /// Of a request without data. Returns when the host has heard it.
  func acknowledge() {
    var nothing: [UInt8] = []
    _ = unsafe Glibc.read(file, &nothing, 0)
  }

  func reply(_ bytes: [UInt8]) { _ = unsafe Glibc.write(file, bytes, bytes.count) }

  /// What the host sends with a request; nil when it has given it up.
  func takeData(byteCount: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let count = unsafe Glibc.read(file, &bytes, byteCount)
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}
