// swift-iap2 · Apache-2.0

import CarPlay
import Dispatch

extension CarHost {
  /// The answer that the car waits for, and the app owes; nil if there is none.
  private var awaited: String? {
    guard realTime == nil, clock.nextSleepEnd == nil, let connection = app?.car else { return nil }
    if let run = connection.run, run.isAwaited { return "the completion of \(run.name)" }
    return connection.search.isAwaited ? "the results for \"\(connection.search.text)\"" : nil
  }

  /// Waits in real time until the app has called the completions that it has from the car, for ``patience`` at most.
  /// The app's tasks and threads may need that time: they load data, or a busy machine stops them. An app that sleeps
  /// on the car's clock answers in virtual time, and is not waited for.
  func waitForAnswers() async {
    guard patience > .zero, awaited != nil else { return }
    let end = ContinuousClock.now.advanced(by: patience)
    while let awaited {
      await MainQueue.nap()
      await rest()
      guard ContinuousClock.now >= end, self.awaited == awaited else { continue }
      note(.note, "no answer", "\(awaited) did not come within \(patience) of real time")
      app?.car?.run?.isAwaited = false
      app?.car?.search.isAwaited = false
    }
  }
}
