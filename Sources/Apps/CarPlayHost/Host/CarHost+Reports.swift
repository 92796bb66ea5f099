// swift-iap2 · Apache-2.0

import CarPlay
package import CarPlayPlatform
import Foundation
import UIKit

extension CarHost {
  /// The maximum number of stored reports. Equal reports are stored once.
  private static let maximumReports = 10_000

  package func report(_ diagnostic: CarDiagnostic) { report(diagnostic, place: .here()) }

  /// Adds a report. A report without a place gets the given one.
  func report(_ diagnostic: CarDiagnostic, place: @autoclosure () -> CodePlace) {
    var diagnostic = diagnostic
    diagnostic.what = FittedText.plain(diagnostic.what)
    diagnostic.carShows = FittedText.plain(diagnostic.carShows)
    newReports?.append(diagnostic)
    guard diagnostics.count < Self.maximumReports, knownDiagnostics[diagnostic] == nil else { return }
    knownDiagnostics[diagnostic] = diagnostics.count
    if diagnostic.place.isUnknown { diagnostic.place = place() }
    diagnostics.append(diagnostic)
  }

  /// Makes a value for a part of the screen, and returns it with the numbers of the reports that came meanwhile, also of
  /// those that are known.
  func collectingReports<Value>(_ make: () -> Value) -> (value: Value, reports: [Int]) {
    let outer = newReports
    newReports = []
    let value = make()
    let numbers = (newReports ?? []).compactMap { knownDiagnostics[$0] }
    newReports = outer
    return (value, Set(numbers).sorted())
  }

  /// Builds a part of the screen with the reports about it. Reports about the parts inside that were built in the same
  /// way stay with those.
  func reporting(_ make: () -> Element) -> Element {
    var (part, reports) = collectingReports(make)
    part.reports += reports
    return part
  }

  package func raise(_ exception: CarPlayException) { raise(exception, place: .here()) }

  /// Raises an exception for a call of the app at a place.
  func raise(_ exception: CarPlayException, place: CodePlace) {
    if exceptions == .trap {
      // The real framework ends the app here, and `trap` asks for the same behavior.
      fatalError(
        "Terminating app due to uncaught exception '\(exception.name)', reason: '\(exception.reason)'\n"
          + place.frames.joined(separator: "\n"))
    }
    end(.exception(exception), place: place)
  }

  /// Ends the app as the system does: no more calls reach it, and the car shows its home screen.
  func end(_ end: AppEnd, place: CodePlace? = nil) {
    guard app != nil else { return }
    if exceptions == .trap, case .killed = end { fatalError("The app was killed: \(end)") }
    self.end = end
    endPlace = place ?? .here()
    note(.car, "app ended", "\(end)")
    removeApp()
    if front == .app { front = isConnected ? .home : .off }
  }

  /// Removes the app and all its pending work.
  func removeApp() {
    if let app {
      for scene in app.application.connectedScenes { scene.activationState = .unattached }
      app.application.connectedScenes = []
      app.application.delegate = nil
    }
    app = nil
    if let screen = makerScreen { UIScreen.screens.removeAll { $0 === screen } }
    makerScreen = nil
    banner = nil
    withheld = nil
    disconnectDue = nil
    showsNowPlaying = false
    showsSiri = false
    isDucked = false
    isSoundInterrupted = false
    hasLocationDemand = false
    calls = []
    endedCalls = [:]
    content?.stop()
    content = nil
    sessions = []
    checks = []
    events.removeAll()
    scheduleLink()
    tellPhone()
  }

  /// Reports content that a car does not show because it exceeds a limit.
  ///
  /// - Parameters:
  ///   - given: The number that the app gave.
  ///   - kept: The number that the car shows.
  func reportCut(
    _ things: String, given: Int, kept: Int, of object: AnyObject, _ change: String, remedy: String,
    keepsLast: Bool = false
  ) {
    guard given > kept else { return }
    report(
      CarDiagnostic(
        .cut, what: "\(given) \(things), \(kept) shown",
        carShows: "the \(keepsLast ? "last" : "first") \(kept); the others are missing without an error",
        remedy: remedy, place: places.place(of: object, change) ?? .unknown))
  }
}

extension CarHost {
  /// Returns the first variant that fits; if none fits, the last one shortened. Reports the cut text.
  func variant(_ variants: [String], of object: AnyObject, _ property: String, in room: TextRoom) -> FittedText? {
    guard let fitted = FittedText.choose(variants, in: room) else { return nil }
    report(fitted, of: object, property)
    return fitted
  }

  /// Reports a text that the car does not show as the app gave it.
  func report(_ fitted: FittedText, of object: AnyObject, _ property: String) {
    guard fitted.isCut || fitted.isHostile else { return }
    let name = Self.valueName(property)
    let what =
      fitted.isHostile
      ? "a \(name) has control characters, text direction marks or more letters than any screen"
      : "a \(name) does not fit"
    report(
      CarDiagnostic(
        .text, what: what, carShows: "\"\(fitted.text)\"",
        remedy: "give a shorter text, or variants with the longest first",
        place: places.place(of: object, property) ?? .unknown))
  }

  /// The name of the value that a change sets: `titleVariants` for `updateTitleVariants`.
  private static func valueName(_ change: String) -> String {
    let rest = change.dropFirst("update".count)
    guard change.hasPrefix("update"), let first = rest.first else { return change }
    return first.lowercased() + rest.dropFirst()
  }

  /// Reports images of the app that cannot be created. An image that is missing in a bundle has a placeholder.
  func watchImages() {
    ImageProblem.setReporter { [weak self] problem in
      if case .noImage = problem { return }
      let place = CodePlace.here()
      Self.onMain {
        self?.report(
          CarDiagnostic(
            .image, what: problem.description, carShows: "no image: UIImage's initializer returns nil",
            remedy: "give a PNG or JPEG file whose header is true", place: place))
      }
    }
  }

  /// Returns a number without its fraction, as text. The number may be larger than any integer.
  static func whole(_ value: some BinaryFloatingPoint) -> String { String(format: "%.0f", Double(value)) }
}
