// swift-iap2 · Apache-2.0

import Dispatch
import Foundation

/// The thread of a run loop in which a stream is scheduled.
///
/// The main run loop stands for the main queue too: in a program that does not run it, several threads serve the queue.
enum StreamThread: Hashable, Sendable {
  case main
  /// A thread, by the identity of its object.
  case own(ObjectIdentifier)
  /// The thread of a run loop that another thread has scheduled, which is not known.
  case unknown

  private static let mainKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  init(of loop: RunLoop) {
    // The key is set here, before the first check.
    _ = Self.mainKey
    self = loop === RunLoop.main ? .main : loop === RunLoop.current ? .own(ObjectIdentifier(Thread.current)) : .unknown
  }

  /// Whether the calling thread is this one, or may be.
  var isCurrent: Bool {
    switch self {
    case .main: Thread.isMainThread || DispatchQueue.getSpecific(key: Self.mainKey) == true
    case .own(let thread): ObjectIdentifier(Thread.current) == thread
    case .unknown: true
    }
  }
}
