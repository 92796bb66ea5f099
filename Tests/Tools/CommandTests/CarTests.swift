// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// `iap2 car` with a small app as its child.
@Suite(.ownTurn) struct CarTests {
  private let probe = Command.folder.appending(path: "car-probe").path()

  private func scenario(_ steps: String) throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "car-\(UUID().uuidString).yaml")
    try "steps:\n  - launch: true\n\(steps)".write(to: file, atomically: true, encoding: .utf8)
    return file
  }

  private func run(_ steps: String, _ options: String...) async throws -> Command.Outcome {
    let file = try scenario(steps)
    let outcome = try await Command(["car", probe, "--scenario", file.path()] + options).finish()
    try FileManager.default.removeItem(at: file)
    return outcome
  }

  @Test("A scenario whose expectations are met is a ladder of calls, with code 0")
  func ladder() async throws {
    let outcome = try await run("  - expect: {front: app}\n  - tap: Albums\n  - expect: {screen: In Albums}\n")
    #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    #expect(outcome.output.contains("car ───► app  templateApplicationScene(_:didConnect:)  (scene delegate)\n"))
    #expect(outcome.output.contains("car ◄─── app  pushTemplate CPListTemplate \"Albums\"  (interface controller)\n"))
    #expect(outcome.output.hasSuffix("complete: all expectations were met\n"))
  }

  @Test("A scenario that names its app is played by run too")
  func runOfAnApp() async throws {
    let file = try scenario("  - expect: {front: app}\n")
    try ("app: \(probe)\n" + String(contentsOf: file, encoding: .utf8)).write(
      to: file, atomically: true, encoding: .utf8)
    let outcome = try await Command.run("run", file.path())
    #expect(outcome.status == 0 && outcome.output.hasSuffix("complete: all expectations were met\n"), "\(outcome)")
    for option in ["--capture=x.txt", "--pace=real", "--policy=charging", "--fault=loss=0.1", "--seed=7"] {
      let refused = try await Command.run("run", file.path(), option)
      let words = "a scenario with an app takes --json and reports only"
      #expect(refused.status == 64 && refused.errors.contains(words), "\(option)")
    }
    try FileManager.default.removeItem(at: file)
  }

  @Test("A report has the steps, the calls and the screen of a failure, also of a run that did not begin")
  func report() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "car-report-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
    let (page, suite) = (folder.appending(path: "run.html"), folder.appending(path: "run.xml"))
    let options = ["--report", page.path(), "--junit", suite.path()]
    let failing = try scenario("  - tap: Albums\n  - expect: {screen: Nothing, within: 0}\n")
    defer { do { try FileManager.default.removeItem(at: failing) } catch {} }
    let outcome = try await Command(["car", probe, "--scenario", failing.path()] + options).finish()
    #expect(outcome.status == 1)
    let text = try String(contentsOf: page, encoding: .utf8)
    for words in [
      "<td>step</td><td>tap", "<td>car ───► app</td><td>templateApplicationScene(_:didConnect:)",
      "expect: the screen does not show &quot;Nothing&quot;", "<pre>The screen is:\n  list &quot;Albums&quot;",
    ] { #expect(text.contains(words), "\(words)") }
    let hasPictures = text.contains("data:image/png;base64,")
    #expect(hasPictures != outcome.errors.contains("the report has no pictures"))
    #expect(try String(contentsOf: suite, encoding: .utf8).contains("<failure message=\""))
    let none = try await Command(["car", "/bin/true", "--scenario", "first-connect"] + options).finish()
    #expect(none.status == 1)
    #expect(try String(contentsOf: suite, encoding: .utf8).contains("the app ended by itself with code 0"))
  }

  @Test("With --json each line is an object, and the last one has the result")
  func json() async throws {
    let outcome = try await run("  - tap: Print\n  - tap: Trap\n", "--json")
    #expect(outcome.status == 1)
    let lines = outcome.output.split(separator: "\n")
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["event"] is String, "\(line)")
    }
    #expect(lines.last?.contains("\"event\":\"finished\"") == true && lines.last?.contains("\"ok\":false") == true)
    #expect(outcome.errors.contains("iap2: the app trapped ("), "\(outcome.errors)")
    #expect(outcome.errors.contains("Fatal error: the probe traps"))
  }

  @Test("An expectation that is not met is one line after the screen, with code 1")
  func unmet() async throws {
    let outcome = try await run("  - expect: {screen: Nothing, within: 0}\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("The screen is:\n  list \"Probe\"\n    row \"Albums\"\n"), "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix(".yaml:3: expect: the screen does not show \"Nothing\"\n"), "\(outcome.errors)")
  }

  @Test(
    "Faults of the command line and of files have their codes",
    arguments: [
      (["car"], 64, "name an app"), (["car", "/none"], 64, "without a terminal a run needs --scenario"),
      (["car", "/none", "--scenario", "first-connect"], 66, "no such file: /none"),
      (["car", "/none", "--scenario", "first"], 66, "no scenario first"),
      (["car", "/etc/passwd", "--scenario", "first-connect"], 65, "/etc/passwd is not an executable"),
      (["car", "/bin/true", "--scenario", "first-connect"], 1, "the app ended by itself with code 0"),
    ])
  func faults(arguments: [String], status: Int32, text: String) async throws {
    let outcome = try await Command(arguments).finish()
    #expect(outcome.status == status && outcome.errors.contains(text), "\(outcome)")
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test("The list has every scenario and every step")
  func list() async throws {
    let outcome = try await Command.run("car", "--list")
    #expect(outcome.status == 0)
    for line in [
      "  right-hand  A car with the driver on the right.", "  first-connect  ", "  lost-notice  ", "  unplug  ",
      "  expect  ", "      style: one of dark, light, also alone\n",
    ] {
      #expect(outcome.output.contains(line), "\(line)")
    }
  }

  /// The processes that the threads of a process started.
  private func children(of id: Int32) throws -> [Int32] {
    let tasks = "/proc/\(id)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { task in
      try String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8).split(separator: " ").compactMap {
        Int32($0)
      }
    }
  }

  @Test("Ctrl-C ends the run with code 1 and leaves no child")
  func interrupt() async throws {
    let file = try scenario("  - expect: {screen: Nothing, within: 600}\n")
    let command = try Command(["car", probe, "--scenario", file.path()])
    _ = try await Command.wait { try !command.process.isRunning || command.outputText.contains("didConnect") }
    let children = try children(of: command.process.processIdentifier)
    try await command.interruptWhenListening()
    let outcome = try await command.finish()
    #expect(outcome.status == 1 && outcome.errors.hasSuffix("iap2: stopped\n"), "\(outcome.errors)")
    #expect(children.count == 1 && children.allSatisfy { kill($0, 0) == -1 && errno == ESRCH })
    try FileManager.default.removeItem(at: file)
  }
}
