// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CommandSupport
import IAP2Analysis
import IAP2Roles
import IAP2Scenario
import IAP2Simulation
import RunReports
import Synchronization

extension Simulate {
  /// Checks the options that do not fit `--carplay`.
  func checkCarPlay() throws {
    guard isCarPlay else {
      if pauses { throw ValidationError("--pauses needs --carplay") }
      return
    }
    guard shard == nil, capture == nil, profile.isEmpty, policy == nil, study == nil, merge.isEmpty else {
      throw ValidationError("--carplay takes --seeds, --seed, --faults, --pauses, --jobs, --json and reports only")
    }
    let others = faults.subtracting(CyclePlan.kinds)
    guard others.isEmpty || faults == Set(FaultKind.allCases) else {
      let names = FaultKind.allCases.filter(CyclePlan.kinds.contains).map(\.rawValue).joined(separator: ", ")
      throw ValidationError("with --carplay, --faults takes all, none, or some of \(names)")
    }
  }

  private func simulation(_ seed: UInt64) -> CycleSimulation {
    var simulation = CycleSimulation(seed: seed, faults: faults)
    if pauses { simulation.pauses = Set(KnownPause.allCases) }
    return simulation
  }

  private var commandOfCarPlay: String {
    var words = ["iap2 simulate --carplay"]
    if faults != Set(FaultKind.allCases) {
      let names = FaultKind.allCases.filter(faults.contains).map(\.rawValue)
      words.append("--faults \(names.isEmpty ? "none" : names.joined(separator: ","))")
    }
    if pauses { words.append("--pauses") }
    return words.joined(separator: " ")
  }

  private func failure(_ seed: UInt64, _ outcome: CycleOutcome) -> SeedFailure {
    SeedFailure(seed: seed, violations: outcome.violations, again: "\(commandOfCarPlay) --seed \(seed)")
  }

  /// Plays the plug and unplug cycles of all seeds.
  func runCarPlay() async throws {
    let files = try reports.open()
    if let seed { return try playCarPlay(seed, files) }
    let failures = SeedFailures()
    let count = seeds.count
    let progress = CountProgress(total: count, unit: "pairs")
    let (totals, isInterrupted) = await StopSignal.finish(whenUnread: true) { [self] in
      await Parallel.run(
        count: count, jobs: jobs, from: CarPlaySummary(), progress: { progress?.note($0) }
      ) { number, total in
        let seed = seeds.lowerBound + UInt64(number)
        let outcome = simulation(seed).run()
        total.add(outcome)
        guard !outcome.violations.isEmpty else { return }
        progress?.clear()
        let line = failure(seed, outcome)
        failures.add(line)
        if json { Output.tryJSON(line) } else { Output.line(line.text) }
      }
    }
    progress?.clear()
    let summary = totals.reduce(into: CarPlaySummary()) { $0.merge($1) }
    try files?.write(
      failures.report(
        title: commandOfCarPlay, facts: [summary.text] + summary.lines,
        incomplete: isInterrupted ? "ended after \(summary.pairs) of \(count) pairs" : nil))
    if isInterrupted { Output.note("ended after \(summary.pairs) of \(count) pairs") }
    if !isInterrupted, summary.pairs < count { throw CommandFailure.noThread }
    try finish(summary)
    if isInterrupted { throw ExitStatus.failed.code }
  }

  private func playCarPlay(_ seed: UInt64, _ files: ReportFiles?) throws {
    var simulation = simulation(seed)
    let json = json
    let recorder = files.map { _ in RunRecorder(title: "\(commandOfCarPlay) --seed \(seed)") }
    recorder?.begin("seed \(seed)")
    simulation.show = { role, event in
      let line = RoleLine(role: role, timed: event)
      if let row = line.row { recorder?.add(row) }
      if json {
        if line.hasJSON { Output.tryJSON(line) }
      } else if let ladderLine = line.ladderLine(showingBoth: true) {
        Output.rows([ladderLine])
      }
    }
    simulation.showCarPlay = { side, time, event, cause in
      CarPlayLine.show(event, of: side, at: time, linkCause: cause, json: json)
      if let recorder, let row = CarPlayLine.row(event, of: side, at: time, linkCause: cause) { recorder.add(row) }
    }
    for line in simulation.plan.lines { json ? Output.note(line) : Output.line(Color.dim(line)) }
    let outcome = simulation.run()
    if let recorder, let files {
      recorder.end(
        failure: outcome.violations.first, details: outcome.violations, seconds: Double(outcome.milliseconds) / 1000)
      recorder.change { [plan = simulation.plan.lines] in $0.facts += ReportFacts.all + plan }
      try files.write(recorder.report)
    }
    if !outcome.violations.isEmpty {
      let line = failure(seed, outcome)
      if json { try Output.json(line) } else { Output.line(line.text) }
    }
    var summary = CarPlaySummary()
    summary.add(outcome)
    try finish(summary)
  }

  private func finish(_ summary: CarPlaySummary) throws {
    if json {
      try Output.json(summary.line)
    } else {
      for line in summary.lines { Output.line(Color.dim(line)) }
      Output.line(summary.isClean ? Color.green(summary.text) : Color.red(summary.text))
    }
    if !summary.isClean { throw ExitStatus.failed.code }
  }
}

/// The summed outcomes of many pairs.
private struct CarPlaySummary: Sendable {
  private(set) var pairs = 0
  private var sum = CycleOutcome()

  mutating func add(_ outcome: CycleOutcome) {
    pairs += 1
    sum.add(outcome)
  }

  mutating func merge(_ other: CarPlaySummary) {
    pairs += other.pairs
    sum.add(other.sum)
  }

  var isClean: Bool { sum.violations.isEmpty }

  private var times: [Int] { sum.pictureMilliseconds.sorted() }

  /// The details of the cycles as text, one item a line.
  var lines: [String] {
    let causes = sum.causes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let times = times
    return [
      "\(sum.live) sessions were live, in \(sum.milliseconds / 3_600_000) h of virtual time",
      "ends by cause: \(causes)",
    ]
      + (times.last.map { last in
        [
          "\(times.count) plugs brought a picture, in \(times[0]) to \(last) ms of virtual time, median "
            + "\(times[times.count / 2]) ms"
        ]
      } ?? [])
      + (sum.meetings == 0
        ? [] : ["\(sum.meetings) times the pair met on the network before the link had begun a session"])
  }

  var text: String {
    "\(sum.cycles) cycles of \(pairs) pair\(pairs == 1 ? "" : "s"), \(sum.violations.count) violations, \(sum.missed) ends missed, "
      + "\(sum.falseEnds) false, \(sum.left) left behind"
  }

  /// The last line of the JSON output.
  var line: Line {
    let times = times
    return Line(
      pairs: pairs, cycles: sum.cycles, live: sum.live, violations: sum.violations.count, missed: sum.missed,
      falseEnds: sum.falseEnds, left: sum.left, pictures: times.count,
      meetings: sum.meetings, minimumPictureMilliseconds: times.first,
      medianPictureMilliseconds: times.isEmpty ? nil : times[times.count / 2],
      maximumPictureMilliseconds: times.last, causes: sum.causes)
  }

  struct Line: Encodable {
    var pairs, cycles, live, violations, missed, falseEnds, left, pictures, meetings: Int
    var minimumPictureMilliseconds, medianPictureMilliseconds, maximumPictureMilliseconds: Int?
    var causes: [String: Int]

    enum CodingKeys: String, CodingKey {
      case pairs, cycles, live, violations, missed, left, pictures, meetings, causes
      case minimumPictureMilliseconds, medianPictureMilliseconds, maximumPictureMilliseconds
      case falseEnds = "false"
    }
  }
}
