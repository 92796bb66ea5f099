// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Runtime
import Synchronization

struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play one complete wired session between a head unit and a phone, in memory.",
    discussion: """
      Detection, negotiation with one counter-offer, authentication, identification, notifications, power, CarPlay, \
      64 KiB each way over an external-accessory protocol, and a pulled cable. Takes no time: the clock is virtual \
      unless --pace real. Exit code 0 only if everything happened.

      Examples:
        iap2 run
        iap2 run --json
        iap2 run --pace real
      """)

  enum Pace: String, ExpressibleByArgument, CaseIterable { case virtual, real }

  @Flag(help: "One JSON object a line.")
  var json = false

  @Option(help: "virtual (default) or real: follow the wall clock.")
  var pace = Pace.virtual

  func run() async throws {
    let json = json
    let show: @Sendable (RoleLine) -> Void = { line in
      if json {
        if line.hasJSON { Output.tryJSON(line) }
        if let warning = line.warning { Output.note(warning) }
      } else if let rung = line.rung(showingBoth: true) {
        Output.line(rung)
      }
    }
    let outcome: CompleteSession.Outcome
    switch pace {
    case .virtual: outcome = try VirtualTime.run { await CompleteSession(clock: $0, show: show).play() }
    case .real: outcome = await CompleteSession(clock: WallClock(), show: show).play()
    }
    if json { try Output.json(FinishedLine(ok: outcome.missing.isEmpty, time: outcome.time.seconds)) }
    guard outcome.missing.isEmpty else {
      throw CommandFailure(.failed, "this did not happen: \(outcome.missing.joined(separator: ", "))")
    }
    if !json { Output.line(Colour.green("complete: everything that should happen did, in \(outcome.time.seconds) s")) }
  }
}

/// The session that `iap2 run` plays, and what must happen in it.
struct CompleteSession: Sendable {
  struct Outcome: Sendable {
    var missing: [String]
    var time: MonotonicTime
  }

  static let protocolName = "com.example.echo"
  static let byteCount = 64 << 10
  /// One way; about what a USB transfer takes, and enough to show what waits for what.
  static let delayMilliseconds = 1
  static let echoed = "64 KiB each way, byte for byte"

  let clock: any RuntimeClock
  let show: @Sendable (RoleLine) -> Void

  func play() async -> Outcome {
    let transports = MemoryTransport.pair(delay: .init(milliseconds: Self.delayMilliseconds, clock: clock))
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(60)
    let headUnit = HeadUnit(profile: .standard(protocols: [Self.protocolName]), options: options)
    // The phone wants to hear of a lost packet sooner than the head unit offers: one counter-offer.
    options.preferences.retransmissionTimeouts = 500...1500
    let phone = Phone(options: options)
    await headUnit.serve(Self.protocolName) { await EchoService.run($0) }
    let log = SessionLog()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.follow(headUnit.events, .headUnit, log) }
      group.addTask { await self.follow(phone.events, .phone, log) }
      group.addTask {
        _ = await headUnit.run(on: transports.accessory)
        headUnit.finish()
      }
      group.addTask {
        _ = await phone.run(on: transports.device)
        phone.finish()
      }
      group.addTask {
        // A session that cannot go on is cut short and judged by what is missing.
        if await log.wait(for: {
          $0.has(.headUnit, "carPlayStarted") && $0.has(.phone, "carPlayStarted") && $0.has(.headUnit, "powerChanged")
        }) {
          if await self.echo(phone) { log.mark(.phone, Self.echoed) }
          _ = await log.wait { $0.has(.headUnit, "closed") && $0.has(.phone, "closed") }
        }
        transports.accessory.cut()
      }
    }
    let entries = log.entries
    let missing = Self.expectations.filter { !entries.has($0.role, $0.what) }.map { "\($0.role.rawValue): \($0.what)" }
    return Outcome(missing: missing, time: clock.now)
  }

  private func follow(_ events: RoleEvents, _ role: RoleLine.Role, _ log: SessionLog) async {
    for await event in events {
      show(RoleLine(role: role, timed: event))
      log.add(role, event.event)
    }
    log.end(role)
  }

  private func echo(_ phone: Phone) async -> Bool {
    let sent = (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    do {
      let stream = try await phone.open(Self.protocolName)
      async let writing: Void = stream.write(sent)
      var received: [UInt8] = []
      while received.count < sent.count, let chunk = await stream.read() { received += chunk }
      try await writing
      await stream.close()
      return received == sent
    } catch { return false }
  }

  private static let expectations: [(role: RoleLine.Role, what: String)] =
    [
      "detected", "linkUp", "authenticated", "identified", "carPlayAvailable", "carPlayStarted", "powerChanged",
      "opened", "closed", "transportClosed",
    ].flatMap { [(.headUnit, $0), (.phone, $0)] }
    + ["0x4E09", "0x4E0A", "0x4E0B", "0x4E0C", "0x4E0E", "0xAE01", "0x4300"].map { (.headUnit, $0) }
    + ["0xAE00", "0xAE03", "0x4301", "counter-offer", echoed].map { (.phone, $0) }
}

/// What has happened so far, for the script to wait on and for the judgement.
final class SessionLog: Sendable {
  struct Entries: Sendable {
    private var seen: [RoleLine.Role: Set<String>] = [:]
    fileprivate(set) var ended: Set<RoleLine.Role> = []

    func has(_ role: RoleLine.Role, _ what: String) -> Bool { seen[role]?.contains(what) ?? false }

    mutating func mark(_ role: RoleLine.Role, _ what: String) { seen[role, default: []].insert(what) }

    mutating func add(_ role: RoleLine.Role, _ event: RoleEvent) {
      for what in Self.names(event) { seen[role, default: []].insert(what) }
    }

    private static func names(_ event: RoleEvent) -> [String] {
      switch event {
      case .detected: ["detected"]
      case .linkUp(let local, _):
        local.retransmissionTimeout == LinkSynchronization.standard.retransmissionTimeout
          ? ["linkUp"] : ["linkUp", "counter-offer"]
      case .authenticated: ["authenticated"]
      case .identified: ["identified"]
      case .message(.received, let id, _): [MessageCatalog.text(id)]
      case .carPlayAvailable: ["carPlayAvailable"]
      case .carPlayStarted: ["carPlayStarted"]
      case .powerChanged, .powerSourceChanged: ["powerChanged"]
      case .externalAccessoryOpened: ["opened"]
      case .externalAccessoryClosed: ["closed"]
      case .disconnected(let cause): [cause.rawValue]
      default: []
      }
    }
  }

  private let state = Mutex(Entries())
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init() { (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  var entries: Entries { state.withLock { $0 } }

  func add(_ role: RoleLine.Role, _ event: RoleEvent) {
    state.withLock { $0.add(role, event) }
    changed.yield()
  }

  func mark(_ role: RoleLine.Role, _ what: String) { state.withLock { $0.mark(role, what) } }

  func end(_ role: RoleLine.Role) {
    state.withLock { _ = $0.ended.insert(role) }
    changed.yield()
  }

  /// False when a role has ended before the condition held.
  func wait(for condition: (Entries) -> Bool) async -> Bool {
    if condition(entries) { return true }
    for await _ in changes {
      if condition(entries) { return true }
      if !entries.ended.isEmpty { return false }
    }
    return false
  }
}

/// Sends back what it reads.
enum EchoService {
  static func run(_ stream: ExternalAccessoryStream) async {
    while let bytes = await stream.read() {
      do { try await stream.write(bytes) } catch { return }
    }
  }
}
