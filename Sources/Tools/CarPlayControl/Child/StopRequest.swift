// swift-iap2 · Apache-2.0

import CarPlayDrawing
import Glibc

/// A request to stop a run, from any thread or signal handler.
public final class StopRequest: Sendable {
  /// The descriptor that becomes readable when the request is made.
  package let descriptor: Int32
  private let other: Int32
  private let problem: SystemProblem?

  /// Creates a request that was not made yet.
  public init() {
    do {
      (descriptor, other) = try Descriptors.pipe()
      problem = nil
    } catch { (descriptor, other, problem) = (-1, -1, error) }
  }

  /// Throws a failure if the system provided no pipe, because the request could not be noticed.
  func check() throws(CarFailure) {
    if let problem { throw CarFailure(.system, "the system refuses a pipe: \(problem.text)") }
  }

  deinit {
    if problem == nil { Descriptors.close(descriptor, other) }
  }

  /// Makes the request.
  public func make() {
    var byte: UInt8 = 1
    _ = unsafe write(other, &byte, 1)
  }
}
