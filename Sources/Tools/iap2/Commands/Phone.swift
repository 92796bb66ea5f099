// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CarPlayInnerLink
import CarPlaySession
import CommandSupport
import Foundation
import IAP2
import IAP2Authentication
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import IAP2Transports
import Synchronization

struct PhoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone", abstract: "Play a phone, the device's side, over a transport.",
    discussion: """
      Examples:
        iap2 phone --transport tcp:127.0.0.1:7000
        iap2 phone --transport tcp:127.0.0.1:7000 --once --open com.example.echo --send request --receive answer
        iap2 phone --transport tcp:127.0.0.1:7000 --once --open com.example.echo --send in.bin --expect-echo
        iap2 phone --transport unix-listen:/tmp/iap2.sock --authentication any --json
        iap2 phone --transport tcp:127.0.0.1:7000 --profile slow-phone
        iap2 phone --transport usb
        iap2 phone --transport usb-gadget-phone
        iap2 phone --transport rfcomm-listen --carplay --announce --wifi-join 'nmcli device wifi connect "$WIFI_SSID" password "$WIFI_PASSPHRASE"'
        iap2 phone --transport tcp:127.0.0.1:7000 --carplay --video film.h264 --music music.pcm --once
      """)

  @OptionGroup var live: LiveOptions
  @OptionGroup var play: PlayOptions
  @OptionGroup var judging: PhoneOptions

  @Option(help: "Open an EA session of this protocol.")
  var open: String?

  @Option(help: "With --open: send this file over the session (default: standard input).")
  var send: String?

  @Option(help: "With --open: store the received bytes in this file (default: standard output).", completion: .file())
  var receive: String?

  @Option(
    help: ArgumentHelp(
      "With --open: seconds without a byte from the accessory that end the session, once the whole input was sent (default: 2; with --expect-echo: no limit). Exit 1 if nothing came; with 0 no answer is expected.",
      valueName: "seconds"))
  var linger: Double?

  @Flag(
    help:
      "With --open: the accessory sends back what it receives. The session ends when as many bytes have come back as were sent; exit 1 if they differ."
  )
  var expectEcho = false

  @Flag(
    name: .customLong("carplay"),
    help:
      "Offer CarPlay, and have a session on the network when the head unit starts it. A capture in pcapng has its sockets, too."
  )
  var isCarPlay = false

  @OptionGroup(title: "With --carplay") var carPlay: CarPlayPhoneOptions
  @OptionGroup(title: "With --carplay") var found: PhoneDiscoveryOptions
  @OptionGroup(title: "With --carplay") var joining: JoinOptions
  @OptionGroup(title: "With --carplay") var sessionFaults: SessionFaultOptions

  func validate() throws {
    guard isCarPlay || !carPlay.isGiven && !sessionFaults.isGiven && !found.isGiven && !joining.isGiven else {
      throw ValidationError("options of CarPlay need --carplay")
    }
    try sessionFaults.check(seed: live.life.faults.seed)
    try live.life.check(hasSession: isCarPlay)
    guard carPlay.connect == nil || !found.isGiven else {
      throw ValidationError("--connect names the head unit: leave out --find and --announce")
    }
    if let name = live.name, found.announce { try DiscoveryName.check(name, of: "--name") }
    guard !found.isGiven || !live.once else {
      throw ValidationError("--once ends with the first link, and --find and --announce go on behind it: leave one out")
    }
    guard !isCarPlay || open == nil else { throw ValidationError("--carplay and --open exclude each other") }
    try live.check(.device)
    guard open == nil || play.scenario == nil else {
      throw ValidationError("--scenario opens its own sessions: leave out --open")
    }
    guard open != nil || send == nil && receive == nil else {
      throw ValidationError("--send and --receive need --open")
    }
    guard open != nil || linger == nil && !expectEcho else {
      throw ValidationError("--linger and --expect-echo need --open")
    }
    if let linger, !(linger >= 0 && linger < 1e6) { throw ValidationError("--linger takes seconds, 0 or more") }
  }

  func run() async throws {
    let clock = WallClock()
    let scenario = try play.scenario.map { try ScenarioFile.read($0) }
    var profile = scenario?.phone ?? PhoneProfile()
    var behavior = scenario?.phoneBehavior
    if let name = play.profile { (profile, behavior) = try ScenarioFile.phone(name) }
    if let order = judging.order { profile.order = order }
    if let name = live.name { profile.state.name = name }
    let isOverAir = try isCarPlay && (live.address().isBluetooth || joining.isGiven)
    if isOverAir, play.scenario == nil, play.profile == nil {
      (profile.state.offersCarPlay, profile.state.offersWirelessCarPlay) = (false, true)
    }
    let life = try live.life.live(scenario, hasSession: isCarPlay, hasSessionFaults: sessionFaults.needsSeed)
    let faults = FaultInjection(life.fault ?? scenario?.changeablePlan(seed: life.seed), side: .device, clock: clock)
    let capture = try live.openCapture(hasSockets: isCarPlay, hasSecrets: carPlay.secrets.isGiven)
    let losses = NoticeLosses()
    var options = try live.options(clock: clock, behavior: behavior, life: life)
    options.losesEndingNotice = { losses.take(.phone) }
    let phone = Phone(profile: profile, verifier: try judging.verifier(), options: options)
    guard let open else {
      let script = scenario.map { LiveScenario($0, role: .phone, faults: faults, losses: losses) }
      await script?.hold(on: phone)
      let end = LiveEnd()
      let keyLog = try carPlay.secrets.open(beside: capture?.tap)
      let plan = try sessionFaults.plan(seed: life.seed)
      // A refused command leaves complete pairings.
      let pairings = isCarPlay ? try CarPlayPhoneRun.pairings(carPlay) : nil
      let discovery = pairings.flatMap {
        found.discovery(
          $0, name: live.name, sourceVersion: carPlay.generation.sourceVersion, json: live.json, clock: clock)
      }
      let content = isCarPlay ? try PhoneContent(carPlay, isOpen: !live.once && script == nil) : nil
      let gate = AirGate()
      let innerOptions = try live.options(clock: clock, behavior: nil, life: life)
      let inner =
        isOverAir ? LiveInnerLink(InnerLink(profile, verifier: try judging.verifier(), options: innerOptions)) : nil
      let link = try content.map {
        try carPlayLink(phone, $0, discovery, gate, inner, end, clock, script, faults, plan, capture?.tap, keyLog)
      }
      let joiner = joining.wifiJoin.map { WiFiJoiner($0) }
      let play = script.map {
        ScenarioPlay($0, live: phone, endsConnection: live.once) {
          await $0.play(phone: phone, carPlay: link?.step, clock: clock)
        }
      }
      let session = LiveSession(
        role: .phone, live: phone, options: live, clock: clock, life: life, faults: faults, capture: capture, end: end,
        gate: { [isCaller = try live.address().isCaller] in if isCaller { await gate.wait() } },
        rest: { [finds = found.isGiven] in if isOverAir { await gate.waitForEnd(finds: finds) } },
        onStop: {
          gate.stop()
          await link?.stop()
        },
        onEvent: { event in
          play?.handle(event)
          joiner?.take(event)
          await link?.take(event)
          await link?.pass(event, from: phone)
        })
      let serve = {
        try await discovery?.open(tap: capture?.tap)
        let finding = Task { await link?.find() }
        try await session.serve(acceptsAnyEnd: play != nil) {
          if !live.once { await link?.stop() }
          await finding.value
          await link?.waitForEnd()
          joiner?.end()
          return await play?.isComplete() ?? true && (link?.isComplete ?? true || !live.once || play != nil)
            && keyLog?.isComplete != false && link?.hasFailed != true
        }
      }
      guard let content else { return try await serve() }
      return try await content.whileOpen(serve)
    }
    if let send { _ = try InputFile.open(send) }
    let output = try receive.flatMap { try $0 == "-" ? nil : OutputFile.open($0) } ?? .standardOutput
    let silence = linger.map { Int($0 * 1000) } ?? (expectEcho ? nil : ExternalAccessoryTransfer.standardLinger)
    let rules = ExternalAccessoryTransfer(
      expectsEcho: expectEcho, lingerMilliseconds: silence, closesSession: live.once || !expectEcho, clock: clock)
    let transfer = Transfer(
      phone: phone, protocolName: open, inputPath: send, output: output, rules: rules, endsConnection: live.once)
    let session = LiveSession(
      role: .phone, live: phone, options: live, clock: clock, life: life, faults: faults, capture: capture,
      jsonToStandardError: receive == nil,
      onEvent: { transfer.handle($0) })
    try await session.serve { await transfer.finished() }
  }

  private func carPlayLink(
    _ phone: Phone, _ content: PhoneContent, _ discovery: PhoneDiscovery?, _ gate: AirGate, _ inner: LiveInnerLink?,
    _ end: LiveEnd,
    _ clock: any RuntimeClock, _ script: LiveScenario?,
    _ linkFaults: FaultInjection, _ faults: FaultPlan, _ tap: SocketTap?, _ keyLog: KeyLog?
  ) throws -> CarPlayLink {
    let verifier = try judging.verifier()
    // Without content, and with the steps of a scenario, the session goes on until its link ends.
    let isBrief = live.once && script == nil && !content.isEmpty
    let count = Atomic(0)
    return CarPlayLink(
      fixed: carPlay.connect, isOnCable: try live.address().hasUSBDevice, discovery: discovery, inner: inner, end: end,
      ends: isBrief ? .always : live.once ? .onFailure : .never
    ) {
      [carPlay, live] places, expected in
      try CarPlayPhoneRun(
        carPlay, content: content, places: places, verifier: verifier, expected: expected, name: live.name,
        json: live.json, isBrief: isBrief, duration: nil, isLinked: true, inner: inner, faults: faults,
        number: count.wrappingAdd(1, ordering: .relaxed).oldValue, tap: tap,
        keyLog: keyLog, clock: clock,
        onReport: { await phone.show($0, after: $1) },
        onEvent: {
          discovery?.take($0)
          gate.take($0)
          linkFaults.happened($0, of: .phone)
          script?.handle(carPlay: $0, linkCause: $1)
        })
    }
  }
}
