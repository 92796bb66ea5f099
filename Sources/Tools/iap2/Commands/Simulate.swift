// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Simulation
import IAP2Transport
import RunReports
import Synchronization

struct Simulate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Play many sessions of both roles in virtual time, with faults, and check invariants.",
    usage: "iap2 simulate [<options>]",
    discussion: """
      Each seed is one session. It determines the links of both sides, the faults, the use of the connection and its \
      end, so a seed gives the same session on every machine. After each step these invariants are checked: windows, \
      deadlines, bounds of memory, delivery in order and once, agreement of both ends, each verdict once. Exit code 1 \
      if an invariant was violated; each such seed is printed with the command that repeats it. Exit code 1 also if \
      not all sessions were played: after Ctrl-C, and if a shard is missing for --merge.

      `missed` is the number of disconnects that a side did not detect within 90 s. `false` is the number of \
      disconnects that were reported while the connection was active.

      With --carplay, each seed is a head unit and a phone that are plugged and unplugged four times at random times, \
      over a cable or over the air, from the plug to the picture of a CarPlay session. Bluetooth and the network are \
      lost and come back. `missed` is the number of ends of a link or session that a side did not report within 90 s, \
      `false` the number of ends that a side reported although nothing was removed, and `left` the number of sockets, \
      deadlines and records that remain after the last cycle.

      Examples:
        iap2 simulate
        iap2 simulate --seeds '0..<1000000' --json
        iap2 simulate --seeds '0..<1000000' --shard 3/8 --json > shard-3.json
        iap2 simulate --merge shard-*.json
        iap2 simulate --faults none --profile thermal-camera
        iap2 simulate --seed 4711 --capture session.pcapng
        iap2 simulate --report simulation.html --junit simulation.xml
        iap2 simulate --study charging --disconnects 1000000
        iap2 simulate --carplay --seeds '0..<250'
        iap2 simulate --carplay --seed 7
      """)

  enum Study: String, ExpressibleByArgument, CaseIterable { case charging }

  @Option(
    help: ArgumentHelp("The seeds to play, A..<B (default: 0..<1000).", valueName: "range"), transform: Self.range)
  var seeds: Range<UInt64> = 0..<1000

  @Option(help: ArgumentHelp("This machine's share of the seeds: I/N, from 0/N to N-1/N.", valueName: "i/n"))
  var shard: String?

  @Option(help: "Play only this seed and show its events.")
  var seed: UInt64?

  @Option(
    help: ArgumentHelp("With --seed: write the bytes of the cable into this capture.", valueName: "file"),
    completion: .file())
  var capture: String?

  @Option(
    help: ArgumentHelp(
      "The profile of a head unit or a phone, by name or file, instead of the default one; repeatable.",
      valueName: "profile"
    ), completion: .names { BundledProfiles.names })
  var profile: [String] = []

  @Option(
    help: ArgumentHelp("evidence (default), charging or notification.", valueName: "policy"),
    completion: .list(LifecyclePolicy.allCases.map(\.rawValue)), transform: Self.policy)
  var policy: LifecyclePolicy?

  @Option(
    help: ArgumentHelp(
      "The kinds of faults that a seed may select: all (default), none, or some of \(FaultKind.allCases.map(\.rawValue).joined(separator: ", ")), separated by commas.",
      valueName: "kinds"), transform: Self.kinds)
  var faults = Set(FaultKind.allCases)

  @Option(help: "The number of threads (default: one per core).")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Flag(name: .customLong("carplay"), help: "Play plug and unplug cycles with CarPlay sessions.")
  var isCarPlay = false

  @Flag(help: "With --carplay: both sides make the known pauses of real devices.")
  var pauses = false

  @Flag(help: "Print one JSON object per line; the last is the summary.")
  var json = false

  @OptionGroup var colors: ColorOptions

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Add up the --json outputs of shards, without playing sessions.", valueName: "file"),
    completion: .file())
  var merge: [String] = []

  @Option(
    help: ArgumentHelp("charging: print a table of each disconnect policy's results in each case.", valueName: "name"))
  var study: Study?

  @Option(
    help: "With --study: the number of disconnects, spread evenly over the cases; connections without one are added.")
  var disconnects = 42_000

  @Option(
    help: ArgumentHelp(
      "With --study: seconds that probes stay unanswered after a notification or the end of charging (default: 0.8).",
      valueName: "seconds"))
  var confirmation: Double?

  @OptionGroup(title: "Reports") var reports: ReportOptions

  func validate() throws {
    _ = try share()
    try checkCarPlay()
    guard jobs >= 1, jobs <= 1024 else { throw ValidationError("--jobs takes 1 to 1024 threads") }
    if capture != nil, seed == nil { throw ValidationError("--capture needs --seed: a capture holds one session") }
    if study == nil, disconnects != 42_000 { throw ValidationError("--disconnects needs --study") }
    if study == nil, confirmation != nil { throw ValidationError("--confirmation needs --study") }
    if let confirmation { try LifecycleOptions.check(confirmation: confirmation) }
    guard (1...100_000_000).contains(disconnects) else { throw ValidationError("--disconnects takes 1 to 100000000") }
    let others = [seed != nil, study != nil, !merge.isEmpty].count { $0 }
    if others > 1 { throw ValidationError("--seed, --study and --merge exclude each other: give one of them") }
    if study != nil || !merge.isEmpty, reports.areGiven {
      throw ValidationError("--report and --junit need sessions: they cannot be used with --study or --merge")
    }
    let plays = seeds != 0..<1000 || shard != nil
    let settings = !profile.isEmpty || policy != nil || faults != Set(FaultKind.allCases)
    if others > 0, plays { throw ValidationError("--seeds and --shard cannot be used with --seed, --study or --merge") }
    if study != nil || !merge.isEmpty, settings {
      throw ValidationError(
        "--profile, --policy and --faults cannot be used with --study or --merge, which play no seeds")
    }
  }

  func run() async throws {
    if !merge.isEmpty { return try runMerge() }
    if study != nil { return try await runStudy() }
    if isCarPlay { return try await runCarPlay() }
    let settings = try settings()
    let files = try reports.open()
    if let seed { return try play(seed, settings, files) }
    let share = try share()
    let failures = SeedFailures()
    let progress = CountProgress(total: share.count, unit: "sessions")
    let again = commandOfSeed
    let json = json
    let (totals, isInterrupted) = await StopSignal.finish(whenUnread: true) { [jobs] in
      await Campaign(share, settings: settings).run(
        jobs: jobs, progress: { progress?.note($0) },
        failed: { seed, outcome in
          progress?.clear()
          let line = SeedFailure(seed: seed, violations: outcome.violations, again: "\(again) --seed \(seed)")
          failures.add(line)
          if json { Output.tryJSON(line) } else { Output.line(line.text) }
        })
    }
    progress?.clear()
    let details = CampaignDetails(totals, of: share, settings: settingWords.joined(separator: " "))
    try files?.write(
      failures.report(
        title: again, facts: [Self.text(totals.summary), details.text],
        incomplete: isInterrupted ? "ended after \(totals.summary.sessions) of \(share.count) sessions" : nil))
    if isInterrupted { Output.note("ended after \(totals.summary.sessions) of \(share.count) sessions") }
    if !isInterrupted, totals.summary.sessions < share.count { throw CommandFailure.noThread }
    try finish(totals.summary, details: details)
    if isInterrupted { throw ExitStatus.failed.code }
  }

  // MARK: Options

  private static func range(_ text: String) throws -> Range<UInt64> {
    guard let range = SeedShare.range(text) else {
      throw ValidationError("\(text) is not A..<B with A below B, as in 0..<1000")
    }
    return range
  }

  private static func policy(_ text: String) throws -> LifecyclePolicy {
    guard let policy = LifecyclePolicy(rawValue: text) else {
      throw ValidationError("\(text) is not one of \(LifecyclePolicy.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return policy
  }

  private static func kinds(_ text: String) throws -> Set<FaultKind> {
    guard let kinds = FaultKind.parse(text) else {
      throw ValidationError(
        "--faults takes all, none, or some of \(FaultKind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return kinds
  }

  private func share() throws -> SeedShare {
    guard let share = SeedShare(seeds, parsing: shard ?? "0/1") else {
      throw ValidationError(
        "--shard takes I/N with I from 0 to N-1, as in 0/8; N is \(SeedShare.maximumShards) at most")
    }
    return share
  }

  private func settings() throws -> SimulationSettings {
    var settings = SimulationSettings()
    settings.policy = policy ?? .evidence
    settings.faults = faults
    var sides: Set<Side> = []
    for name in profile {
      let found = try ScenarioFile.profile(name)
      let played: Side = if case .headUnit = found.subject { .accessory } else { .device }
      guard sides.insert(played).inserted else {
        throw CommandFailure(.usage, "--profile \(name): its side already has a profile; give one for each side")
      }
      switch found.subject {
      case .headUnit(let profile, _): settings.headUnit = side(profile, found.behavior)
      case .phone(let profile): settings.phone = side(profile, found.behavior)
      }
    }
    return settings
  }

  private func side<Profile>(_ profile: Profile, _ behavior: Behavior) -> SimulationSide<Profile> {
    var side = SimulationSide(profile)
    side.link = behavior.link
    side.quirks = behavior.quirks
    side.pacing = behavior.pacing
    return side
  }

  /// The command that plays a seed with the same settings.
  private var commandOfSeed: String {
    (["iap2 simulate"] + settingWords).joined(separator: " ")
  }

  /// The options that determine the sessions, as words of a command line.
  private var settingWords: [String] {
    var words: [String] = []
    for name in profile { words.append("--profile \(name)") }
    if let policy, policy != .evidence { words.append("--policy \(policy.rawValue)") }
    if faults != Set(FaultKind.allCases) {
      let names = FaultKind.allCases.filter(faults.contains).map(\.rawValue)
      words.append("--faults \(names.isEmpty ? "none" : names.joined(separator: ","))")
    }
    return words
  }
}

// MARK: What is printed

extension Simulate {
  private func play(_ seed: UInt64, _ settings: SimulationSettings, _ files: ReportFiles?) throws {
    let start = Int64(LocationFix.plainStart) * 1_000_000_000
    let time = LatestTime()
    let file = try capture.map { try CaptureFile($0, now: { start + time.nanoseconds }) }
    let json = json
    let (recorder, ladder) = (
      files.map { _ in RunRecorder(title: "\(commandOfSeed) --seed \(seed)") },
      files.map { _ in RunLadder(now: { start + time.nanoseconds }) }
    )
    recorder?.begin("seed \(seed)")
    let tap: @Sendable (any RuntimeClock) -> @Sendable (Side, [UInt8]) -> Void = { clock in
      time.follow(clock)
      let logs = [file?.log, ladder?.log].compactMap { $0?.connection() }
      return { side, bytes in for log in logs { log(side, bytes) } }
    }
    let show: @Sendable (Side, TimedEvent) -> Void = { side, event in
      let line = RoleLine(role: side == .accessory ? .headUnit : .phone, timed: event)
      if let row = line.row { recorder?.add(row) }
      if json {
        if line.hasJSON { Output.tryJSON(line) }
      } else if let ladderLine = line.ladderLine(showingBoth: true) {
        Output.rows([ladderLine])
      }
      if side == .accessory { file?.note(event, of: .accessory, now: MonotonicTime(nanoseconds: time.nanoseconds)) }
    }
    let session = SimulatedSession(seed: seed, settings: settings, tap: tap, show: show)
    for line in session.plan { json ? Output.note(line) : Output.line(Color.dim(line)) }
    let outcome = session.run()
    try file?.check()
    if let recorder, let files {
      recorder.end(
        failure: outcome.violations.first, details: outcome.violations, seconds: Double(time.nanoseconds) / 1e9)
      recorder.change { report in
        report.facts += ReportFacts.all + session.plan
        report.ladder = ladder?.picture(name: report.title)
      }
      try files.write(recorder.report)
    }
    if !outcome.violations.isEmpty {
      let line = SeedFailure(seed: seed, violations: outcome.violations, again: "\(commandOfSeed) --seed \(seed)")
      if json { try Output.json(line) } else { Output.line(line.text) }
    }
    var summary = SimulationSummary()
    summary.add(outcome, seed: seed)
    try finish(summary, details: nil)
  }

  func finish(_ summary: SimulationSummary, details: CampaignDetails?) throws {
    if json {
      if let details { try Output.json(details) }
      try Output.json(summary)
    } else {
      if let details { Output.line(details.text) }
      let text = Self.text(summary)
      Output.line(summary.violations == 0 ? Color.green(text) : Color.red(text))
    }
    if summary.violations > 0 { throw ExitStatus.failed.code }
  }

  private static func text(_ summary: SimulationSummary) -> String {
    "\(summary.sessions) sessions, \(summary.violations) violations, \(summary.missed) ends missed, "
      + "\(summary.falseVerdicts) false"
  }

}

/// The latest time of the session's clock.
private final class LatestTime: Sendable {
  private let clock = Mutex<(any RuntimeClock)?>(nil)

  func follow(_ clock: any RuntimeClock) { self.clock.withLock { $0 = clock } }
  var nanoseconds: Int64 { clock.withLock { $0?.now.nanoseconds } ?? 0 }
}
