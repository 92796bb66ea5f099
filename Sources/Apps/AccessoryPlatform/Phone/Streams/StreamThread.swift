// swift-iap2 · Apache-2.0

import CoreFoundation
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
    self =
      Self.isOfMainQueue(loop) ? .main : loop === RunLoop.current ? .own(ObjectIdentifier(Thread.current)) : .unknown
  }

  /// Whether a run loop is that of the main queue: the main run loop, or that of the calling thread, if the thread
  /// serves the main queue now and does not run its loop.
  ///
  /// In a test of Swift Testing and in a program whose `main` is `async`, changing threads serve the main queue. There,
  /// `RunLoop.current` is a loop that no thread runs, in the place of the main run loop.
  static func isOfMainQueue(_ loop: RunLoop) -> Bool {
    if loop === RunLoop.main { return true }
    return loop === RunLoop.current && servesMainQueue && CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()) == nil
  }

  private static var servesMainQueue: Bool {
    _ = mainKey
    return DispatchQueue.getSpecific(key: mainKey) == true
  }

  /// Whether the calling thread is this one, or may be.
  var isCurrent: Bool {
    switch self {
    case .main: Thread.isMainThread || Self.servesMainQueue
    case .own(let thread): ObjectIdentifier(Thread.current) == thread
    case .unknown: true
    }
  }
}
