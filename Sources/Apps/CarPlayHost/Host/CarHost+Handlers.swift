// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import Dispatch
import PortingSupport
import Synchronization

/// The completion of a handler. The app can call it once, more than once or never, from any thread.
final class HandlerCompletion: Sendable {
  private let isCalled = Mutex(false)
  private let onCall: @Sendable (_ isFirst: Bool, _ isMain: Bool) -> Void
  private let onLoss: @Sendable () -> Void

  init(
    onCall: @escaping @Sendable (_ isFirst: Bool, _ isMain: Bool) -> Void, onLoss: @escaping @Sendable () -> Void
  ) {
    self.onCall = onCall
    self.onLoss = onLoss
  }

  deinit { if !isCalled.withLock({ $0 }) { onLoss() } }

  func call() {
    let isFirst = isCalled.withLock { isCalled in
      defer { isCalled = true }
      return !isCalled
    }
    onCall(isFirst, PortingSupport.MainQueue.isCurrent)
  }
}

extension CarHost {
  /// Starts a handler of the app that has a completion. An incomplete handler first shows a spinner, and later is
  /// reported.
  func begin(
    _ name: String, item: AnyObject?, of connection: CarConnection,
    _ body: (_ completion: @escaping () -> Void) -> Void
  ) {
    let run = HandlerRun(item: item, name: name)
    connection.run = run
    run.spinner = events.after(settings.behavior.spinnerDelay, .timer) { run.showsSpinner = true }
    run.report = events.after(settings.behavior.handlerReportDelay, .timer) { [weak self] in
      guard let self, self.app?.car === connection else { return }
      self.reportHanging(run, "was not called within \(self.settings.behavior.handlerReportDelay) s")
    }
    let completion = HandlerCompletion(
      onCall: { [weak self] isFirst, isMain in
        Self.onMain { self?.completed(run, of: connection, isFirst: isFirst, isMain: isMain) }
      },
      onLoss: { [weak self] in
        Self.onMain {
          guard let self, !run.isComplete, self.app?.car === connection else { return }
          self.events.cancel(run.report)
          self.reportHanging(run, "was released without a call")
        }
      })
    measure(name) { body { completion.call() } }
  }

  /// Runs a closure on the main actor, after the closures that already wait there.
  nonisolated static func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async { body() }
  }

  private func reportHanging(_ run: HandlerRun, _ what: String) {
    run.isAwaited = false
    report(
      CarDiagnostic(
        .completion, what: "the completion of \(run.name) \(what)",
        carShows: "a spinner for ever, and the list takes no other tap",
        remedy: "call the completion on every path, also after an error"),
      place: run.item.flatMap { places.place(of: $0, "handler") } ?? .unknown)
  }

  private func completed(_ run: HandlerRun, of connection: CarConnection, isFirst: Bool, isMain: Bool) {
    note(.fromApp, "completion", "of \(run.name)", object: "closure")
    if !isMain {
      report(
        CarDiagnostic(
          .thread, what: "the completion of \(run.name) was called away from the main thread",
          carShows: "undefined; with Swift 6 a trap", remedy: "call it on the main actor"))
    }
    guard isFirst else { return }
    run.isComplete = true
    run.isAwaited = false
    run.showsSpinner = false
    events.cancel(run.spinner)
    events.cancel(run.report)
    if connection.run === run { connection.run = nil }
  }
}
