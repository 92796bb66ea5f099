// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayAnalysis
import CarPlayCapture
import CarPlayCommand
import CarPlayConformance
import CommandSupport
import ConformanceCommand
import Foundation
import IAP2
import IAP2Analysis
import IAP2Authentication
import IAP2Capture
import IAP2Conformance
import IAP2Coprocessor
import IAP2Recordings
import IAP2Replay
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Simulation
import IAP2Transport
import IAP2Transports

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Play one side of a recorded session against a live peer.",
    discussion: """
      Sends the messages of one side of the recording in order, and waits for those of the peer. Sequence numbers, \
      acknowledgements and link values are those of the live link. Reports messages that did not come (missing), that \
      the recording does not have (extra), that came at another place (order), or with other values (parameter, data, \
      file). Values that are new in every session do not count as differences, by the rules of `iap2 diff`. Exit code \
      1 if a difference is not tolerated.

      With --carplay it plays a side of a CarPlay session of a network capture over TCP, with new keys and new ports: \
      a phone's requests, pictures and sound at a head unit, or a head unit's answers and commands at a phone. Pairing, \
      auth-setup, the clock, /feedback and iAP2 inside the session are not those of the recording. The comparison is \
      that of `iap2 diff`, of the live side's messages. --tolerate takes certificate.

      Authentication is live: a head unit signs the challenge of the live phone, a phone sends a new challenge and \
      verifies the answer.

      --tolerate takes one of these (repeatable):
        RULE                a rule of comparisons: \(Self.rules)
        KIND                a kind of difference: \(Self.kinds)
        KIND:MESSAGE        one of the first four kinds, of one message: missing:PowerUpdate
        MESSAGE             any difference of a message, by name or number: 0xAE01
        MESSAGE.PARAMETER…  a parameter and its contents: NowPlayingUpdate.PlaybackAttributes

      Examples:
        iap2 replay session.pcapng --as headunit --transport tcp:127.0.0.1:7000
        iap2 replay session.pcapng --as phone --transport loopback --profile test-head-unit --speed asap
        iap2 run music --capture music.pcapng && iap2 replay music.pcapng --as headunit --transport loopback \
      --scenario music
        iap2 replay music.pcapng --as phone --transport loopback --scenario music --fault loss=0.02,jitter=20 --seed 7
        iap2 replay carplay.pcap --key-log keys.txt --carplay --as phone --transport tcp:127.0.0.1:7000
        iap2 replay bench.btsnoop --as phone --transport pty --step --tolerate extra --tolerate location
      """)

  static let rules = ComparisonRule.allCases.filter(\.isOptional).map(\.rawValue).joined(separator: ", ")
  static let kinds = ReplayDifference.Name.allCases.map(\.rawValue).joined(separator: ", ")

  @Argument(help: "The recording: a capture of any format, or - for standard input.", completion: .file())
  var file: String

  @Flag(help: "Play a CarPlay session instead of iAP2.") var carplay = false

  @Option(help: "With --carplay: the session, by its number in `iap2 explain` (default: the first).")
  var session: Int?

  @Option(name: .customLong("as"), help: "The side of the recording to play: headunit or phone.")
  var role: Role

  @Option(
    help: ArgumentHelp(
      "The transport to the peer: \(AnyTransportAddress.forms); or loopback: this program's other role in virtual time.",
      valueName: "transport"))
  var transport: String

  @Option(
    help: ArgumentHelp(
      "The speed as a multiple of the recorded one, or asap: wait only for the peer.", valueName: "n|asap"))
  var speed = "1"

  @Option(help: ArgumentHelp("Play the recording this many times, each on a new connection.", valueName: "n"))
  var loop = 1

  @Flag(help: "Send each step only when a line comes on standard input.")
  var step = false

  @Option(help: ArgumentHelp("Tolerate these differences (repeatable; see above).", valueName: "rule"))
  var tolerate: [String] = []

  @Option(
    help: """
      Seconds to wait for the peer's next message (default: 10), and for the link (default: 60; no limit on pty and \
      serial lines).
      """)
  var timeout: Double?

  @Option(help: "The connection of the recording, by its number in `iap2 decode` (default: the first with iAP2).")
  var connection: Int?

  @OptionGroup var source: CaptureOptions

  @Option(
    help: ArgumentHelp(
      """
      recorded: send the recorded bytes of authentication. Otherwise, as phone, the CA whose accessories are trusted: \
      any (default), test, or a CA file in PEM.
      """,
      valueName: "recorded|any|test|file"), completion: .file())
  var authentication: String?

  @OptionGroup var signing: AuthenticatorOptions

  @Option(
    help: ArgumentHelp(
      "With loopback: the other role has this profile (`iap2 run --list`, or a YAML file) instead of the recorded one.",
      valueName: "name|file"), completion: .names { BundledProfiles.names })
  var profile: String?

  @Option(
    help: ArgumentHelp(
      "With loopback: the other role has the profile of a scenario and plays its steps.", valueName: "name|file"),
    completion: .names { BundledScenarios.names })
  var scenario: String?

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Option(
    help: ArgumentHelp(
      "Write the bytes of the transport into this capture: pcapng unless its name ends in .btsnoop or .txt.",
      valueName: "file"), completion: .file())
  var capture: String?

  @OptionGroup(title: "Faults") var faults: FaultOptions

  static let loopback = "loopback"
  /// The limits of `--speed`.
  private static let speeds = 0.001...1e6
  /// The limit of `--loop`.
  static let maximumLoops = 1_000_000

  func validate() throws {
    guard !carplay else { return try validateSession() }
    guard session == nil else { throw ValidationError("--session goes with --carplay") }
    _ = try address()
    guard (1...Self.maximumLoops).contains(loop) else {
      throw ValidationError("--loop takes a number from 1 to \(Self.maximumLoops)")
    }
    if let connection, connection < 1 { throw ValidationError("--connection takes a number from 1") }
    if let timeout, !(timeout > 0 && timeout < 1e6) { throw ValidationError("--timeout takes seconds, above 0") }
    _ = try options()
    try faults.check(events: Self.faultEvents)
    guard transport == Self.loopback || profile == nil && scenario == nil else {
      throw ValidationError("--profile and --scenario describe the other role of --transport loopback, and need it")
    }
    guard profile == nil || scenario == nil else {
      throw ValidationError("--scenario names its own profiles: leave out --profile")
    }
    guard !step || file != "-" else {
      throw ValidationError("--step reads standard input: give the recording as a file")
    }
    if role == .headUnit, let authentication, authentication != "recorded" {
      throw ValidationError(
        "a head unit takes --authentication recorded, or --certificate and --key, or --authenticator")
    }
    guard role == .headUnit || !signing.isGiven else {
      throw ValidationError("--certificate, --key and --authenticator need --as headunit")
    }
  }

  /// Checks the options of a CarPlay session.
  private func validateSession() throws {
    try SessionReplayRun.check(transport, as: role.side, capture: capture)
    try SessionChoice.validate(connection: nil, session: session)
    _ = try options()
    if let timeout, !(timeout > 0 && timeout < 1e6) { throw ValidationError("--timeout takes seconds, above 0") }
    let unused: [(String, Bool)] = [
      ("--loop", loop != 1), ("--step", step), ("--connection", connection != nil), ("--profile", profile != nil),
      ("--scenario", scenario != nil), ("--fault", !faults.isEmpty),
      ("--tolerate \(tolerate.first ?? "")", tolerate.contains { $0 != "certificate" }),
      ("--authentication recorded", authentication == "recorded"),
      ("--authentication", authentication != nil && role == .headUnit),
      ("--certificate, --key and --authenticator", signing.isGiven && role == .phone),
    ]
    if let name = unused.first(where: \.1)?.0 {
      throw ValidationError("\(name) is not for --carplay --as \(role.rawValue): leave it out")
    }
  }

  /// Plays a CarPlay session.
  private func playSession() async throws {
    let recorder = CarPlayRecorder((session ?? 1) - 1, limits: SessionReplay.limits)
    var analyzer = CaptureAnalyzer(
      options: try source.options(recorder: recorder, capture: file, explains: true), sink: SessionEndSink())
    let input = try CaptureInput(file)
    while let bytes = try input.next() { analyzer.append(bytes) }
    analyzer.finish()
    CaptureInput.show(analyzer, of: file)
    CaptureInput.showDamage(analyzer, of: file)
    guard recorder.count > 0 else { throw CommandFailure(.badInput, CaptureInput.nothing(in: file, analyzer)) }
    if let capture, OutputFile.isSame(file, capture) {
      throw CommandFailure(.usage, "\(capture) is the recording itself: name another capture file")
    }
    var run = SessionReplayRun(as: role.side, transport: transport)
    if let timeout { run.settings.answer = .seconds(timeout) }
    if role == .headUnit { run.settings.authenticator = try await signing.open(clock: WallClock()) }
    if let authentication {
      run.settings.trust = authentication == "any" ? .any : .verifier(try VerifierChoice.verifier(authentication))
    }
    (run.capture, run.isJSON) = (capture, json)
    if tolerate.contains("certificate") { run.tolerated = [.certificate] }
    let captured = try CapturedSession(session, recorder, analyzer.sink, in: file)
    guard try await run.play(captured, of: file, speed: options().speed) else { throw ExitStatus.failed.code }
  }

  /// Returns the transport's address; nil for the loopback.
  private func address() throws -> AnyTransportAddress? {
    guard transport != Self.loopback else { return nil }
    return try AnyTransportAddress(option: transport, as: role.side)
  }

  /// Fault moments cannot name events here, because a replay has event names of its own.
  private static let faultEvents: Set<String> = []

  private func options() throws -> ReplayOptions {
    var options = ReplayOptions()
    if speed == "asap" {
      options.speed = nil
    } else {
      guard let number = Double(speed), Self.speeds.contains(number) else {
        throw ValidationError("--speed takes a number from 0.001 to 1000000, or asap, not \(speed)")
      }
      options.speed = number
    }
    if let timeout { options.timeoutMilliseconds = Int((min(max(0, timeout), 1e6) * 1000).rounded(.up)) }
    options.isStepped = step
    options.authenticates = authentication != "recorded"
    for text in tolerate {
      do throws(ReplayTolerance.Problem) {
        options.tolerances.append(try ReplayTolerance(parsing: text))
      } catch { throw ValidationError("--tolerate: \(Self.text(error))") }
    }
    return options
  }

  private static func text(_ problem: ReplayTolerance.Problem) -> String {
    switch problem {
    case .unknown(let text):
      """
      \(text) is not a rule: rules are \(rules); \(kinds); or a message by name or number (`iap2 messages`), alone, \
      after missing:, extra:, order: or parameter:, or followed by .PARAMETER
      """
    case .unknownMessage(let name):
      "the catalog has no message \(name); `iap2 messages` lists all, and any number has the form 0x1234"
    case .unknownParameter(let name, let message):
      """
      \(ComparisonWords.message(message)) has no parameter \(name); \
      `iap2 messages \(MessageCatalog.text(message))` lists them
      """
    case .notOfMessages(let kind):
      "differences of the kind \(kind.rawValue) belong to no message: give \(kind.rawValue) alone"
    }
  }

  private func port(_ clock: any RuntimeClock) async throws -> AuthenticationPort {
    switch role {
    case .headUnit: return .authenticator(try await signing.open(clock: clock))
    case .phone:
      var judging = PhoneOptions()
      judging.authentication = authentication.flatMap { $0 == "recorded" ? nil : $0 } ?? "any"
      return .verifier(try judging.verifier())
    }
  }

  func run() async throws {
    Output.continueWithoutReader()
    if carplay { return try await playSession() }
    let record = try CaptureInput.session(
      file, options: source.options, connection: connection, limits: ReplayScript.recordLimits
    ).session
    let script = ReplayScript(record, as: role.side)
    if let capture, OutputFile.isSame(file, capture) {
      throw CommandFailure(.usage, "\(capture) is the recording itself: name another capture file")
    }
    guard script.steps.contains(where: { $0.content != .end }) else {
      throw CommandFailure(.badInput, "\(file) has a link, but no messages to play; `iap2 decode` shows its contents")
    }
    let options = try options()
    let plan = try faults.drawn(events: Self.faultEvents)
    @Sendable func session(_ clock: any RuntimeClock) async throws -> ReplaySession {
      ReplaySession(
        script: script, role: role, replay: options, port: try await port(clock), loops: loop, json: json,
        capturePath: capture, fault: plan, linkTimeout: timeout.map { .milliseconds(Int($0 * 1000)) })
    }
    let total: ReplayTotal
    if let address = try address() {
      let clock = WallClock()
      total = try await session(clock).play(on: address, clock: clock)
    } else {
      let peer = ReplayPeer(
        record, role: role, profile: try profile.map { try ScenarioFile.profile($0, of: role.peer) },
        scenario: try scenario.map { try ScenarioFile.read($0) })
      // A keyboard and a chip need real time.
      if try step || signing.coprocessor()?.isEmulated == false {
        let clock = WallClock()
        total = try await session(clock).play(against: peer, clock: clock, start: CaptureFile.wallClock())
      } else {
        total = try VirtualTime.run { clock in
          try await session(clock).play(
            against: peer, clock: clock, start: Int64(LocationFix.plainStart) * 1_000_000_000)
        }
      }
    }
    if json { try Output.json(total.line) }
    if !total.isEqual { throw ExitStatus.failed.code }
  }
}
