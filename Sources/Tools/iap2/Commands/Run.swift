// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CarPlayControl
import CommandSupport
import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import RunReports

struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play a session between a head unit and a phone, in memory.", usage: "iap2 run [<options>] [<scenario>]",
    discussion: """
      Without a name, plays a default session: detection, negotiation with one counter-offer, authentication, \
      identification, every feature at least once, 64 KiB each way over an external-accessory protocol, and a pulled \
      cable. With a name, plays a built-in scenario (--list shows them); with a file, a scenario in YAML, which can \
      name an app for the car (`iap2 help car`). The clock is virtual, so the run does not wait, unless `--pace real` \
      is given. Exit code 0 only if every expectation of the scenario was met.

      Examples:
        iap2 run
        iap2 run music --json
        iap2 run mine.yaml --pace real
        iap2 run Examples/RadioApp/song.yaml
        iap2 run lost-notification --policy charging
        iap2 run music --fault loss=0.05,jitter=20 --seed 7
        iap2 run mine.yaml --report run.html --junit run.xml
        iap2 run mine.yaml --report now.html --base before.html
      """)

  enum Pace: String, ExpressibleByArgument, CaseIterable {
    case virtual, real

    /// The unit of the clock's times.
    var seconds: String { self == .virtual ? "virtual seconds" : "s" }
  }

  @Argument(help: "The name of a built-in scenario, or a YAML file.", completion: .names { BundledScenarios.names })
  var scenario = BundledScenarios.standard

  @Flag(help: "One JSON object per line.")
  var json = false

  @Flag(help: "List the built-in scenarios, profiles and cars, and the steps with their arguments.")
  var list = false

  @Flag(help: "Print the JSON Schema of scenarios, for editors.")
  var schema = false

  @OptionGroup var colors: ColorOptions

  @Option(
    help: ArgumentHelp(
      "Write the bytes of the cable, and in pcapng those of the CarPlay session's sockets with the secrets that open them, into this capture: pcapng unless its name ends in .btsnoop or .txt.",
      valueName: "file"), completion: .file())
  var capture: String?

  @OptionGroup var secrets: KeyLogOptions

  @Option(help: "The clock: virtual (default) or real.")
  var pace = Pace.virtual

  @OptionGroup(title: "Connection") var life: LifecycleOptions

  @OptionGroup(title: "Reports") var reports: ReportOptions

  func run() async throws {
    if list { return try Output.list(ScenarioList.sections, json: json) }
    if schema { return Output.line(ScenarioList.schema) }
    if let session = try CarCommand.session(of: scenario) {
      guard capture == nil, !secrets.isGiven, pace == .virtual, life.isEmpty else {
        throw CommandFailure(
          .usage, "a scenario with an app takes --json and reports only: cable and clock are inside the app")
      }
      return try await CarCommand.play(session, json: json, reports: reports, title: title)
    }
    Output.continueWithoutReader()
    let name = scenario
    let scenario = try ScenarioFile.read(scenario)
    try secrets.check(hasSession: scenario.carPlay != nil)
    let json = json
    let conditions = try life.conditions(scenario.life)
    if pace == .virtual, let name = scenario.servedByProgram {
      throw CommandFailure(.usage, "a program serves \(name), and answers in real time: add --pace real")
    }
    let files = try reports.open()
    let recorder = files.map { _ in RunRecorder(title: title) }
    recorder?.begin(name)
    let violations = ViolationCount()
    let show: @Sendable (Role, TimedEvent) -> Void = { role, event in
      violations.note(event.event)
      let line = RoleLine(role: role, timed: event)
      if let row = line.row { recorder?.add(row) }
      if json {
        if line.hasJSON { Output.tryJSON(line) } else if let warning = line.warning { Output.note(warning) }
      } else if let ladderLine = line.ladderLine(showingBoth: true) {
        Output.rows([ladderLine])
      }
    }
    let (outcome, time): (ScenarioPlayer.Outcome, MonotonicTime)
    switch pace {
    case .virtual:
      (outcome, time) = try VirtualTime.run { clock in
        let start = Int64(LocationFix.plainStart) * 1_000_000_000
        return (try await play(scenario, conditions, recorder, clock: clock, start: start, show), clock.now)
      }
    case .real:
      let clock = WallClock()
      outcome = try await play(scenario, conditions, recorder, clock: clock, start: CaptureFile.wallClock(), show)
      time = clock.now
    }
    if let recorder, let files {
      recorder.end(failure: outcome.failure, seconds: time.seconds)
      recorder.change { $0.facts += ReportFacts.all + (conditions.fault == nil ? [] : ["Seed: \(conditions.seed)"]) }
      try files.write(recorder.report)
    }
    if json {
      try Output.json(
        CommandEvents.finished(ok: outcome == .complete, violations: violations.value, time: time.seconds))
    }
    if let failure = outcome.failure { throw CommandFailure(.failed, failure) }
    if !json { Output.line(Color.green("complete: all expectations were met, in \(time.seconds) \(pace.seconds)")) }
  }

  /// The title of the run's reports.
  private var title: String { "iap2 run \(scenario)" }

  /// - Parameter start: the time of the capture's begin, in nanoseconds since the Unix epoch.
  private func play(
    _ scenario: Scenario, _ life: LifecycleConditions, _ recorder: RunRecorder?, clock: any RuntimeClock, start: Int64,
    _ show: @escaping @Sendable (Role, TimedEvent) -> Void
  ) async throws -> ScenarioPlayer.Outcome {
    let file = try capture.map {
      try CaptureFile(
        $0, hasSockets: scenario.carPlay != nil, hasSecrets: true, now: { start + clock.now.nanoseconds })
    }
    let keyLog = try secrets.open(beside: nil)
    if scenario.carPlay != nil { try file?.begin() }
    try keyLog?.begin()
    let ladder = recorder.map { _ in
      RunLadder(hasSockets: scenario.carPlay != nil) { start + clock.now.nanoseconds }
    }
    defer { recorder?.change { [title] in $0.ladder = ladder?.picture(name: title) } }
    let logs = [file?.log, ladder?.log].compactMap(\.self)
    var player = ScenarioPlayer(
      scenario, clock: clock, life: life,
      wrap: { transport in logs.reduce(transport) { $1.capturing($0, side: .accessory) } },
      report: { Output.note(CommandFailure($0).text) },
      showCarPlay: { [json] side, time, event, cause in
        CarPlayLine.show(event, of: side, at: time, linkCause: cause, json: json)
        if let recorder, let row = CarPlayLine.row(event, of: side, at: time, linkCause: cause) { recorder.add(row) }
      },
      show: { role, event in
        show(role, event)
        if role == .headUnit { file?.note(event, of: .accessory, now: clock.now) }
      })
    player.sessionTap = SessionTap(captures: [file?.tap, ladder?.tap].compactMap(\.self), keyLog: keyLog)
    player.showStep = { step in
      let place = step.line.map { "  (\(step.file):\($0))" } ?? ""
      recorder?.add(RunReport.Row(.step, time: clock.now.seconds, who: "step", step.text + place))
    }
    let outcome: ScenarioPlayer.Outcome
    switch pace {
    case .virtual: outcome = await player.play()
    case .real:
      let end = Signal()
      // An expectation that is not met by Ctrl-C has failed.
      let stop = StopSignal(note: StopSignal.noteOfWork) { end.notify() }
      outcome = await player.play(until: end)
      withExtendedLifetime(stop) {}
    }
    try file?.check()
    try keyLog?.check()
    return outcome
  }
}

/// Loading of scenarios and profiles by name or file, with errors for the user.
enum ScenarioFile {
  static func read(_ name: String) throws -> Scenario { try readWithText(name).scenario }

  static func readWithText(_ name: String) throws -> (scenario: Scenario, yaml: String) {
    do {
      if let shipped = try BundledScenarios.scenario(name), let yaml = BundledScenarios.text(name) {
        return (shipped, yaml)
      }
      let yaml = try text(name, "scenario", BundledScenarios.names)
      return (try Scenario(yaml: yaml, file: name, files: files(beside: name)), yaml)
    } catch let problem as ScenarioProblem { throw CommandFailure(.badInput, problem.description) }
  }

  static func profile(_ name: String) throws -> Profile {
    do {
      if let shipped = try BundledProfiles.profile(name) { return shipped }
      return try Profile(
        yaml: try text(name, "profile", BundledProfiles.names), file: name, files: files(beside: name))
    } catch let problem as ScenarioProblem { throw CommandFailure(.badInput, problem.description) }
  }

  /// The profile of a role.
  static func profile(_ name: String, of role: Role) throws -> Profile {
    let found = try profile(name)
    guard found.role == role else { throw mismatch(name, found) }
    return found
  }

  private static func mismatch(_ name: String, _ found: Profile) -> CommandFailure {
    CommandFailure(
      .badInput, "\(name) is the profile of a \(found.role.side.roleName); name one of the other role")
  }

  static func headUnit(
    _ name: String
  ) throws -> (profile: HeadUnitProfile, services: [String: Scenario.Service], behavior: Behavior) {
    let found = try profile(name)
    guard case .headUnit(let profile, let services) = found.subject else { throw mismatch(name, found) }
    return (profile, services, found.behavior)
  }

  static func phone(_ name: String) throws -> (profile: PhoneProfile, behavior: Behavior) {
    let found = try profile(name)
    guard case .phone(let profile) = found.subject else { throw mismatch(name, found) }
    return (profile, found.behavior)
  }

  /// Returns a file's text. For an unknown name, the error lists the built-in ones.
  private static func text(_ name: String, _ kind: String, _ shipped: [String]) throws -> String {
    guard name.contains("/") || name.contains(".") || FileManager.default.fileExists(atPath: name) else {
      let known =
        NearWords.question(name, among: shipped).map { "\($0) `iap2 run --list` shows all" }
        ?? "it is neither a file nor one of \(shipped.joined(separator: ", "))"
      throw CommandFailure(.noInput, "no \(kind) \(name): \(known)")
    }
    guard let text = String(validating: try InputFile.bytes(name), as: UTF8.self) else {
      throw CommandFailure(.badInput, "\(name) is not UTF-8")
    }
    return text
  }

  /// Returns the files that a file refers to, with paths relative to its folder.
  private static func files(beside name: String) -> ScenarioFiles {
    let folder = URL(filePath: name).deletingLastPathComponent()
    return ScenarioFiles { (path) throws(ScenarioFiles.Problem) in
      let place = path.hasPrefix("/") ? path : folder.appending(path: path).path(percentEncoded: false)
      do { return try InputFile.bytes(place, limit: TrackFile.maximumByteCount) } catch {
        throw ScenarioFiles.Problem((error as? CommandFailure)?.text ?? "\(error)")
      }
    }
  }
}
