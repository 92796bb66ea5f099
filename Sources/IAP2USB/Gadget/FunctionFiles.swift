// swift-iap2 · Apache-2.0

import Foundation
import Glibc
import IAP2Runtime

/// What the bus does to a gadget (`enum usb_functionfs_event_type`).
public enum GadgetEvent: UInt8, Sendable {
  case bind, unbind, enable, disable, setup, suspend, resume
}

/// The open files of a function: endpoint 0 and the bulk pair.
///
/// Reads and writes block their thread until the host takes part. The pair is opened without blocking, which FunctionFS
/// heeds only where it would wait for the host to enable the function.
struct FunctionFiles: Sendable {
  private let control: Int32
  private let toHost: Int32
  private let toDevice: Int32
  /// Wakes the one that waits for events.
  private let wake: Int32
  private let wakeWriter: Int32

  /// Describes the function to the kernel, which then shows the files of its endpoints.
  init(_ function: FunctionDescriptors, folder: String, address: String) throws(TransportError) {
    var opened: [Int32] = []
    func open(_ name: String, _ flags: Int32) throws(TransportError) -> Int32 {
      let descriptor = unsafe Glibc.open("\(folder)/\(name)", flags | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.failure(errno, "open \(name)", address) }
      opened.append(descriptor)
      return descriptor
    }
    do throws(TransportError) {
      control = try open("ep0", O_RDWR)
      for bytes in [function.descriptors, function.strings] {
        guard unsafe Glibc.write(control, bytes, bytes.count) == bytes.count else {
          throw Self.failure(errno, "describe the function", address)
        }
      }
      toHost = try open("ep1", O_WRONLY | O_NONBLOCK)
      toDevice = try open("ep2", O_RDONLY | O_NONBLOCK)
      var ends: [Int32] = [0, 0]
      guard unsafe pipe(&ends) == 0 else { throw Self.failure(errno, "pipe", address) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (wake, wakeWriter) = (ends[0], ends[1])
    } catch {
      for descriptor in opened { Glibc.close(descriptor) }
      throw error
    }
  }

  private static func failure(_ number: Int32, _ operation: String, _ address: String) -> TransportError {
    TransportError(number: number, operation: operation, address: address)
  }

  func close() {
    for descriptor in [toHost, toDevice, control, wake, wakeWriter] { Glibc.close(descriptor) }
  }

  // MARK: Events

  /// `struct usb_functionfs_event`: a set-up packet of eight bytes, the type, three bytes of nothing.
  private static let eventByteCount = 12

  /// Waits for what happens next; nil once `stopEvents` was called, or the function is gone.
  func nextEvents() -> [GadgetEvent]? {
    var waiting = [
      pollfd(fd: control, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&waiting, 2, -1) < 0 { guard errno == EINTR else { return nil } }
    guard waiting[1].revents == 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 8 * Self.eventByteCount)
    let count = unsafe Glibc.read(control, &bytes, bytes.count)
    guard count >= 0 else { return errno == EINTR || errno == EAGAIN ? [] : nil }
    return stride(from: 0, to: count - Self.eventByteCount + 1, by: Self.eventByteCount).compactMap { start in
      let event = GadgetEvent(rawValue: bytes[start + 8])
      if event == .setup { refuse(isToHost: bytes[start] & 0x80 != 0) }
      return event
    }
  }

  func stopEvents() { _ = unsafe Glibc.write(wakeWriter, [0], 1) }

  /// No request to the interface is known; answering in the wrong direction stalls it.
  private func refuse(isToHost: Bool) {
    var nothing: [UInt8] = []
    _ = unsafe isToHost ? Glibc.read(control, &nothing, 0) : Glibc.write(control, nothing, 0)
  }

  // MARK: Bytes

  enum Outcome {
    case done(Int)
    case disabled, interrupted
    case failed(Int32)
  }

  private static func outcome(_ status: Int) -> Outcome {
    guard status < 0 else { return .done(status) }
    switch errno {
    case EINTR: return .interrupted
    case EAGAIN, ESHUTDOWN, ENODEV, ECONNRESET: return .disabled
    default: return .failed(errno)
    }
  }

  /// The size of `buffer` is a multiple of every packet size, as the controller demands.
  func read(into buffer: inout [UInt8]) -> Outcome { Self.outcome(unsafe Glibc.read(toDevice, &buffer, buffer.count)) }

  func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
    Self.outcome(unsafe bytes.withUnsafeBytes { unsafe Glibc.write(toHost, $0.baseAddress, $0.count) })
  }

  /// FUNCTIONFS_ENDPOINT_DESC of `linux/usb/functionfs.h`; Swift has no macros with arguments.
  private static let endpointDescriptor: UInt = 0x8009_6782

  /// What the endpoint towards the host has at the speed of now; nil while it is not enabled.
  var packetByteCount: Int? {
    var descriptor = [UInt8](repeating: 0, count: 9)
    guard unsafe ioctl(toHost, Self.endpointDescriptor, &descriptor) == 0 else { return nil }
    return Int(descriptor[4]) | Int(descriptor[5] & 7) << 8
  }
}
