// swift-iap2 · Apache-2.0

import CarPlay

extension CarHost {
  /// The answers that the car waits for, and the app owes.
  private var awaited: [String] {
    guard realTime == nil, clock.nextSleepEnd == nil, let connection = app?.car else { return [] }
    let run = connection.run.flatMap { $0.isAwaited ? "the completion of \($0.name)" : nil }
    let search = connection.search.isAwaited ? "the results for \"\(connection.search.text)\"" : nil
    return [run, search].compactMap(\.self)
  }

  /// Waits in real time until the app has called the completions that it has from the car, for ``patience`` at most.
  /// The app's tasks and threads may need that time: they load data, or a busy machine stops them. An app that sleeps
  /// on the car's clock answers in virtual time, and is not waited for.
  func waitForAnswers() async {
    let end = ContinuousClock.now.advanced(by: patience)
    while !awaited.isEmpty, ContinuousClock.now < end {
      await MainQueue.nap()
      await rest()
    }
    if patience > .zero {
      for answer in awaited { note(.note, "no answer", "\(answer) did not come within \(patience) of real time") }
    }
    // Later verbs do not wait for them again.
    app?.car?.run?.isAwaited = false
    app?.car?.search.isAwaited = false
  }
}
