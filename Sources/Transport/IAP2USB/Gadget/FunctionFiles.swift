// swift-iap2 · Apache-2.0

import Glibc
import IAP2
import IAP2Formats
import IAP2Transport

/// The open files of a function of a head unit: endpoint 0 and the bulk pair.
///
/// Reads and writes block their thread until the host takes part. The pair is opened without blocking, which FunctionFS
/// heeds only where it would wait for the host to enable the function.
struct FunctionFiles: GadgetFiles {
  private let control: ControlFile
  private let toHost: Int32
  private let toDevice: Int32

  /// One read or write: a multiple of every packet size, and few of them for a large link packet.
  static let chunkByteCount = 1 << 16
  /// The kernel wants a chunk in one piece of memory; this much it finds at any time.
  private static let smallByteCount = 1 << 14
  let writeByteCount = Self.chunkByteCount
  /// A head unit is who speaks first.
  let isSpokenTo = true
  /// What comes for the link while there is no connection is nobody's. Between sessions of a native EA protocol the host
  /// has to wait.
  let keepsFirstBytes: Bool

  /// Describes the function to the kernel, which then shows the files of its endpoints.
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
      // No request to the interface is known.
      if let setup = event.setup { control.refuse(setup) }
      return event.kind
    }
  }

  func stopEvents() { control.stopEvents() }

  // MARK: Bytes

  /// The size of `buffer` is a multiple of every packet size, as the controller demands.
  func read(into buffer: inout [UInt8]) -> GadgetOutcome {
    Self.withMemory(for: buffer.count) { unsafe Glibc.read(toDevice, &buffer, $0) }
  }

  func write(_ bytes: ArraySlice<UInt8>) -> GadgetOutcome {
    Self.withMemory(for: bytes.count) { count in
      unsafe bytes.withUnsafeBytes { unsafe Glibc.write(toHost, $0.baseAddress, count) }
    }
  }

  /// Less at once where the kernel has no piece of memory of that size.
  static func withMemory(for byteCount: Int, _ call: (Int) -> Int) -> GadgetOutcome {
    let status = call(byteCount)
    guard status < 0, errno == ENOMEM, byteCount > smallByteCount else { return GadgetOutcome(status: status) }
    return GadgetOutcome(status: call(smallByteCount))
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
