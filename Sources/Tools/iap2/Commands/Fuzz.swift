// swift-iap2 · Apache-2.0

import ArgumentParser
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
    abstract: "Send a peer valid sessions up to some step, then changed messages, and watch what it does.",
    discussion: """
      For equipment you own: it is sent malformed messages on purpose. Only sockets of this machine, devices on its own \
      USB and serial lines, and loopback, which is our own other role, are taken.

      Each round is one connection. What is changed inside a packet is made right outside, lengths and checksums, so \
      that it gets past the link. Afterwards the peer is watched: does it reset the link (reset), close the transport \
      (closed), or give no sign of life (hang)? If it did not end in order, a clean session must come up again, else it \
      is a crash, or still a hang. Every finding's capture is kept, with the line that plays the round again. Exit code \
      1 after a hang or a crash, after Ctrl-C, and where a capture could not be stored; a reset or a closed transport \
      is an answer. With --fault the rounds, and only they, have a bad medium, and what it \
      does counts as the peer's: a cable that is cut is a closed transport.

      A peer that lives through all rounds may have come to its finding by several: where --round N alone does not show \
      it, the seed with --rounds N+1 does.

      Examples:
        iap2 fuzz --as phone --transport loopback --rounds 1000
        iap2 fuzz --as headunit --transport tcp:127.0.0.1:7000 --seed 7
        iap2 fuzz --as phone --transport usb --seed 7 --round 41
      """)

  @Option(name: .customLong("as"), help: "Which side is played: headunit or phone; the other is the peer.")
  var role: Role

  @Option(
    help: ArgumentHelp("Where the peer is: loopback, or \(AnyTransportAddress.forms).", valueName: "transport"))
  var transport: String

  @Option(help: "How many rounds (default: 100).")
  var rounds: Int?

  @Option(help: ArgumentHelp("Play this round of the seed alone.", valueName: "number"))
  var round: Int?

  @Option(help: ArgumentHelp("Keep the captures of findings in this folder.", valueName: "folder"))
  var findings = Self.defaultFindings

  static let defaultFindings = "iap2-findings"

  @Flag(help: "One JSON object a line.")
  var json = false

  /// With the seed of the rounds, too.
  @OptionGroup var faults: FaultOptions

  static let maximumRounds = 100_000_000

  /// Of the seed, in their order.
  var numbers: Range<Int> { round.map { $0..<($0 + 1) } ?? 0..<(rounds ?? 100) }

  func validate() throws {
    if let rounds, !(1...Self.maximumRounds).contains(rounds) {
      throw ValidationError("--rounds takes 1 to \(Self.maximumRounds)")
    }
    if let round {
      guard (0..<Self.maximumRounds).contains(round) else {
        throw ValidationError("--round takes 0 to \(Self.maximumRounds - 1)")
      }
      guard rounds == nil else { throw ValidationError("--round plays one round: not with --rounds") }
      guard faults.chosenSeed != nil else {
        throw ValidationError("--round is one of a seed's rounds: --seed says which")
      }
    }
    _ = try faults.plan(seed: 1, events: RoleEvent.names)
    guard !findings.isEmpty else { throw ValidationError("--findings wants the name of a folder") }
    guard transport != "loopback" else { return }
    let address = try AnyTransportAddress(option: transport, as: role.side)
    guard address.isLocal else {
      throw ValidationError(
        "\(transport): fuzzing reaches sockets of this machine (127.0.0.1, unix:) and devices attached to it only")
    }
  }

  func run() async throws {
    let seed = faults.chosenSeed ?? FaultOptions.anySeed()
    let plan = try faults.plan(seed: seed, events: RoleEvent.names)
    let folder = try OutputFolder(findings)
    defer { folder.removeIfUnused() }
    Output.note("seed \(seed); malformed messages go to \(transport): for equipment you own")
    if let plan { FaultOptions.report(plan) }
    let session = FuzzSession(command: self, seed: seed, plan: plan)
    if transport == "loopback" {
      try VirtualTime.run { clock in
        try await session.play(clock: clock, peers: OwnFuzzPeer(against: role.side, clock: clock))
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

/// All rounds.
private struct FuzzSession: Sendable {
  let command: Fuzz
  let seed: UInt64
  /// What goes wrong on the transport of a round; the sessions between them are clean.
  let plan: FaultPlan?

  private struct Summary: Encodable {
    var event = "fuzz"
    var seed: UInt64
    var rounds = 0
    var crashes = 0
    var hangs = 0
    var resets = 0
    var closed = 0
    /// The captures that were stored.
    var findings: [String] = []
  }

  private struct Finding: Encodable {
    var event = "finding"
    var kind: String
    var round: Int
    var schedule: String
    /// Nil where it could not be stored.
    var capture: String?
    var again: String
  }

  func play(clock: any RuntimeClock, peers: some FuzzPeers) async throws {
    let stop = StopSignal(whenUnread: true) { await peers.close() }
    var summary = Summary(seed: seed)
    let numbers = command.numbers
    let progress = CountProgress(total: numbers.count, unit: "rounds")
    defer { progress?.clear() }
    let fuzzer = PeerFuzzer(side: command.role.side, seed: seed, plan: plan, clock: clock) { stop.isRequested }
    do {
      let end = try await fuzzer.run(numbers, with: peers) {
        summary.rounds += 1
        progress?.note(summary.rounds)
      } found: { finding in
        progress?.clear()
        try show(finding, &summary)
      }
      await peers.close()
      if case .neverReady = end { throw neverReady }
    } catch {
      await peers.close()
      throw error
    }
    progress?.clear()
    if command.json {
      try Output.json(summary)
    } else {
      Output.line(
        "\(summary.rounds) rounds: \(summary.crashes) crashes, \(summary.hangs) hangs, \(summary.resets) resets, "
          + "\(summary.closed) times closed")
    }
    let isCut = stop.isRequested && summary.rounds < numbers.count
    if isCut { Output.note("ended after \(summary.rounds) of \(numbers.count) rounds") }
    let isStored = summary.findings.count == summary.crashes + summary.hangs + summary.resets + summary.closed
    if summary.crashes + summary.hangs > 0 || isCut || !isStored { throw ExitStatus.failed.code }
  }

  private var neverReady: CommandFailure {
    CommandFailure(
      .unavailable,
      "\(command.transport): no session comes up with the peer; nothing was changed yet; "
        + "iap2 \(command.role.commandName) --transport \(Shell.word(command.transport)) --once shows how far it gets")
  }

  private func show(_ finding: PeerFuzzer.Finding, _ summary: inout Summary) throws {
    let (outcome, number) = (finding.outcome, finding.round)
    switch outcome {
    case .survived: return
    case .reset: summary.resets += 1
    case .closed: summary.closed += 1
    case .hang: summary.hangs += 1
    case .crash: summary.crashes += 1
    }
    let file = store(finding.capture, as: "\(command.findings)/\(outcome.rawValue)-\(seed)-\(number).pcapng")
    if let file { summary.findings.append(file) }
    let line = Finding(
      kind: outcome.rawValue, round: number, schedule: finding.schedule.text, capture: file,
      again: "iap2 fuzz --as \(command.role.commandName) --transport \(Shell.word(command.transport)) --seed \(seed) "
        + "--round \(number)" + command.faults.fault.map { " --fault \(Shell.word($0))" }.joined()
        + (command.findings == Fuzz.defaultFindings ? "" : " --findings \(Shell.word(command.findings))")
    )
    if command.json { return try Output.json(line) }
    let colour = outcome.isFailure ? Colour.red : Colour.yellow
    Output.line(colour("\(outcome.rawValue)") + " in round \(number), \(line.schedule)")
    Output.line("  capture: \(file ?? "not stored")\n  again: \(line.again)")
  }

  /// Nil where it cannot be: a finding is worth more than its capture.
  private func store(_ bytes: [UInt8], as file: String) -> String? {
    do { try Data(bytes).write(to: URL(filePath: file)) } catch {
      Output.note("cannot write \(file): \(InputFile.reason(error))")
      return nil
    }
    return file
  }
}

private enum Shell {
  /// As one word of a command line.
  static func word(_ text: String) -> String {
    text.wholeMatch(of: /[A-Za-z0-9_.,:=@\/+-]+/) == nil ? "'" + text.replacing("'", with: "'\\''") + "'" : text
  }
}
