// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CarPlayInnerLink
import CarPlaySession
import CommandSupport
import Foundation
import IAP2
import IAP2Faults
import IAP2Formats
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Sockets
import IAP2Transport
import IAP2Transports
import IAP2USB

struct HeadUnitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "headunit", abstract: "Play a head unit, the accessory's side, over a transport.",
    discussion: """
      Examples:
        iap2 headunit --transport tcp-listen:127.0.0.1:7000 --external-accessory com.example.echo=echo
        iap2 headunit --transport unix:/tmp/iap2.sock --once --json
        iap2 headunit --transport pty
        iap2 headunit --transport usb-gadget
        iap2 headunit --transport usb-gadget --external-accessory com.example.video=echo,native
        iap2 headunit --transport usb-phone
        iap2 headunit --transport usb-phone+carplay
        iap2 headunit --transport rfcomm-listen
        iap2 headunit --transport rfcomm:00:AA:01:01:00:01
        iap2 headunit --transport tcp-listen:127.0.0.1:7000 --profile microphone
        iap2 headunit --transport tcp-listen:127.0.0.1:7000 --carplay --screen film.h264
        iap2 headunit --transport usb-gadget --carplay --screen film.h264
        iap2 headunit --transport rfcomm-listen --carplay --announce 'My car' --call any --wifi 'My car' --wifi-passphrase 'a secret'
        iap2 headunit --transport usb-gadget --authenticator i2c:/dev/i2c-1
      """)

  @OptionGroup var live: LiveOptions
  @OptionGroup var play: PlayOptions

  @Option(
    name: .customLong("external-accessory"),
    help: ArgumentHelp(
      "Serve an EA protocol: echo, discard, stdio or tcp:HOST:PORT; with ,native appended, on USB endpoints of its own (usb-gadget). Repeatable.",
      valueName: "protocol=service[,native]"))
  var services: [String] = []

  @OptionGroup var authentication: AuthenticatorOptions

  @Flag(
    name: .customLong("carplay"),
    help: "Serve CarPlay sessions on the network, which the phone starts. A capture in pcapng has their sockets, too.")
  var isCarPlay = false

  @OptionGroup(title: "With --carplay") var carPlay: CarPlayHeadUnitOptions
  @OptionGroup(title: "With --carplay") var found: HeadUnitDiscoveryOptions
  @OptionGroup(title: "With --carplay") var accessPoint: AccessPointOptions
  @OptionGroup(title: "With --carplay") var sessionFaults: SessionFaultOptions

  private static let nativeSuffix = ",native"

  enum Service: Sendable {
    case echo, discard, stdio
    case tcp(host: String, port: Int)

    /// Whether the bytes of the service are those of the standard input and output.
    var usesStandardInput: Bool { if case .stdio = self { true } else { false } }
  }

  func validate() throws {
    let address = try live.address()
    try live.check(.accessory)
    if try parsedServices().contains(where: \.isNative), !address.carriesNatives {
      throw ValidationError(
        "--external-accessory …,native needs \(USBGadgetAddress.form), or \(USBPhoneAddress.scheme) and a role switch")
    }
    guard isCarPlay || !carPlay.isGiven && !sessionFaults.isGiven && !found.isGiven && !accessPoint.isGiven else {
      throw ValidationError("options of CarPlay need --carplay")
    }
    if carPlay.driver, try parsedServices().contains(where: { $0.service.usesStandardInput }) {
      throw ValidationError("the standard input has the lines of --driver or the bytes of stdio, not both")
    }
    try sessionFaults.check(seed: live.life.faults.seed)
    try live.life.check(hasSession: isCarPlay)
    guard services.isEmpty || play.scenario == nil && play.profile == nil else {
      throw ValidationError(
        "--scenario and --profile define the protocols: leave out --external-accessory")
    }
  }

  func run() async throws {
    let services = try parsedServices()
    let clock = WallClock()
    let scenario = try play.scenario.map { try ScenarioFile.read($0) }
    var profile: HeadUnitProfile
    var behavior: Behavior?
    var served: [String: Scenario.Service] = [:]
    if let name = play.profile {
      (profile, served, behavior) = try ScenarioFile.headUnit(name)
    } else if let scenario {
      (profile, served, behavior) = (scenario.headUnit, scenario.services, scenario.headUnitBehavior)
    } else {
      let features: HeadUnitFeatures = try isCarPlay && live.address().isBluetooth ? .wireless : .standard
      profile = .standard(protocols: services.map(\.name), features: features)
      profile.identification.makeNative(Set(services.filter(\.isNative).map(\.name)))
    }
    let functions = try usbFunctions(&profile)
    if let name = live.name { profile.identification.name = name }
    if isCarPlay { try accessPoint.apply(to: &profile) }
    let chip = try await authentication.open(clock: clock)
    let life = try live.life.live(scenario, hasSession: isCarPlay, hasSessionFaults: sessionFaults.needsSeed)
    let faults = FaultInjection(life.fault ?? scenario?.changeablePlan(seed: life.seed), side: .accessory, clock: clock)
    let losses = NoticeLosses()
    let capture = try live.openCapture(hasSockets: isCarPlay, hasSecrets: carPlay.secrets.isGiven)
    let script = scenario.map { LiveScenario($0, role: .headUnit, faults: faults, losses: losses) }
    let keyLog = try carPlay.secrets.open(beside: capture?.tap)
    let (link, gate) = (LinkedHeadUnit(), AirGate())
    let isOverAir =
      try isCarPlay && profile.identification.wirelessCarPlayTransportComponent != nil
      && !live.address().carriesNatives
    let innerOptions = try live.options(clock: clock, behavior: nil, life: life)
    let inner = isOverAir ? LiveInnerLink(InnerLink(profile, authenticator: chip, options: innerOptions)) : nil
    let session =
      isCarPlay
      ? try CarPlayHeadUnitRun(
        carPlay, found: found, authenticator: chip, json: live.json, isLinked: true,
        isReachable: live.address().carriesNatives || live.address().isRemote || isOverAir, inner: inner,
        faults: try sessionFaults.plan(seed: life.seed),
        tap: capture?.tap, keyLog: keyLog, clock: clock
      ) { event, cause in
        link.take(event)
        gate.take(event)
        faults.happened(event, of: .headUnit)
        script?.handle(carPlay: event, linkCause: cause)
      } : nil
    try await session?.open()
    try session?.advertise(in: &profile)
    var options = try live.options(clock: clock, behavior: behavior, life: life)
    options.losesEndingNotice = { losses.take(.headUnit) }
    let headUnit = HeadUnit(
      profile: profile, authenticator: behavior?.authenticator(chip, clock: clock) ?? chip, options: options)
    if isOverAir { link.set(headUnit) }
    for (name, service, _) in services { await headUnit.serve(name) { await Self.run(service, $0) } }
    for (name, service) in served { await headUnit.serve(name) { await Self.serve(service, $0) } }
    let usesStandardOutput = services.contains(where: { $0.service.usesStandardInput })
    let play = script.map { script in
      ScenarioPlay(script, live: headUnit, endsConnection: live.once) {
        await $0.play(headUnit: headUnit, carPlay: session?.step, clock: clock)
      }
    }
    let cable = CableInterface()
    try await LiveSession(
      role: .headUnit, live: headUnit, options: live, clock: clock, life: life, faults: faults, capture: capture,
      functions: functions,
      offersCarPlay: profile.identification.wirelessCarPlayTransportComponent != nil,
      jsonToStandardError: usesStandardOutput, onNotice: { cable.take($0.interface) },
      prepare: { if let interface = cable.name { await session?.turnOn(interface, for: headUnit) } },
      gate: { [isCaller = try live.address().isCaller] in if isCaller { await gate.wait() } },
      rest: { [finds = found.isGiven] in if isOverAir { await gate.waitForEnd(finds: finds) } },
      onStop: { gate.stop() },
      onEvent: { event in
        play?.handle(event)
        await session?.take(event)
      }
    ).serve(acceptsAnyEnd: play != nil) {
      let isComplete = await Self.close(session)
      await inner?.close()
      return await play?.isComplete() ?? true && (isComplete || !live.once) && keyLog?.isComplete != false
    }
  }

  /// Ends CarPlay, and returns whether its session was complete; true without one.
  private static func close(_ session: CarPlayHeadUnitRun?) async -> Bool {
    do { return try await session?.close() ?? true } catch {
      Output.note((error as? CommandFailure)?.text ?? "\(error)")
      return false
    }
  }

  /// Returns the gadget's functions beside the link, and writes the number of CarPlay's interface into the
  /// identification.
  private func usbFunctions(_ profile: inout HeadUnitProfile) throws -> AccessoryFunctions {
    guard try live.address().carriesNatives else { return AccessoryFunctions() }
    let functions = AccessoryFunctions(profile.identification)
    guard functions.interfaceCount <= AccessoryFunctions.maximumInterfaces else {
      throw CommandFailure(
        .badInput,
        "\(functions.nativeProtocols.count) native protocols are too many: a USB device has at most \(AccessoryFunctions.maximumInterfaces) interfaces"
      )
    }
    if let interface = functions.carPlayInterface { profile.identification.setCarPlayInterface(interface) }
    return functions
  }

  private func parsedServices() throws -> [(name: String, service: Service, isNative: Bool)] {
    var seen: Set<String> = []
    guard services.count <= HeadUnitProfile.maximumProtocols else {
      throw ValidationError("--external-accessory: at most \(HeadUnitProfile.maximumProtocols) protocols")
    }
    return try services.map { text in
      guard let equals = text.lastIndex(of: "="), equals > text.startIndex else {
        throw ValidationError("--external-accessory takes PROTOCOL=SERVICE, not \(text)")
      }
      let name = String(text[..<equals])
      var service = String(text[text.index(after: equals)...])
      let isNative = service.hasSuffix(Self.nativeSuffix)
      if isNative { service.removeLast(Self.nativeSuffix.count) }
      guard name.utf8.count <= LiveOptions.maximumNameByteCount else {
        throw ValidationError("--external-accessory: a protocol has at most \(LiveOptions.maximumNameByteCount) bytes")
      }
      guard seen.insert(name).inserted else { throw ValidationError("--external-accessory names \(name) twice") }
      switch service {
      case "echo": return (name, .echo, isNative)
      case "discard": return (name, .discard, isNative)
      case "stdio": return (name, .stdio, isNative)
      default:
        do {
          guard case .tcp(let host, let port) = try TransportAddress(parsing: service) else {
            throw ValidationError(
              "--external-accessory: a service is echo, discard, stdio or tcp:HOST:PORT, not \(service)")
          }
          return (name, .tcp(host: host, port: port), isNative)
        } catch is TransportAddress.Problem {
          throw ValidationError(
            "--external-accessory: a service is echo, discard, stdio or tcp:HOST:PORT, not \(service)")
        }
      }
    }
  }

  private static func serve(_ service: Scenario.Service, _ stream: ExternalAccessoryStream) async {
    await LiveScenario.serve(service, stream) { Output.note(CommandFailure($0).text) }
  }

  private static func run(_ service: Service, _ stream: ExternalAccessoryStream) async {
    switch service {
    case .echo: await LiveScenario.serve(.echo, stream)
    case .discard: await LiveScenario.serve(.discard, stream)
    case .stdio: await StandardStreams.join(stream)
    case .tcp(let host, let port): await serve(.program(.tcp(host: host, port: port)), stream)
    }
  }
}
