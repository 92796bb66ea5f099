// swift-iap2 · Apache-2.0

import Glibc

/// An error of a transport. `address` is the transport's address as text.
public enum TransportError: Error, Equatable, Sendable {
  /// The peer refused the connection.
  case refused(address: String)
  /// The peer cannot be reached, or did not answer in time.
  case unreachable(address: String)
  /// The host name, file or device does not exist.
  case notFound(address: String)
  /// The process may not use the device, file or port.
  case permissionDenied(address: String)
  /// Another program uses the port, channel, device or controller.
  case addressInUse(address: String)
  /// The USB device was unplugged. On a gadget: the host disabled the function.
  case unplugged(address: String)
  /// The transport needs a package trait that this build does not enable.
  case notBuilt(address: String, trait: String)
  /// An error that only one kind of transport has, such as an adapter that is off.
  case specific(SpecificTransportProblem)
  /// The stream is closed, or its task was cancelled.
  case closed
  /// Any other error. `number` is the `errno`, or 0 if there is none. `operation` names the failed operation.
  case system(number: Int32, operation: String)
}

/// An error that only one kind of transport has. The target of the transport declares the type.
public protocol TransportProblem: Equatable, Sendable {
  /// The error and the next step for the user, as one sentence without the address.
  var explanation: String { get }
}

/// A problem of one kind of transport with the address of the transport.
public struct SpecificTransportProblem: Equatable, Sendable {
  /// The problem, of a type that the target of the transport declares.
  public let problem: any TransportProblem
  /// The address of the transport as text.
  public let address: String

  /// Creates a problem of the transport at `address`.
  public init(_ problem: any TransportProblem, address: String) {
    self.problem = problem
    self.address = address
  }

  /// Returns whether type, problem and address are equal.
  public static func == (a: Self, b: Self) -> Bool {
    func isEqual<Problem: TransportProblem>(_ problem: Problem) -> Bool { problem == b.problem as? Problem }
    return a.address == b.address && isEqual(a.problem)
  }
}

extension TransportError {
  /// Maps an `errno` to the matching case. `operation` is used only where no case matches.
  package init(number: Int32, operation: String, address: String) {
    self =
      switch number {
      case ECONNREFUSED: .refused(address: address)
      case ENOENT, ENODEV, ENXIO: .notFound(address: address)
      case EACCES, EPERM: .permissionDenied(address: address)
      case EADDRINUSE: .addressInUse(address: address)
      case EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, EADDRNOTAVAIL: .unreachable(address: address)
      // A terminal whose other end is closed fails with EIO, and a descriptor that another task has closed with EBADF.
      case ECONNRESET, EPIPE, ENOTCONN, EBADF, EIO: .closed
      default: .system(number: number, operation: operation)
      }
  }
}
