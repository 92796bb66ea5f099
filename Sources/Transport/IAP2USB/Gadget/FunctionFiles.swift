// swift-iap2 · Apache-2.0

import Glibc
import IAP2
import IAP2Formats
import IAP2Transport

/// The open files of a head unit's function: endpoint 0 and the bulk pair.
///
/// Reads and writes block their thread until the host takes part. The pair is opened with O_NONBLOCK, which FunctionFS
/// honors only where it would wait for the host to enable the function.
struct FunctionFiles: GadgetFiles {
  private let control: ControlFile
  private let toHost: Int32
  private let toDevice: Int32

  /// The size of one read or write in bytes. It is a multiple of every packet size, and a large link packet needs few
  /// of them.
  static let chunkByteCount = 1 << 16
  /// The size in bytes that is used if the kernel has no contiguous memory for a chunk. The kernel always finds memory
  /// of this size.
  private static let smallByteCount = 1 << 14
  let writeByteCount = Self.chunkByteCount
  /// A connection may start without bytes from the host, because the head unit sends first.
  let isReadyForConnection = true
  /// Bytes for the link that arrive without a connection are discarded. Between sessions of a native EA protocol, the
  /// host has to wait.
  let keepsFirstBytes: Bool

  /// Writes the function's descriptors to the kernel, which then creates the files of its endpoints.
  init(_ function: FunctionDescriptors, folder: String, address: String) throws(TransportError) {
    keepsFirstBytes = function.use == .nativeExternalAccessory
    control = try ControlFile(
      folder: folder, descriptors: function.descriptors, strings: function.strings, address: address)
    do throws(TransportError) {
      toHost = try control.openEndpoint(1, O_WRONLY)
      do throws(TransportError) { toDevice = try control.openEndpoint(2, O_RDONLY) } catch {
        Glibc.close(toHost)
        throw error
      }
    } catch {
      control.close()
      throw error
    }
  }

  func close() {
    for descriptor in [toHost, toDevice] { Glibc.close(descriptor) }
    control.close()
  }

  func nextEvents() -> [FunctionEvent]? {
    control.nextEvents()?.map { event in
      // No control request to the interface is known.
      if let setup = event.setup { control.refuse(setup) }
      return event.kind
    }
  }

  func stopEvents() { control.stopEvents() }

  // MARK: Bytes

  /// Reads bytes from the host. The size of `buffer` must be a multiple of every packet size, as the controller
  /// requires.
  func read(into buffer: inout [UInt8]) -> GadgetOutcome {
    Self.withMemory(for: buffer.count) { unsafe Glibc.read(toDevice, &buffer, $0) }
  }

  func write(_ bytes: ArraySlice<UInt8>) -> GadgetOutcome {
    Self.withMemory(for: bytes.count) { count in
      unsafe bytes.withUnsafeBytes { unsafe Glibc.write(toHost, $0.baseAddress, count) }
    }
  }

  /// Calls with `byteCount`, or with a smaller size if the kernel has no contiguous memory for it.
  static func withMemory(for byteCount: Int, _ call: (Int) -> Int) -> GadgetOutcome {
    let status = call(byteCount)
    guard status < 0, errno == ENOMEM, byteCount > smallByteCount else { return GadgetOutcome(status: status) }
    return GadgetOutcome(status: call(smallByteCount))
  }

  /// The request FUNCTIONFS_ENDPOINT_DESC of `linux/usb/functionfs.h`. Swift cannot import macros with arguments.
  private static let endpointDescriptor: UInt = 0x8009_6782

  /// The packet size of the endpoint to the host at the current speed, in bytes; nil while the endpoint is not enabled.
  var packetByteCount: Int? {
    var descriptor = [UInt8](repeating: 0, count: 9)
    guard unsafe ioctl(toHost, Self.endpointDescriptor, &descriptor) == 0 else { return nil }
    return Int(descriptor[4]) | Int(descriptor[5] & 7) << 8
  }
}
