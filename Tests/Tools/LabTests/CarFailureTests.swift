// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Foundation
import Testing

@testable import Lab

@Suite struct CarFailureTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

  /// A row of the table of failures.
  private struct Row {
    var number: Int
    var title, source: String
  }

  /// Returns the rows of the table in the documentation.
  private static func table() throws -> [Row] {
    let file = root.appending(path: "Documentation/Tasks/CarPlayFailures.md")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 4, let number = Int(cells[0]) else { return nil }
      return Row(number: number, title: cells[1], source: cells[2])
    }
  }

  /// Returns the names behind a type in the cell of a table, such as those of `CarFaults.loseDisconnect`.
  private static func names(of type: String, in cell: String) -> Set<String> {
    Set(cell.matches(of: try! Regex("\(type)\\.([A-Za-z]+)", as: (Substring, Substring).self)).map { String($0.1) })
  }

  @Test("The page has a button for each failure of the table, with its number and its title")
  func table() throws {
    let rows = try Self.table()
    #expect(rows.count == 36)
    #expect(LabHello.Failure.ofCars.map(\.number) == rows.map(\.number))
    #expect(LabHello.Failure.ofCars.map(\.title) == rows.map(\.title))
  }

  @Test("A button changes the switches and the settings that the table names")
  func sources() throws {
    for (failure, row) in zip(LabHello.Failure.ofCars, try Self.table()) {
      let (switches, settings) = (
        Self.names(of: "CarFaults", in: row.source), Self.names(of: "CarBehavior", in: row.source)
      )
      switch failure.deed {
      case .faults(let values): #expect(Set(values.keys) == switches, "\(failure.number)")
      case .behavior(let values): #expect(Set(values.keys) == settings, "\(failure.number)")
      case .car(let profile): #expect(row.source.hasSuffix(profile.rawValue), "\(failure.number)")
      case .coldStart: #expect(row.source.contains("phoneScene: false"), "\(failure.number)")
      case .steps, .reports, .behave: #expect(switches.isEmpty && settings.isEmpty, "\(failure.number)")
      }
    }
  }

  @Test("Each switch, setting and step is one of the car's", arguments: LabHello.Failure.ofCars)
  func valid(failure: LabHello.Failure) throws {
    switch failure.deed {
    case .faults(let values):
      #expect(CarAction(.faults, values).problem == nil)
      #expect(Set(values.keys).isSubset(of: CarFaults.switches.map(\.name)))
    case .steps(let lines):
      for line in lines { #expect(try CarScenario(yaml: "steps:\n  - \(line)\n", file: "step").steps.count == 1) }
    case .behavior(let values):
      var recorder = ActionRecorder()
      recorder.add(CarAction(.plug), start: 0, end: 0)
      let text = ScenarioText.scenario(recorder, app: "App", arguments: [], car: "hd", behavior: values)
      let scenario = try CarScenario(yaml: text, file: "recorded.yaml")
      #expect(scenario.behavior == values && scenario.car == "hd")
    case .car, .coldStart: break
    case .behave: Issue.record("an app's car has no sides of a link")
    case .reports(let evidence): #expect(!evidence.words.isEmpty && evidence.words.allSatisfy { !$0.isEmpty })
    }
    #expect(!failure.summary.isEmpty && !failure.deed.words.isEmpty)
  }

  @Test("The words of a report stand in the source of the car")
  func evidence() throws {
    let folder = Self.root.appending(path: "Sources/Apps")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    let source = try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    for failure in LabHello.Failure.ofCars {
      guard case .reports(let evidence) = failure.deed else { continue }
      for words in evidence.words { #expect(source.contains(words), "\(failure.number): \(words)") }
    }
  }

  @Test("A car with another behavior has lines in a test")
  func swift() {
    let writer = SwiftTestText(
      delegate: nil, category: "audio", car: "hd",
      behavior: ["watchdog": .number(0.5), "panGestures": .flag(false), "depthExceeded": .text("ignore")])
    let text = writer.test(ActionRecorder())
    for line in [
      "var settings = try CarSettings.profile(\"hd\")", "settings.behavior.depthExceeded = .ignore",
      "settings.behavior.panGestures = false", "settings.behavior.watchdog = 0.5", "let car = Car(settings)",
    ] {
      #expect(text.contains("    \(line)\n"), "\(line)")
    }
  }

  @Test("A fault has its kind, and its values with their unit")
  func kinds() throws {
    func json(_ kind: LabHello.Fault.Kind) throws -> [String: Any] {
      let text = LabHub.text(LabHello.Fault(name: "x", kind: kind, summary: "y"))
      return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
    #expect(try json(.flag)["kind"] as? String == "flag")
    #expect(try json(.chance)["kind"] as? String == "chance")
    let values = try json(.values([0, 10, 500], unit: "ms"))
    #expect(values["kind"] as? String == "values" && values["unit"] as? String == "ms")
    #expect(values["values"] as? [Double] == [0, 10, 500])
  }

  @Test("The page asks for a failure by its number, and for the loss of the next disconnect")
  func requests() throws {
    guard case .failure(7) = try LabRequest(Array(#"{"do":"failure","n":7}"#.utf8)),
      case .loseNext = try LabRequest(Array(#"{"do":"loseNext"}"#.utf8))
    else {
      Issue.record("other requests")
      return
    }
    #expect(throws: LabRequestProblem.self) { _ = try LabRequest(Array(#"{"do":"failure"}"#.utf8)) }
    #expect(LabHello.Failure.ofCars(0) == nil && LabHello.Failure.ofCars(36)?.number == 36)
  }
}

extension LabHello.Failure: CustomTestStringConvertible {
  public var testDescription: String { "\(number)" }
}
