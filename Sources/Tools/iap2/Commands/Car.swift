// swift-iap2 · Apache-2.0

public import ArgumentParser
import CarPlayCommand
public import CarPlayControl
import CommandSupport
import Foundation
import IAP2
import IAP2Transports
import RunReports

extension GraphicsChoice: ExpressibleByArgument {}

struct CarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "car", abstract: "Drive an app for CarPlay in an emulated car.",
    usage: "iap2 car [<options>] <app> [-- <argument> ...]",
    discussion: """
      The app is an executable, or a folder with a Package.swift, which is built first. Its main calls \
      CarApplication.run of the module CarPlayHost, so car and phone run inside the app. With --scenario, plays a \
      built-in scenario (--list shows them) or one in YAML, and prints each call between car and app. Without one, \
      on a terminal, shows the screen as a picture or as text: keys are the knob, the buttons and the faults, and ? \
      lists them. Exit code 0 only if every expectation was met and the app neither trapped nor was killed.

      With --transport, the phone of the app meets a head unit outside of this program, in real time: it connects or \
      listens as iap2 phone does, and the head unit gets the app's song, guidance and calls. The head unit connects \
      and disconnects phone and car; the step launch waits for it.

      Examples:
        iap2 car Examples/RadioApp
        iap2 car Examples/NavigationApp --car knob --scenario lost-notice
        iap2 car ./radio-app --scenario mine.yaml --json
        iap2 car Examples/RadioApp --car hd,portrait,knob --scenario first-connect --screenshots pictures
        iap2 car Examples/RadioApp --scenario first-connect --report run.html --junit run.xml
        iap2 car Examples/RadioApp --transport tcp-listen:127.0.0.1:7000
      """)

  @Argument(help: "An executable, or the folder of a package.", completion: .file())
  var app: String?

  @Argument(parsing: .postTerminator, help: "Arguments of the app, after --.")
  var arguments: [String] = []

  @Option(
    help: ArgumentHelp("Cars with commas between: names or YAML files. Default: standard.", valueName: "profile"),
    completion: .nameList { ScenarioList.carNames })
  var car: String?

  @Option(help: "The name of a built-in scenario, or a YAML file.", completion: .names { BundledCarScenarios.names })
  var scenario: String?

  @Option(help: "The name of the package's executable, if it has several.") var product: String?

  @Option(
    help: ArgumentHelp(
      "Write a picture of each screen into this folder, a new one or that of an earlier run, which is emptied.",
      valueName: "folder"), completion: .directory)
  var screenshots: String?

  @Flag(help: "With --screenshots: pictures in SVG, not PNG.") var svg = false

  @Flag(help: "With --screenshots: one picture, screen.png, that is drawn again at each change.") var watch = false

  @Option(
    help: ArgumentHelp(
      "Connect the phone to a head unit on this transport: \(AnyTransportAddress.forms).", valueName: "transport"))
  var transport: String?

  @Option(
    help: ArgumentHelp(
      "With --transport: the CA whose head units are trusted: test (default), any, or a CA file in PEM.",
      valueName: "test|any|file"), completion: .file())
  var authentication: String?

  @Option(help: "Pictures on the terminal: auto (default: the terminal is asked), kitty, sixel, or none (text).")
  var graphics: GraphicsChoice?

  @Flag(help: "One JSON object per line.") var json = false

  @Flag(help: "List the built-in scenarios, profiles and cars, and the steps with their arguments.") var list = false

  @OptionGroup var colors: ColorOptions

  @OptionGroup(title: "Reports") var reports: ReportOptions

  func validate() throws {
    if let transport { _ = try AnyTransportAddress(option: transport, as: .device) }
    guard transport != nil || authentication == nil else {
      throw ValidationError("--authentication is for head units on a transport: name one with --transport")
    }
  }

  func run() async throws {
    guard !json || list || scenario != nil else { throw CommandFailure(.usage, "--json is for --scenario and --list") }
    guard !reports.areGiven || scenario != nil else {
      throw CommandFailure(.usage, "--report and --junit are for --scenario")
    }
    guard screenshots != nil || !svg && !watch else { throw CommandFailure(.usage, "name a folder: --screenshots") }
    if list { return try Output.list(ScenarioList.sections, json: json) }
    guard let app else { throw CommandFailure(.usage, "name an app: an executable, or the folder of a package") }
    let place = try transport.map {
      CarTransportChoice(
        try AnyTransportAddress(option: $0), verifier: try VerifierChoice.verifier(authentication ?? "test"))
    }
    try await Self.play(
      CarSession(
        app: app, product: product, arguments: arguments, car: car, scenario: scenario,
        pictures: screenshots.map { CarPictureChoice(folder: $0, isSVG: svg, isLatest: watch) }, transport: place,
        graphics: graphics), json: json, reports: reports, title: "iap2 car \(app) --scenario \(scenario ?? "")")
  }

  /// - Parameter title: The title of the run's reports.
  static func play(_ session: CarSession, json: Bool, reports: ReportOptions, title: String) async throws {
    Output.continueWithoutReader()
    let files = try reports.open()
    let run = files.map { _ in ReportedCar(session, title: title, hasPage: reports.report != nil) }
    let stop = StopRequest()
    let note = session.scenario == nil ? nil : StopSignal.noteOfWork
    let failure = await StopSignal.finish(note: note, ending: stop.make) { [session = run?.session ?? session] in
      await session.play(
        stop: stop, note: Output.note,
        show: {
          $0.print(json: json)
          run?.show($0)
        }, print: { Output.rows([$1.color($0)]) }, write: { Output.bytes($0) }, picture: { run?.add(picture: $0) })
    }.result
    if let run, let files { try files.write(run.report(failure)) }
    for line in failure?.details ?? [] { Output.plainNote(line) }
    if let failure { throw CommandFailure(failure) }
    if session.scenario != nil, !json { Output.line(Color.green("complete: all expectations were met")) }
  }

  /// Returns the session of a scenario that names its app; nil for another scenario.
  static func session(of scenario: String) throws -> CarSession? {
    do { return try CarSession(of: scenario) } catch { throw CommandFailure(error) }
  }
}
