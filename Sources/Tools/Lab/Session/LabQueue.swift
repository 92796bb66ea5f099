// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayDrawing
import Glibc
import Synchronization

/// Requests of pages for the thread of a session, with a descriptor that is readable while there are any.
final class LabQueue: Sendable {
  private let requests = Mutex<[LabRequest]>([])
  let descriptor: Int32
  private let other: Int32

  /// The most requests that wait. Ours.
  private static let maximumCount = 1000

  init() throws(CarFailure) {
    do throws(SystemProblem) { (descriptor, other) = try Descriptors.pipe() } catch {
      throw CarFailure(.system, "the system refuses a pipe: \(error.text)")
    }
  }

  deinit { Descriptors.close(descriptor, other) }

  /// Adds a request. A finger that moves has only its last place, and one request for a key frame is as good as many.
  /// Returns false if too many wait.
  @discardableResult
  func add(_ request: LabRequest) -> Bool {
    let (isAdded, isFirst) = requests.withLock { requests -> (Bool, Bool) in
      if case .touch(_, .move, _, _) = request, case .touch(_, .move, _, _)? = requests.last {
        requests[requests.count - 1] = request
        return (true, false)
      }
      if case .keyFrame = request, requests.contains(where: { if case .keyFrame = $0 { true } else { false } }) {
        return (true, false)
      }
      guard requests.count < Self.maximumCount else { return (false, false) }
      requests.append(request)
      return (true, requests.count == 1)
    }
    if isFirst {
      var byte: UInt8 = 1
      _ = unsafe write(other, &byte, 1)
    }
    return isAdded
  }

  /// Waits until there is a request, or for a time.
  ///
  /// - Parameter time: The longest wait; nil for no limit.
  /// - Throws: The stop request.
  func wait(_ stop: StopRequest, within time: Duration?) throws(CarFailure) {
    if readable([stop.descriptor, descriptor], within: time) == stop.descriptor {
      throw CarFailure(.stopped, "stopped")
    }
  }

  /// Takes the oldest request; nil without any. A request behind a restart is for the next life.
  func next() -> LabRequest? {
    requests.withLock { requests in
      guard !requests.isEmpty else { return nil }
      if requests.count == 1 {
        var byte: UInt8 = 0
        _ = unsafe read(descriptor, &byte, 1)
      }
      return requests.removeFirst()
    }
  }
}
