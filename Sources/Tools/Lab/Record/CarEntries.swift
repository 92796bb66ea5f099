// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform

extension LabEntry {
  /// Creates the row of a line of an app's car; nil for a line that the page shows elsewhere.
  init?(_ line: CarLine) {
    switch line {
    case .step(let action, let time):
      // Time that passes is no deed.
      guard action.verb != .wait else { return nil }
      self.init(.step, action.description, time: time, from: .car, level: .notice)
    case .call(let event):
      guard event.direction != .note || event.name != CarEvent.timePasses else { return nil }
      self.init(event)
    case .diagnostic(let report, let time):
      let details = [("at", report.place), ("the car:", report.carShows), ("remedy:", report.remedy)]
      self.init(
        .report, report.kind.rawValue, text: report.what, time: time, from: .app, level: .warning,
        detail: .lines(details.filter { !$1.isEmpty }.map { "\($0) \($1)" }))
    case .screen(let screen, let before, let time):
      self.init(
        .screen, screen.kind.rawValue, text: screen.title, time: time, from: .car, level: .detail,
        detail: .lines(screen.difference(from: before).split(separator: "\n").map(String.init)))
    case .ended(let end, let time):
      self.init(
        .end, "the app ended", text: end.reason, time: time, from: .app, level: .error,
        detail: end.place.isEmpty ? nil : .lines(["at \(end.place)"]))
    case .output(let text): self.init(.output, text, time: nil, from: .app, level: .detail)
    case .car, .shortened, .finished: return nil
    }
  }

  private init(_ event: CarEvent) {
    let (from, to): (Lane, Lane) =
      switch event.direction {
      case .toApp: (.car, .app)
      case .fromApp: (.app, .car)
      case .car, .note: (.car, .car)
      }
    self.init(
      from == to ? .event : .call, event.name, text: event.detail, time: event.seconds, from: from, to: to,
      level: event.isImplemented && event.direction != .note ? .info : .detail,
      detail: event.object.isEmpty && event.isImplemented
        ? nil
        : .lines(["of the \(event.object)"] + (event.isImplemented ? [] : ["the app does not implement it"])))
  }
}
