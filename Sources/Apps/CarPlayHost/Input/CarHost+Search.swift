// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import PortingSupport

extension CarHost {
  private static let searchDelegate = "search template's delegate"

  private var frontSearch: CPSearchTemplate? { app?.car?.stack.front as? CPSearchTemplate }

  /// The reason why no keyboard takes a text; nil if one does.
  var obstacleToTyping: String? {
    guard front == .app, let connection = app?.car, frontSearch != nil else { return "no search is in front" }
    guard !session.limitedUserInterfaces.contains(.keyboard) else { return "the keyboard is disabled while driving" }
    // The search key hides the keyboard, and a tap on the field brings it back.
    let isTaken = !connection.search.isKeyboardVisible && phone.isLocked && faults.dismissKeyboard
    return isTaken ? "the locked phone took the keyboard away" : nil
  }

  /// Types a text into the search field, replacing its content, if a keyboard takes it.
  package func type(_ text: String) {
    if let obstacle = obstacleToTyping { return note(.car, "no keyboard", obstacle) }
    guard let connection = app?.car, let template = frontSearch else { return }
    connection.search.isKeyboardVisible = true
    note(.car, "type", text)
    connection.search.text = text
    connection.search.question += 1
    connection.search.isWaiting = true
    connection.search.isAwaited = true
    let question = connection.search.question
    guard let delegate = template.delegate else {
      connection.search.isWaiting = false
      connection.search.isAwaited = false
      report(
        CarDiagnostic(
          .setup, what: "the search template has no delegate", carShows: "a keyboard without results",
          remedy: "set the template's delegate, and keep the delegate alive: the template does not"))
      return
    }
    events.after(settings.behavior.handlerReportDelay, .timer) { [weak self] in
      guard let self, self.app?.car === connection, connection.search.isWaiting,
        connection.search.question == question, self.frontSearch === template
      else { return }
      self.reportSearch(text)
    }
    note(.toApp, "searchTemplate(_:updatedSearchText:completionHandler:)", text, object: Self.searchDelegate)
    let answer = SearchAnswer(
      { [weak self] items, isMain in self?.answered(items, question, isMain, connection) },
      onLoss: {
        if connection.search.question == question { connection.search.isAwaited = false }
      })
    measure("updatedSearchText") {
      delegate.searchTemplate(template, updatedSearchText: text) { answer.give($0) }
    }
  }

  private func reportSearch(_ text: String) {
    report(
      CarDiagnostic(
        .completion, what: "the completion of the search for \"\(text)\" was not called",
        carShows: "a spinner in the place of results", remedy: "call it on every path, also with an empty list"))
  }

  private func answered(_ items: [CPListItem], _ question: Int, _ isMain: Bool, _ connection: CarConnection) {
    guard app?.car === connection else { return }
    note(.fromApp, "completion", "\(items.count) results", object: "closure")
    if !isMain {
      report(
        CarDiagnostic(
          .thread, what: "search results were given away from the main thread", carShows: "undefined",
          remedy: "call the completion on the main actor"))
    }
    let isLate = question < connection.search.question
    if isLate {
      report(
        CarDiagnostic(
          .order, what: "the results of an older text came after those of a newer one, or before them",
          carShows: "on some systems the older results", remedy: "drop answers to a text that is no longer there"))
      guard faults.lateSearchAnswers else { return }
    }
    connection.search.results = items
    connection.search.isWaiting = false
    connection.search.isAwaited = false
  }

  /// Presses the search key of the keyboard, which closes the keyboard.
  package func pressSearchKey() {
    guard front == .app, let connection = app?.car, let template = frontSearch else { return }
    note(.car, "search key")
    connection.search.isKeyboardVisible = false
    callDelegate(template.delegate, Self.searchDelegate, "searchTemplateSearchButtonPressed(_:)") {
      $0.searchTemplateSearchButtonPressed(template)
    }
  }

  /// Taps a result.
  func choose(_ item: CPListItem, of template: CPSearchTemplate) {
    guard let connection = app?.car, connection.run == nil, let delegate = template.delegate else { return }
    let name = "result \"\(item.text ?? "")\""
    note(.toApp, "searchTemplate(_:selectedResult:completionHandler:)", name, object: Self.searchDelegate)
    begin(name, item: item, of: connection) {
      delegate.searchTemplate(template, selectedResult: item, completionHandler: $0)
    }
  }
}

/// A thread-safe path for search results to the host. An app may call it from any thread, once or more than once.
final class SearchAnswer: @unchecked Sendable {
  // Unsafe: the closure is created on the main actor and runs only there. The app's items are passed along, as on iOS.
  private let body: @MainActor ([CPListItem], Bool) -> Void

  private let onLoss: @MainActor () -> Void

  init(
    _ body: @escaping @MainActor ([CPListItem], Bool) -> Void, onLoss: @escaping @MainActor () -> Void
  ) {
    (self.body, self.onLoss) = (body, onLoss)
  }

  deinit { CarHost.onMain { [onLoss] in onLoss() } }

  func give(_ items: [CPListItem]) {
    let isMain = PortingSupport.MainQueue.isCurrent
    CarHost.onMain { self.body(items, isMain) }
  }
}
