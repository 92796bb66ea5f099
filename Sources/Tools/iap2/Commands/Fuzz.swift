// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import ConformanceCommand
import Foundation
import IAP2
import IAP2Conformance
import IAP2Faults
import IAP2Fuzzing
import IAP2Roles
import IAP2Runtime
import IAP2Simulation
import IAP2Transport
import IAP2Transports
import Synchronization

struct Fuzz: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a peer a valid session up to some step, then malformed messages, and report its reaction.",
    discussion: """
      Use it on equipment you own: it sends malformed messages on purpose. It accepts only sockets of this machine, \
      devices on its USB and serial ports, and loopback, which is this program's other role.

      Each round is one connection. Lengths and checksums of a changed packet are corrected, so that the packet passes \
      the link layer. Then the peer is observed: it resets the link (reset), closes the transport (closed), or is \
      silent (hang). Half of the rounds change the session itself, the others an EA session or a file, which they open. \
      After the changes the peer is asked above the link: for a message, EA data or a file that it answers in a clean \
      session. A peer that only acknowledges is a hang too. The report says which states, messages and sessions the \
      rounds reached. If the session did not end in order, a clean session must come up afterwards; otherwise the \
      finding is a crash or a hang. The capture of every finding is stored, with the command that repeats the round. \
      Exit code 1 after a hang or a crash, after Ctrl-C, and if a capture could not be stored; a reset and a closed \
      transport are valid reactions. With --fault, faults are injected into the rounds and not into the clean \
      sessions, and their effect counts as the peer's: a cut cable is a closed transport.

      If the peer is not restarted between rounds, a finding may depend on several rounds. If --round N alone does not \
      show it, use the seed with --rounds N+1.

      With --carplay the rounds are CarPlay sessions over TCP: each one is an ordinary session of which up to four \
      messages are changed. Afterwards a clean session must come up; otherwise the finding is a crash or a hang. A \
      finding is a file with its changes, and if --restart can start the peer again, with the fewest that still show \
      it. --replay plays such a file.

      Examples:
        iap2 fuzz --as phone --transport loopback --rounds 1000
        iap2 fuzz --as headunit --transport tcp:127.0.0.1:7000 --seed 7
        iap2 fuzz --as phone --transport usb --seed 7 --round 41
        iap2 fuzz --carplay --as phone --transport tcp:127.0.0.1:7000 --restart './headunit --port 7000'
        iap2 fuzz --carplay --as phone --transport tcp:127.0.0.1:7000 --replay iap2-findings/carplay-crash-7-41.json
      """)

  @Flag(help: "Play CarPlay sessions instead of iAP2.") var carplay = false

  @Option(
    help: ArgumentHelp("With --carplay: play the changes of this finding.", valueName: "file"), completion: .file())
  var replay: String?

  @Option(name: .customLong("as"), help: "The role of this program: headunit or phone. The other side is the peer.")
  var role: Role

  @Option(
    help: ArgumentHelp("The transport to the peer: loopback, or \(AnyTransportAddress.forms).", valueName: "transport"))
  var transport: String

  @Option(help: "The number of rounds (default: 100).")
  var rounds: Int?

  @Option(help: ArgumentHelp("Play only this round of the seed.", valueName: "number"))
  var round: Int?

  @Option(
    name: .customLong("external-accessory"),
    help: ArgumentHelp(
      "As a head unit: the EA protocol to identify with, which an app on the phone opens.", valueName: "protocol"))
  var protocolName = Setting.defaultProtocolName

  @Option(
    help: ArgumentHelp(
      "When the peer has gone after a round, start it again with this shell command. What it starts ends with the run.",
      valueName: "command"))
  var restart: String?

  @Option(
    help: ArgumentHelp("Store the captures of findings in this folder.", valueName: "folder"), completion: .directory)
  var findings = Self.defaultFindings

  static let defaultFindings = "iap2-findings"

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colors: ColorOptions

  /// Options for faults. They share the seed of the rounds.
  @OptionGroup var faults: FaultOptions

  static let maximumRounds = 100_000_000

  /// The rounds of the seed to play, in order.
  var numbers: Range<Int> { round.map { $0..<($0 + 1) } ?? 0..<(rounds ?? 100) }

  func validate() throws {
    if let rounds, !(1...Self.maximumRounds).contains(rounds) {
      throw ValidationError("--rounds takes 1 to \(Self.maximumRounds)")
    }
    if let round {
      guard (0..<Self.maximumRounds).contains(round) else {
        throw ValidationError("--round takes 0 to \(Self.maximumRounds - 1)")
      }
      guard rounds == nil else { throw ValidationError("--round plays one round: leave out --rounds") }
      guard faults.chosenSeed != nil else {
        throw ValidationError("--round needs the --seed whose round it is")
      }
    }
    _ = try faults.plan(seed: 1, events: RoleEvent.names)
    guard !protocolName.isEmpty else {
      throw ValidationError("--external-accessory takes the name of a protocol; this one is empty")
    }
    guard !findings.isEmpty else { throw ValidationError("--findings takes the name of a folder; this one is empty") }
    if let restart { try PeerStarter.check(restart, transport: transport) }
    guard replay == nil || carplay else { throw ValidationError("--replay goes with --carplay") }
    guard replay == nil || rounds == nil && round == nil else {
      throw ValidationError("--replay plays one finding: leave out --rounds and --round")
    }
    if carplay {
      try SessionFuzz.check(transport, as: role.side)
      guard faults.fault.isEmpty else { throw ValidationError("--fault is for iAP2: leave it out with --carplay") }
    }
    guard transport != "loopback", !carplay else { return }
    let address = try AnyTransportAddress(option: transport, as: role.side)
    guard address.isLocal else {
      throw ValidationError(
        "\(transport): fuzzing is limited to sockets of this machine (127.0.0.1, unix:) and devices attached to it")
    }
  }

  func run() async throws {
    let seed = faults.chosenSeed ?? FaultOptions.anySeed()
    let plan = try faults.plan(seed: seed, events: RoleEvent.names)
    let folder = try OutputFolder(findings)
    defer { folder.removeIfUnused() }
    Output.note("seed \(seed); malformed messages go to \(transport): use equipment you own")
    if let plan { FaultOptions.report(plan) }
    if carplay {
      let starter = restart.map { PeerStarter($0) }
      defer { starter?.end() }
      let fuzz = try SessionFuzz(
        as: role.side, transport: transport, seed: seed, rounds: numbers, replay: replay, folder: findings,
        isJSON: json, starter: starter)
      guard try await fuzz.run() else { throw ExitStatus.failed.code }
      return
    }
    let session = FuzzSession(command: self, seed: seed, plan: plan)
    if transport == "loopback" {
      try VirtualTime.run { clock in
        try await session.play(
          clock: clock, peers: await OwnFuzzPeer(against: role.side, protocolName: protocolName, clock: clock))
      }
    } else {
      let address = try AnyTransportAddress(option: transport)
      do {
        try await session.play(clock: WallClock(), peers: LivePeer(address, side: role.side))
      } catch let error as TransportError { throw CommandFailure(error) }
    }
  }
}

/// A live peer, dialed again for each round unless it listens.
private final class LivePeer: FuzzPeers {
  private let source: ReopenedSource
  private let state = Mutex<(transport: (any ByteTransport)?, isClosed: Bool)>((nil, false))

  init(_ address: AnyTransportAddress, side: Side) {
    source = ReopenedSource(address, as: side) {
      Output.note("waiting at \($0)")
    } report: {
      $0.show()
    }
  }

  func connect() async throws -> (any ByteTransport)? {
    guard let transport = try await source.next() else { return nil }
    let isClosed = state.withLock { state in
      state.transport = transport
      return state.isClosed
    }
    if isClosed { await transport.close() }
    return transport
  }

  /// Also ends the current round, which would otherwise last until the peer's silence is detected.
  func close() async {
    let transport = state.withLock { state in
      state.isClosed = true
      return state.transport
    }
    await source.close()
    await transport?.close()
  }
}

/// A run of all rounds.
private struct FuzzSession: Sendable {
  let command: Fuzz
  let seed: UInt64
  /// The faults on the transport of a round; nil for none. The sessions between rounds have none.
  let plan: FaultPlan?

  func play(clock: any RuntimeClock, peers: some FuzzPeers) async throws {
    let stop = StopSignal(whenUnread: true) { await peers.close() }
    var summary = FuzzSummary(seed: seed)
    let numbers = command.numbers
    let progress = CountProgress(total: numbers.count, unit: "rounds")
    defer { progress?.clear() }
    let starter = command.restart.map { PeerStarter($0) }
    defer { starter?.end() }
    let fuzzer = PeerFuzzer(
      side: command.role.side, seed: seed, protocolName: command.protocolName, plan: plan, clock: clock,
      restart: starter.map { starter in { @Sendable in starter.startOrReport() } }
    ) { stop.isRequested }
    do {
      let report = try await fuzzer.run(numbers, with: peers) {
        summary.rounds += 1
        progress?.note(summary.rounds)
      } found: { finding in
        progress?.clear()
        try show(finding, &summary)
      }
      await peers.close()
      if case .neverReady = report.end { throw neverReady }
      if case .lost(let round) = report.end, !stop.isRequested {
        progress?.clear()
        Output.note(
          "the peer did not come back after \(round.map { "round \($0)" } ?? "the session before the first round"):"
            + " \(numbers.upperBound - (round.map { $0 + 1 } ?? numbers.lowerBound)) rounds are not played; "
            + (command.restart == nil
              ? "start it again, or give --restart COMMAND, which starts it" : "--restart did not bring it back"))
      }
      summary.end(with: report)
    } catch {
      await peers.close()
      throw error
    }
    progress?.clear()
    if command.json { try Output.json(summary) } else { Output.line(summary.text) }
    let isCut = stop.isRequested && summary.rounds < numbers.count
    if isCut { Output.note("ended after \(summary.rounds) of \(numbers.count) rounds") }
    if summary.isFailed || isCut { throw ExitStatus.failed.code }
  }

  private var neverReady: CommandFailure {
    CommandFailure(
      .unavailable,
      "\(command.transport): no session comes up with the peer, before any message was changed; "
        + "iap2 \(command.role.commandName) --transport \(Shell.word(command.transport)) --once shows how far it gets")
  }

  private func show(_ finding: PeerFuzzer.Finding, _ summary: inout FuzzSummary) throws {
    let (outcome, number) = (finding.outcome, finding.round)
    let file = store(finding.capture, as: "\(command.findings)/\(outcome.rawValue)-\(seed)-\(number).pcapng")
    summary.add(outcome, capture: file)
    let again =
      "iap2 fuzz --as \(command.role.commandName) --transport \(Shell.word(command.transport)) --seed \(seed) "
      + "--round \(number)" + command.faults.fault.map { " --fault \(Shell.word($0))" }.joined()
      + (command.protocolName == Setting.defaultProtocolName
        ? "" : " --external-accessory \(Shell.word(command.protocolName))")
      + (command.findings == Fuzz.defaultFindings ? "" : " --findings \(Shell.word(command.findings))")
    if command.json { return try Output.json(FuzzFindingLine(finding, capture: file, again: again)) }
    let color = outcome.isFailure ? Color.red : Color.yellow
    Output.line(color("\(outcome.rawValue)") + " in round \(number), \(finding.schedule.text)")
    if let question = finding.unanswered {
      Output.line("  no answer above the link, which goes on: asked for \(question)")
    }
    Output.line("  capture: \(file ?? "not stored")\n  again: \(again)")
  }

  /// Returns the path, or nil if the capture cannot be stored: the finding is reported anyway.
  private func store(_ bytes: [UInt8], as file: String) -> String? {
    do { try Data(bytes).write(to: URL(filePath: file)) } catch {
      Output.note("cannot write \(file): \(InputFile.reason(error))")
      return nil
    }
    return file
  }
}

private enum Shell {
  /// Quotes a text as one word of a command line.
  static func word(_ text: String) -> String {
    text.wholeMatch(of: /[A-Za-z0-9_.,:=@\/+-]+/) == nil ? "'" + text.replacing("'", with: "'\\''") + "'" : text
  }
}
