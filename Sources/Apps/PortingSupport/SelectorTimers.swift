// swift-iap2 · Apache-2.0

public import Foundation

/// The initializers of timers with a target. They belong to ``Foundation/Timer`` only.
///
/// An initializer in an extension of a protocol can create an object of a subclass, which one of a class cannot.
public protocol TimerWithTarget {}

extension Timer: TimerWithTarget {}

extension TimerWithTarget where Self: Timer {
  /// Creates a timer that calls a method of its target. The timer retains the target until it is invalidated.
  public init(
    timeInterval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
  ) {
    self.init(
      fireAt: Date(timeIntervalSinceNow: timeInterval), interval: timeInterval, target: target, selector: selector,
      userInfo: userInfo, repeats: repeats)
  }

  /// Creates a timer that calls a method of its target, first at a date. The timer retains the target until it is
  /// invalidated.
  public init(
    fireAt date: Date, interval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
  ) {
    let timer = TargetTimer(date, interval, target as AnyObject, selector, userInfo, repeats)
    guard let timer = timer as? Self else { preconditionFailure("subclasses of Timer have no targets") }
    self = timer
  }
}

extension Timer {
  /// Creates a timer that calls a method of its target, and schedules it in the current run loop's default mode. The
  /// timer retains the target until it is invalidated.
  public class func scheduledTimer(
    timeInterval: TimeInterval, target: Any, selector: Selector, userInfo: Any?, repeats: Bool
  ) -> Timer {
    let timer = Timer(
      timeInterval: timeInterval, target: target, selector: selector, userInfo: userInfo, repeats: repeats)
    RunLoop.current.add(timer, forMode: .default)
    return timer
  }
}

/// A timer with a target. Foundation's own timer has no user info that can be set.
private final class TargetTimer: Timer {
  private var info: Any?

  convenience init(
    _ date: Date, _ interval: TimeInterval, _ target: AnyObject, _ selector: Selector, _ info: Any?, _ repeats: Bool
  ) {
    // Unsafe: the timer calls the target on the thread of its run loop, as on iOS.
    nonisolated(unsafe) let target = target
    self.init(fire: date, interval: interval, repeats: repeats) { timer in
      guard unsafe !selector.call(target, timer) else { return }
      note("the target of a timer does not have the method of its selector")
    }
    self.info = info
  }

  override var userInfo: Any? { info }

  override func invalidate() {
    super.invalidate()
    info = nil
  }
}
