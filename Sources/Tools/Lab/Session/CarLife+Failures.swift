// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Foundation

extension CarLife {
  /// Plays a failure of the field, or takes it back.
  func play(_ played: LabHello.Failure) throws(CarFailure) {
    let isOn = isOn(played)
    var choice = next
    switch played.deed {
    case .faults(let values):
      guard failure == nil else { return }
      return try perform(CarAction(.faults, isOn ? values.mapValues(\.off) : values))
    case .steps(let lines):
      // A step may end the app.
      for line in lines where failure == nil { try perform(line) }
      return
    case .reports, .behave: return
    case .behavior(let values):
      choice.car.behavior = choice.car.behavior.filter { values[$0.key] == nil }
      if !isOn { choice.car.behavior.merge(values) { $1 } }
    case .car(let profile):
      let standard = CarChoice(name: CarProfile.standard.rawValue)
      let usual = choice.startCar.name == profile.rawValue ? standard : choice.startCar
      let car = isOn ? usual : CarChoice(name: profile.rawValue)
      (choice.car.name, choice.car.yaml) = (car.name, car.yaml)
    case .coldStart: choice.hasPhoneScene = isOn
    }
    restart(choice)
  }

  /// Returns whether a failure is switched on.
  func isOn(_ played: LabHello.Failure) -> Bool {
    switch played.deed {
    case .faults(let values): values.allSatisfy { faults[$0.key] == $0.value }
    case .behavior(let values): values.allSatisfy { next.car.behavior[$0.key] == $0.value }
    case .car(let profile): next.car.yaml == nil && next.car.name == profile.rawValue
    case .coldStart: !next.hasPhoneScene
    case .steps, .reports, .behave: false
    }
  }

  /// The failures that are switched on, and those that the car has reported.
  var failures: LabState.Failures {
    if evidence.reportCount != run.car.reports.count || evidence.hasEnded != (failure != nil) {
      evidence = (run.car.reports.count, failure != nil, LabHello.Failure.ofCars.compactMap(found))
    }
    return LabState.Failures(on: LabHello.Failure.ofCars.filter(isOn).map(\.number), found: evidence.found)
  }

  /// Returns the entries that show a failure of the app; nil without any.
  private func found(_ played: LabHello.Failure) -> LabState.Failures.Found? {
    guard case .reports(let evidence) = played.deed else { return nil }
    let words = texts(of: evidence.kind).compactMap(evidence.found)
    return words.last.map { LabState.Failures.Found(number: played.number, count: words.count, words: $0) }
  }

  /// Returns the texts of the reports of a kind; without a kind, the reason of the app's end.
  private func texts(of kind: CarDiagnostic.Kind?) -> [String] {
    guard let kind else { return [failure?.description].compactMap(\.self) }
    return run.car.reports.filter { $0.kind == kind }.map(\.what)
  }

  /// The reports about the parts of the screen.
  var partReports: [LabState.PartReport] {
    (run.car.state.partReports ?? []).compactMap { item in
      guard run.car.reports.indices.contains(item.report) else { return nil }
      let report = run.car.reports[item.report]
      return LabState.PartReport(
        part: item.part, kind: report.kind.rawValue, what: report.what, carShows: report.carShows,
        remedy: report.remedy, place: report.place)
    }
  }
}

extension LabHello.Failure.Deed {
  /// Whether the failure is a property of the app's start or of its car, and not a step.
  var isOfStart: Bool {
    switch self {
    case .behavior, .car, .coldStart: true
    case .faults, .steps, .reports, .behave: false
    }
  }
}

extension CarChoice {
  /// The name of the profile, or the full path of its file.
  var path: String { yaml == nil ? name : URL(filePath: name).standardizedFileURL.path(percentEncoded: false) }
}

extension CarValue {
  /// The value of a fault that is off.
  fileprivate var off: CarValue { if case .flag = self { .flag(false) } else { .number(0) } }
}
