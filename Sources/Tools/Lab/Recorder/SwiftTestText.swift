// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Foundation

/// Writes a recorded session as a test in Swift with CarPlayTesting.
struct SwiftTestText {
  /// The type of the app's scene delegate with its module, such as `NavigationCode.CarSceneDelegate`.
  var delegate: String?
  /// The name of the app's category in Swift, such as `navigation`.
  var category: String
  /// The name of the car's profile.
  var car: String
  /// The settings of the car's behavior that are changed.
  var behavior: [String: CarValue] = [:]

  func test(_ recorder: ActionRecorder) -> String {
    let parts = (name ?? "").split(separator: ".").map(String.init)
    let module = parts.count > 1 ? parts[0] : nil
    var lines = [
      "// Recorded by iap2 lab. A process has one phone, so tests with a car run one after another: put this test into the",
      "// serialized suite of your other ones.", "",
      "import CarPlayTesting", "import Testing", "",
    ]
    if let module { lines += ["@testable import \(module)", ""] }
    lines += [
      "@MainActor @Suite(.serialized) struct RecordedTests {", "  @Test func recordedSession() async throws {",
    ]
    lines += makingCar.map { "    \($0)" }
    for step in recorder.steps {
      switch step {
      case .wait(let seconds): lines.append("    await car.wait(.seconds(\(CarValue.number(seconds))))")
      case .work(.action(let action)): lines += call(action).map { "    \($0)" }
      case .work(.expectation(let wanted)): lines += Self.expectation(wanted).map { "    \($0)" }
      }
    }
    return (lines + ["    #expect(car.end == nil)", "  }", "}", ""]).joined(separator: "\n")
  }

  /// The lines that make the car.
  private var makingCar: [String] {
    let profile = "try CarSettings.profile(\(Self.text(car)))"
    guard !behavior.isEmpty else { return ["let car = Car(\(profile))"] }
    let changes = behavior.sorted { $0.key < $1.key }.map { name, value in
      "settings.behavior.\(name) = \(value.literal)"
    }
    return ["var settings = \(profile)"] + changes + ["let car = Car(settings)"]
  }

  private static func expectation(_ wanted: ActionRecorder.Expectation) -> [String] {
    switch wanted {
    case .kind(let kind): return ["#expect(car.screen.kind == .\(kind))"]
    case .shows(let shown): return ["#expect(car.screen.shows(\(text(shown))))"]
    case .line(let line, let wanted): return lines(of: wanted) ?? ["// A test has no line for this: \(line)"]
    }
  }

  /// Returns the lines of an expectation of the screen or the connection; nil for one with other conditions.
  private static func lines(of wanted: CarExpectation) -> [String]? {
    var known = CarExpectation()
    (known.within, known.connected) = (wanted.within, wanted.connected)
    var lines = wanted.connected.map { ["#expect(car.isConnected == \($0))"] } ?? []
    if let screen = wanted.screen {
      var shown = CarExpectation.Screen()
      shown.kind = screen.kind
      (shown.shows, shown.hides) = (screen.shows, screen.hides)
      (shown.rows, shown.buttons) = (screen.rows, screen.buttons)
      known.screen = shown
      if let kind = screen.kind { lines.append("#expect(car.screen.kind == .\(kind))") }
      lines += screen.shows.map { "#expect(car.screen.shows(\(text($0))))" }
      lines += screen.hides.map { "#expect(!car.screen.shows(\(text($0))))" }
      if let rows = screen.rows { lines.append("#expect(car.screen.rows == \(list(rows)))") }
      if let buttons = screen.buttons { lines.append("#expect(car.screen.buttons == \(list(buttons)))") }
    }
    return known == wanted ? lines : nil
  }

  private static func list(_ texts: [String]) -> String { "[\(texts.map(text).joined(separator: ", "))]" }

  /// The delegate's type; nil for a private or local type, whose name has marks that Swift does not take.
  private var name: String? {
    delegate.flatMap { $0.allSatisfy { $0.isLetter || $0.isNumber || "._".contains($0) } ? $0 : nil }
  }

  /// The expression that makes the app's scene delegate.
  private var scene: String {
    guard let name else { return "{ fatalError(\"make the app's scene delegate here\") }" }
    return "{ \(name.split(separator: ".").dropFirst().joined(separator: "."))() }"
  }

  // MARK: Steps

  private func call(_ action: CarAction) -> [String] {
    func text(_ name: String) -> String { Self.text(action.text(name) ?? "") }
    func whole(_ name: String) -> String { "\(action.whole(name) ?? 0)" }
    func number(_ name: String) -> String { "\(CarValue.number(action.number(name) ?? 0))" }
    func choice(_ name: String) -> String { ".\(action.text(name) ?? "")" }
    func flag(_ name: String) -> String { "\(action.flag(name) ?? false)" }
    func isShown(_ name: String) -> String { action.flag(name) == false ? "hide" : "show" }
    let phoneScene = action.flag("phoneScene") == true ? ", phoneScene: true" : ""
    let call: String? =
      switch action.verb {
      case .launch: "launch(.\(category)\(phoneScene)) \(scene)"
      case .start:
        "start(CarApp([.\(category)]) \(scene)\(action.flag("phoneScene") == false ? ", phoneScene: false" : ""))"
      case .plug: "replug()"
      case .unplug:
        "unplug(noticed: \(action.flag("noticed") ?? true)\(action.flag("power").map { ", powerNoticed: \($0)" } ?? ""))"
      case .notice: "noticeUnplug()"
      case .open: "open()"
      case .policy:
        "follow(\(choice("name"))\(action.whole("battery").map { ", batteryPercent: \($0)" } ?? "")"
          + "\(action.whole("powerBank").map { ", powerBank: \($0)" } ?? ""))"
      case .tap: "tap(\(text("text"))\(kind(action).map { ", \($0)" } ?? ""))"
      case .tapAt: "tap(\(kind(action) ?? ".row"), at: \(whole("index")))"
      case .tapDashboard: "tapDashboard(\(text("text")))"
      case .back: "back()"
      case .touchMap: "touchMap()"
      case .pan: "pan(x: \(number("x")), y: \(number("y")))"
      case .panButton:
        "pan([\(action.texts("direction").map { ".\($0)" }.joined(separator: ", "))]"
          + "\(action.flag("held").map { ", isHeld: \($0)" } ?? ""))"
      case .movePointMap: "movePointMap()"
      case .turn: "turn(\(whole("steps")))"
      case .press: "press()"
      case .type: "type(\(text("text")))"
      case .searchKey: "pressSearchKey()"
      case .nowPlaying: "openNowPlaying()"
      case .key: "key(\(choice("name")))"
      case .voiceKey: "pressVoiceKey()"
      case .home: "goHome()"
      case .otherApp: "openOtherApp()"
      case .bringBack: "bringBack()"
      case .dashboard: "\(isShown("shown"))Dashboard()"
      case .cluster: "\(isShown("shown"))Cluster()"
      case .endGuidance: "cancelNavigation()"
      case .lock: "lock()"
      case .unlock: "unlock()"
      case .ask: "askForPermission()"
      case .answer: "answerPermission()"
      case .drive: "drive()"
      case .park: "park()"
      case .interrupt: "interruptSound(\(flag("interrupted")))"
      case .appearance: "setAppearance(\(choice("style")))"
      case .contentStyle: "setContentStyle(\(choice("style")))"
      case .drivingSide: "setDrivingSide(\(choice("side")))"
      case .viewArea: "setViewArea(width: \(whole("width")), height: \(whole("height")))"
      case .wait: "wait(.seconds(\(number("seconds"))))"
      case .headUnit: headUnit(action)
      case .siri: siri(action)
      case .faults, .alert, .begin, .watch, .transport, .touchPart, .fromHeadUnit, .resize: nil
      }
    if action.verb == .faults {
      return action.arguments.sorted { $0.key < $1.key }.map { "car.faults.\($0.key) = \($0.value)" }
    }
    return [call.map { "await car.\($0)" } ?? "// A test has no step for this: \(ScenarioText.step(action))"]
  }

  private func kind(_ action: CarAction) -> String? {
    action.choice("kind", ScreenNode.Kind.self).map { ".\($0)" }
  }

  private func headUnit(_ action: CarAction) -> String {
    if let request = action.text("request") { return "ask(.\(request))" }
    if let position = action.number("position") { return "seek(to: \(CarValue.number(position)))" }
    let names =
      action.number("latitude") == nil
      ? ["range", "outsideTemperature", "rangeWarning"] : ["latitude", "longitude", "altitude", "course", "speed"]
    let values = names.compactMap { name in action.arguments[name].map { "\(name): \($0)" } }.joined(separator: ", ")
    return action.number("latitude") == nil ? "reportVehicle(\(values))" : "reportLocation(\(values))"
  }

  private func siri(_ action: CarAction) -> String {
    if let name = action.text("call") { return "call(\(Self.text(name)))" }
    guard let words = action.text("send") else { return "readMessages()" }
    let name = Self.text(action.text("to") ?? "")
    return "send(\(Self.text(words)), \(action.flag("group") == true ? "toGroup" : "to"): \(name))"
  }

  /// Returns a text as a literal of Swift. Unlike `debugDescription` it escapes the marks of the direction of writing, by
  /// which a text of an app could show other code than it is.
  private static func text(_ text: String) -> String {
    var literal = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": literal += "\\\(scalar)"
      case "\n": literal += "\\n"
      case _ where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format:
        literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return "\"\(literal)\""
  }
}

extension CarValue {
  /// The value of a setting in Swift. A text is the name of a case.
  fileprivate var literal: String { if case .text(let name) = self { ".\(name)" } else { "\(self)" } }
}
