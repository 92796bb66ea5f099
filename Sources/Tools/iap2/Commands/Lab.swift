// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCapture
import CarPlayCommand
import CarPlayControl
import CarPlaySession
import CommandSupport
import Foundation
import IAP2
import IAP2Authentication
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import IAP2Transports
import Lab

struct LabCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lab", abstract: "Show a session in the browser: screen, phone, messages, faults and a recorder.",
    usage: "iap2 lab [<options>] [<file>] [-- <argument> ...]",
    discussion: """
      Serves one page on this machine and prints its address. Without a file and --app, a head unit and a phone in \
      memory play the day's scenario, paused at its first step, or that of --scenario; both take further steps. With \
      --app, an app in an emulated car: its live screen \
      takes mouse and keys, each call and message stands in a ladder, time can be stopped, and what was clicked becomes \
      a scenario or a test in Swift. With --headunit or --phone, one role of this program against somebody else's on \
      any transport, in real time. With a file, a recorded session of any format of `iap2 decode`. Ctrl-C ends it.

      The address has a secret: only pages with it are answered. Whoever has it drives the app, so keep it, and use \
      --listen with other than 127.0.0.1 only in a network that you trust. --listen 0.0.0.0:8080 serves all interfaces \
      of this machine and prints an address for each. --open opens a file that only you can read and that leads to the \
      address, so that no list of processes shows the secret.

      Examples:
        iap2 lab
        iap2 lab --scenario lost-notification --speed 10
        iap2 lab --app Examples/NavigationApp
        iap2 lab --app Examples/RadioApp --car knob --open
        iap2 lab --headunit tcp:127.0.0.1:7000
        iap2 lab --headunit tcp:127.0.0.1:7000 --app Examples/NavigationApp
        iap2 lab --phone tcp-listen:127.0.0.1:7000 --carplay
        iap2 lab captures/real/boya-mini2.txt
      """)

  @Argument(help: "A recorded session.", completion: .file())
  var file: String?

  @OptionGroup var keys: SessionKeyOptions

  @Argument(parsing: .postTerminator, help: "Arguments of the app, after --.")
  var arguments: [String] = []

  @Option(help: "An app: an executable, or the folder of a package, which is built first.", completion: .file())
  var app: String?

  @Option(help: "The name of the package's executable, if it has several.")
  var product: String?

  @Option(
    help: "The car of --app, or the head unit of --carplay: a profile or a file, as of iap2 car (default: standard).",
    completion: .names { ScenarioList.carNames })
  var car: String?

  @Option(
    help: "What both roles play: a scenario of iap2 run, or a file (default: day).",
    completion: .names { BundledScenarios.names + BundledCarScenarios.names })
  var scenario: String?

  @Option(
    help: ArgumentHelp(
      "Somebody else's head unit on this transport; this program plays the phone.", valueName: "transport"))
  var headunit: String?

  @Option(
    help: ArgumentHelp(
      "Somebody else's phone on this transport; this program plays the head unit.", valueName: "transport"))
  var phone: String?

  @Flag(
    name: .customLong("carplay"),
    help: """
      With --headunit or --phone: CarPlay sessions on the network, too. The page shows their pictures. With --headunit \
      the phone shows --app, or its own screens; with --phone the mouse is a finger on the head unit's screen.
      """)
  var carplay = false

  @Option(
    name: .customLong("carplay-listen"),
    help: ArgumentHelp(
      "With --phone and --carplay: where phones reach the head unit (default: 127.0.0.1:0).", valueName: "host:port"))
  var carplayListen: HostPort?

  @Option(help: ArgumentHelp("Serve here (default: 127.0.0.1:8080, or a free port).", valueName: "host:port"))
  var listen: HostPort?

  @Flag(help: "Build the app's package again and restart the app whenever one of its sources changes.")
  var watch = false

  @Flag(help: "Open the page in the browser.")
  var open = false

  @Option(help: "The speed of the time if both sides are ours, 0.1 to 100 (default: 1).")
  var speed = 1.0

  @Flag(help: "Print the address as JSON, for programs that drive the page.")
  var headlessCheck = false

  func validate() throws {
    guard [file, headunit == nil ? app : nil, scenario, headunit, phone].count(where: { $0 != nil }) <= 1 else {
      throw ValidationError(
        "choose one of a recorded session, --app, --scenario, --headunit (with --app, too) and --phone")
    }
    _ = try peer
    guard !carplay || headunit != nil || phone != nil else {
      throw ValidationError("--carplay is for --headunit and --phone")
    }
    guard carplayListen == nil || carplay && phone != nil else {
      throw ValidationError("--carplay-listen is for --phone with --carplay")
    }
    guard car == nil || app != nil && headunit == nil || carplay && phone != nil else {
      throw ValidationError("--car is for --app, and for --phone with --carplay")
    }
    guard app != nil || product == nil else { throw ValidationError("--product is for --app") }
    guard app != nil && headunit == nil || arguments.isEmpty && !watch else {
      throw ValidationError("--watch and arguments are for --app in an emulated car")
    }
    guard keys.keyLogs.isEmpty || file != nil else { throw ValidationError("--key-log is for a recorded session") }
    guard speed == 1 || file == nil && headunit == nil && phone == nil else {
      throw ValidationError("--speed is for sessions whose both sides are ours")
    }
    guard LabRequest.speeds.contains(speed) else { throw ValidationError("--speed takes 0.1 to 100") }
  }

  func run() async throws {
    Output.continueWithoutReader()
    let hub = LabHub()
    if let (role, address) = try peer { return try await meet(address, as: role, hub) }
    if let app { return try await drive(app, hub) }
    guard let file else { return try await play(scenario ?? BundledScenarios.standard, hub) }
    let bytes = try InputFile.bytes(file == "-" ? "/dev/stdin" : file, limit: Self.maximumByteCount)
    let name = URL(filePath: file).lastPathComponent
    let secrets = try keys.secrets()
    var (reading, explaining) = (CaptureAnalyzerOptions(), CaptureAnalyzerOptions())
    reading.sessions = CarPlaySessions(secrets)
    explaining.sessions = CarPlaySessions(secrets, explains: true, sortsPackets: true, reportsFindings: false)
    guard let session = CaptureLab(bytes, name: name, reading, explaining: explaining, hub: hub) else {
      throw CommandFailure(.badInput, "nothing in \(file) could be decoded as iAP2; iap2 decode \(file) says more")
    }
    let server = try await serve(hub, session)
    let ended = AsyncStream<Never>.makeStream()
    let end: @Sendable () -> Void = { ended.continuation.finish() }
    _ = await StopSignal.finish(note: nil, ending: end) {
      await announce(server)
      for await _ in ended.stream {}
    }
    await server.close()
  }

  /// The role of this program against a live peer, and the transport; nil for another session.
  private var peer: (role: Role, address: AnyTransportAddress)? {
    get throws {
      if let headunit { return (.phone, try AnyTransportAddress(option: headunit, as: .device)) }
      return try phone.map { (.headUnit, try AnyTransportAddress(option: $0, as: .accessory)) }
    }
  }

  /// Plays one role against a live peer until Ctrl-C.
  private func meet(_ address: AnyTransportAddress, as role: Role, _ hub: LabHub) async throws {
    let lab = try await liveLab(address, as: role, hub)
    let server = try await serve(hub, lab)
    _ = await StopSignal.finish(note: nil, ending: lab.end) {
      await announce(server)
      // A task of its own is not cancelled: the connection ends in order.
      await Task { await lab.run(report: Output.note) }.value
    }
    await server.close()
  }

  private func liveLab(_ address: AnyTransportAddress, as role: Role, _ hub: LabHub) async throws -> LiveLab {
    let (clock, losses) = (WallClock(), NoticeLosses())
    let log = SessionLog(hub, main: role == .phone ? .phone : .headUnit)
    var options = RoleOptions()
    options.clock = clock
    options.losesEndingNotice = { losses.take(role) }
    func lab(_ player: LiveLab.Player, _ session: (any LabCarPlay)?) -> LiveLab {
      LiveLab(
        player, at: address, name: headunit ?? phone ?? "", hub: hub, log: log, losses: losses, carPlay: session,
        clock: clock)
    }
    switch role {
    case .headUnit:
      let session =
        carplay ? try await LabHeadUnitSession(listen: carplayListen, car: car, log: log, clock: clock) : nil
      var profile = HeadUnitProfile.standard(features: HeadUnitFeatures.standard.union(.hid))
      try session?.run.advertise(in: &profile)
      return lab(.headUnit(HeadUnit(profile: profile, options: options)), session)
    case .phone:
      // The lab shows what an accessory does, so any certificate will do.
      let phone = Phone(verifier: .any, options: options)
      let session =
        carplay || app != nil
        ? try LabPhoneSession(app: app, product: product, phone: phone, log: log, clock: clock) : nil
      return lab(.phone(phone), session)
    }
  }

  /// Plays a scenario in memory until Ctrl-C.
  private func play(_ name: String, _ hub: LabHub) async throws {
    let (scenario, yaml) = try readScenario(name)
    if let program = scenario.servedByProgram {
      Output.note("a program serves \(program), and answers in real time: keep the speed at 1")
    }
    let lab = ScenarioLab(LabScenario(scenario, name: name, yaml: yaml), hub: hub, isPaused: true, speed: speed)
    let server = try await serve(hub, lab)
    _ = await StopSignal.finish(note: nil) {
      await announce(server)
      await lab.run()
    }
    await server.close()
  }

  private func readScenario(_ name: String) throws -> (scenario: Scenario, yaml: String) {
    do { return try ScenarioFile.readWithText(name) } catch let failure as CommandFailure {
      guard let text = try? String(decoding: InputFile.bytes(name), as: UTF8.self),
        (try? CarScenario(yaml: text, file: name)) != nil
      else { throw failure }
      throw CommandFailure(
        .badInput, "\(name) is a scenario of an app: iap2 run plays it, and iap2 lab --app shows an app in its car")
    }
  }

  /// The largest file that is read, because it is kept. Its last rows are shown.
  private static let maximumByteCount = 256 << 20

  /// Runs an app in its car until Ctrl-C.
  private func drive(_ app: String, _ hub: LabHub) async throws {
    let stop = StopRequest()
    let failure = await StopSignal.finish(note: nil, ending: stop.make) { () -> CommandFailure? in
      do {
        try await drive(app, hub, stop)
        return nil
      } catch let failure as CarFailure {
        return failure.kind == .stopped ? nil : CommandFailure(failure)
      } catch { return error as? CommandFailure ?? CommandFailure(.failed, "\(error)") }
    }.result
    if let failure { throw failure }
  }

  private func drive(_ app: String, _ hub: LabHub, _ stop: StopRequest) async throws {
    let choice = try CarSession.choice(of: car ?? "standard")
    let program = try AppProgram.executable(app, product: product, stop: stop, note: Output.note)
    var start = CarLab.Choice(
      app: app, program: program, arguments: arguments, car: choice, isPaused: false, speed: speed)
    if watch {
      guard app != program else { throw CommandFailure(.usage, "--watch needs the folder of a package, not a program") }
      start.rebuild = { [product] (stop) throws(CarFailure) in
        try AppProgram.executable(app, product: product, stop: stop, note: Output.note)
      }
    }
    let lab = try CarLab(start, hub: hub, stop: stop)
    let server = try await serve(hub, lab)
    let announcing = AsyncStream<Void>.makeStream()
    let announcer = Task {
      for await _ in announcing.stream { await announce(server) }
    }
    let failure = await withCheckedContinuation { (ended: CheckedContinuation<CarFailure?, Never>) in
      let thread = Thread {
        do throws(CarFailure) {
          try lab.run { announcing.continuation.yield() }
          ended.resume(returning: nil)
        } catch { ended.resume(returning: error) }
      }
      thread.name = "iap2-lab"
      thread.start()
    }
    announcing.continuation.finish()
    await announcer.value
    await server.close()
    if let failure { throw failure }
  }

  // MARK: The server

  private func serve(_ hub: LabHub, _ session: any LabSession) async throws -> LabServer {
    do throws(LabServer.Problem) {
      guard let listen else {
        do { return try await LabServer.serve(host: "127.0.0.1", port: 8080, hub: hub, session: session) } catch {
          // Another lab has the usual port.
          return try await LabServer.serve(host: "127.0.0.1", port: 0, hub: hub, session: session)
        }
      }
      return try await LabServer.serve(host: listen.host, port: listen.port, hub: hub, session: session)
    } catch {
      throw CommandFailure(.unavailable, "--listen \(listen?.description ?? "127.0.0.1:0"): \(error.reason)")
    }
  }

  private func announce(_ server: LabServer) async {
    if headlessCheck {
      Output.tryJSON(LabAddress(address: server.addresses[0], addresses: server.addresses))
    } else {
      Output.line("the lab is at \(server.addresses[0]) (Ctrl-C ends it)")
      for address in server.addresses.dropFirst() { Output.line("other machines find it at \(address)") }
    }
    guard open else { return }
    let isUnknown = "--open: no program opens a browser here; open the address yourself"
    guard let path = server.makeRedirect() else { return Output.note(isUnknown) }
    do {
      _ = try ShellCommand("exec xdg-open '\(path)'", failure: "--open") { if $0 != 0 { Output.note(isUnknown) } }
    } catch { Output.note(isUnknown) }
  }
}

/// The line of `--headless-check`.
private struct LabAddress: Encodable {
  var address: String
  var addresses: [String]
}
