// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation
import IAP2
import IAP2Authentication
import IAP2Capture
import IAP2Faults
import IAP2Fuzzing
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Simulation
import IAP2Sockets
import IAP2Transport
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

  typealias Role = SoakCommand.Role

  @Option(name: .customLong("as"), help: "Which side is played: headunit or phone; the other is the peer.")
  var role: Role

  @Option(
    help: ArgumentHelp("Where the peer is: loopback, or \(LiveTransport.forms).", valueName: "transport"))
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
    let address = try LiveTransport(parsing: transport)
    try address.check(role.side)
    guard address.isOwn else {
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
    if let plan { FaultOptions.tell(plan) }
    let session = FuzzSession(command: self, seed: seed, plan: plan)
    if transport == "loopback" {
      try VirtualTime.run { clock in try await session.play(clock: clock, peers: OwnPeer(role.side, clock: clock)) }
    } else {
      let address = try LiveTransport(parsing: transport)
      do {
        try await session.play(clock: WallClock(), peers: LivePeer(address, side: role.side))
      } catch let error as TransportError { throw LiveSession.failure(error) }
    }
  }
}

extension LiveTransport {
  /// Nothing beyond this machine and what is plugged into it.
  fileprivate var isOwn: Bool {
    switch self {
    case .stream(.tcp(let host, _)), .stream(.tcpListen(let host, _)):
      TransportAddress.isLoopback(host)
    case .stream(.unix), .stream(.unixListen), .stream(.serial), .usb, .gadget, .usbPhone, .gadgetPhone: true
    // One is nobody's twice, the other goes through the air.
    case .stream(.pty), .bluetooth: false
    }
  }
}

/// Where the connections of the rounds come from.
private protocol FuzzPeers: Sendable {
  func connect() async throws -> (any ByteTransport)?
  func close() async
}

/// Our own other role, which lives through all rounds.
private final class OwnPeer: FuzzPeers {
  private let side: Side
  private let clock: VirtualTime
  private let live: any LiveRole

  init(_ side: Side, clock: VirtualTime) {
    self.side = side
    self.clock = clock
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(60)
    live = side == .accessory ? Phone(options: options) : HeadUnit(profile: .standard(), options: options)
  }

  func connect() async -> (any ByteTransport)? {
    let pair = MemoryTransport.pair(delay: .init(milliseconds: 1, clock: clock))
    let (ours, theirs) = side == .accessory ? (pair.accessory, pair.device) : (pair.device, pair.accessory)
    let live = live
    Task(executorPreference: clock) { _ = await live.run(on: theirs) }
    return ours
  }

  func close() async { live.finish() }
}

private final class LivePeer: FuzzPeers {
  private struct State: Sendable {
    var source: (any TransportSource)?
    /// Of the round that is played.
    var transport: (any ByteTransport)?
    var isClosed = false
  }

  private let address: LiveTransport
  private let side: Side
  private let state = Mutex(State())

  init(_ address: LiveTransport, side: Side) {
    self.address = address
    self.side = side
  }

  func connect() async throws -> (any ByteTransport)? {
    guard let transport = try await source().next() else { return nil }
    let isClosed = state.withLock { state in
      state.transport = transport
      return state.isClosed
    }
    if isClosed { await transport.close() }
    return transport
  }

  /// Who listens goes on listening, who dials dials again.
  private func source() async throws -> any TransportSource {
    let last = state.withLock { $0.source }
    if let last, address.isListening { return last }
    await last?.close()
    let opened = try await address.open(once: true, as: side)
    let isClosed = state.withLock { state in
      state.source = opened
      return state.isClosed
    }
    if isClosed {
      await opened.close()
    } else if address.isWaiting {
      Output.note("waiting at \(opened.address)")
    }
    return opened
  }

  /// Ends the round that is played, too: it would go on for as long as a peer may be silent.
  func close() async {
    let (source, transport) = state.withLock { state in
      state.isClosed = true
      return (state.source, state.transport)
    }
    await source?.close()
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
    var course: String
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
    let side = command.role.side
    let player = FuzzRound(side: side, clock: clock)
    // First without changes: who does not come up at all is not there.
    do {
      guard let first = try await peers.connect(), await player.play(on: first, course: nil).wasReady else {
        throw CommandFailure(
          .unavailable,
          "\(command.transport): no session comes up with the peer; nothing was changed yet; "
            + "iap2 \(command.role.rawValue) --transport \(Shell.word(command.transport)) --once shows how far it gets")
      }
    } catch {
      await peers.close()
      guard stop.isRequested else { throw error }
    }
    var latest: (number: Int, course: FuzzCourse, capture: CaptureBuffer)?
    for number in numbers where !stop.isRequested {
      guard let transport = await again(peers, player.clock, stop) else {
        // It ended behind what it was sent last.
        if let latest, !stop.isRequested {
          try tell(.crash, latest.number, latest.course, latest.capture.bytes, &summary)
        }
        break
      }
      let course = FuzzCourse(seed: seed, round: number)
      let record = CaptureBuffer()
      latest = (number, course, record)
      let log = CaptureLog(.pcapng, now: { clock.now.nanoseconds }, store: { record.add($0) })
      let faulty = plan.map { FaultyTransport(transport, plan: $0, side: side, connection: number, clock: clock) }
      let result = await player.play(on: log.capturing(faulty ?? transport, side: side), course: course) {
        faulty?.happened($0.name)
      }
      var outcome = result.outcome
      // What Ctrl-C has cut short says nothing of the peer.
      if stop.isRequested { break }
      let after: Return = outcome != .survived || result.isOpen ? await comesUp(player, peers, stop) : .up
      if after != .up {
        if stop.isRequested { break }
        // Who was silent and takes connections without a word hangs still.
        if after == .gone || outcome != .hang { outcome = .crash }
      }
      summary.rounds += 1
      progress?.note(summary.rounds)
      guard outcome != .survived else { continue }
      progress?.clear()
      try tell(outcome, number, course, record.bytes, &summary)
      if after != .up { break }
    }
    await peers.close()
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

  /// The next connection; a peer may need a moment to begin anew. Nil when it does not come back.
  private func again(
    _ peers: some FuzzPeers, _ clock: any RuntimeClock, _ stop: StopSignal
  ) async -> (any ByteTransport)? {
    for attempt in 0..<Self.attempts where !stop.isRequested {
      do {
        if attempt > 0 { try await clock.sleep(until: clock.now.adding(milliseconds: 1000)) }
        if let transport = try await peers.connect() { return transport }
      } catch { continue }
    }
    return nil
  }

  private static let attempts = 3

  /// How a peer is afterwards.
  private enum Return {
    case up
    /// It is connected to, and no session comes up.
    case silent
    case gone
  }

  /// A clean session, as it came up before.
  private func comesUp(_ player: FuzzRound, _ peers: some FuzzPeers, _ stop: StopSignal) async -> Return {
    for _ in 0..<Self.attempts {
      guard let transport = await again(peers, player.clock, stop) else { return .gone }
      if await player.play(on: transport, course: nil).wasReady { return .up }
    }
    return .silent
  }

  private func tell(
    _ outcome: FuzzOutcome, _ number: Int, _ course: FuzzCourse, _ bytes: [UInt8], _ summary: inout Summary
  ) throws {
    switch outcome {
    case .survived: return
    case .reset: summary.resets += 1
    case .closed: summary.closed += 1
    case .hang: summary.hangs += 1
    case .crash: summary.crashes += 1
    }
    let file = store(bytes, as: "\(command.findings)/\(outcome.rawValue)-\(seed)-\(number).pcapng")
    if let file { summary.findings.append(file) }
    let finding = Finding(
      kind: outcome.rawValue, round: number, course: course.text, capture: file,
      again: "iap2 fuzz --as \(command.role.rawValue) --transport \(Shell.word(command.transport)) --seed \(seed) "
        + "--round \(number)" + command.faults.fault.map { " --fault \(Shell.word($0))" }.joined()
        + (command.findings == Fuzz.defaultFindings ? "" : " --findings \(Shell.word(command.findings))")
    )
    if command.json { return try Output.json(finding) }
    let colour = outcome.isFailure ? Colour.red : Colour.yellow
    Output.line(colour("\(outcome.rawValue)") + " in round \(number), \(finding.course)")
    Output.line("  capture: \(file ?? "not stored")\n  again: \(finding.again)")
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

/// A round's capture until it is known whether anybody wants it.
private final class CaptureBuffer: Sendable {
  private let state = Mutex<[UInt8]>([])
  /// A round is some hundred packets; one that a peer floods is cut off.
  private static let byteCountLimit = 64 << 20

  var bytes: [UInt8] { state.withLock { $0 } }

  func add(_ bytes: [UInt8]) -> Bool {
    state.withLock { all in
      guard all.count + bytes.count <= Self.byteCountLimit else { return false }
      all += bytes
      return true
    }
  }
}
