// swift-iap2 · Apache-2.0

import CarPlayHost

extension Car {
  /// Lets virtual time pass. Spinners, time-outs and durations of alerts that become due take effect.
  public func wait(_ duration: Duration) async {
    await act {}
    await host.pass(duration)
  }

  /// Waits until app and host are idle, without an action.
  public func settle() async { await act {} }

  /// Waits in real time until a condition holds, for work of the app that takes real time.
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - limit: The longest wait.
  /// - Returns: Whether the condition holds.
  @discardableResult
  public func wait(until condition: @MainActor () -> Bool, within limit: Duration = .seconds(10)) async -> Bool {
    let end = ContinuousClock.now.advanced(by: limit)
    await act {}
    if condition() { return true }
    host.noteRealTime()
    repeat {
      await act {}
      if condition() { return true }
      await MainQueue.nap()
    } while ContinuousClock.now < end
    return condition()
  }
}
