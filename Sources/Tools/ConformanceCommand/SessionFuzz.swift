// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CarPlayConformance
import CarPlaySession
import CommandSupport
import Foundation
package import IAP2
import IAP2Conformance

/// A run of the fuzzer of CarPlay sessions, as `iap2 fuzz --carplay` plays it.
package struct SessionFuzz: Sendable {
  private let side: Side
  private let transport: String
  private let plans: [SessionFuzzPlan]
  private let seed: UInt64
  private let folder: String
  private let isJSON: Bool
  private let starter: PeerStarter?

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - side: The side of this program.
  ///   - transport: The peer, as `--transport` names it.
  ///   - seed: The seed of the rounds.
  ///   - rounds: The rounds of the seed to play.
  ///   - replay: A file with the changes of a finding, which is played in place of the rounds; nil for none.
  ///   - folder: The folder of the findings.
  ///   - starter: Starts the peer again; nil if nothing can.
  package init(
    as side: Side, transport: String, seed: UInt64, rounds: Range<Int>, replay: String?, folder: String, isJSON: Bool,
    starter: PeerStarter?
  ) throws {
    (self.side, self.transport, self.seed, self.folder) = (side, transport, seed, folder)
    (self.isJSON, self.starter) = (isJSON, starter)
    if let replay {
      do {
        plans = [
          try JSONDecoder().decode(SessionFindingFile.self, from: Data(try InputFile.bytes(replay))).played
        ]
      } catch let error as DecodingError {
        throw CommandFailure(.badInput, "\(replay) is no finding of iap2 fuzz --carplay: \(error.localizedDescription)")
      }
    } else {
      plans = rounds.map { SessionFuzzPlan(seed: seed, round: $0) }
    }
  }

  /// Throws an error about a transport that is not for this side, or not on this machine.
  package static func check(_ transport: String, as side: Side) throws {
    try SessionPeer.check(transport, as: side)
    switch try SessionPeer(transport) {
    case .loopback: return
    case .dial(let address), .listen(let address):
      guard ["127.0.0.1", "::1", "localhost"].contains(address.host) else {
        throw ValidationError(
          "\(transport): fuzzing is limited to sockets of this machine (127.0.0.1, ::1)")
      }
    }
  }

  /// Plays the rounds.
  ///
  /// - Returns: Whether the peer survived all of them.
  /// - Throws: An error if no session comes up before the first round.
  package func run() async throws -> Bool {
    var settings = SessionConformance.Settings()
    settings.trust = .any
    if let starter { settings.restart = { starter.startOrReport() } }
    let run = try SessionConformance([], of: side.peer, settings, transport: transport)
    let captures = try SessionCheckCaptures(nil, keyLog: nil)
    let fuzzer: SessionFuzzer
    var line: (any ProbeLine)?
    if side == .device {
      fuzzer = SessionFuzzer(
        try await run.headUnit(captures), canRestart: starter != nil,
        crash: { [starter] in starter?.takeFailure(signalsOnly: false) })
    } else {
      let phone = try await run.phone(captures)
      line = phone.line
      fuzzer = SessionFuzzer(phone) { [starter] in starter?.takeFailure(signalsOnly: true) }
    }
    let (result, isInterrupted) = await StopSignal.finish { [line] () -> Result<SessionFuzzer.Report, any Error> in
      let result: Result<SessionFuzzer.Report, any Error>
      do { result = .success(try await play(fuzzer)) } catch { result = .failure(error) }
      await line?.close()
      return result
    }
    let report = try result.get()
    let summary = SessionFuzzLine(report, seed: seed)
    if isJSON { try Output.json(summary) } else { Output.line(summary.text) }
    if report.isLost {
      Output.note(
        "the peer did not come back: \(plans.count - report.rounds) rounds are not played; "
          + (starter == nil ? "give --restart COMMAND, which starts it" : "--restart did not bring it back"))
    }
    return report.findings == 0 && !isInterrupted
  }

  private func play(_ fuzzer: SessionFuzzer) async throws -> SessionFuzzer.Report {
    if let reason = await fuzzer.probe() {
      throw CommandFailure(
        .unavailable, "\(transport): no session comes up with the peer, before any message was changed: \(reason)")
    }
    let progress = CountProgress(total: plans.count, unit: "rounds")
    defer { progress?.clear() }
    return try await fuzzer.run(
      plans, isStopped: { Task.isCancelled }, played: { progress?.note($0.rounds) },
      found: { finding in
        progress?.clear()
        try show(finding)
      })
  }

  private func show(_ finding: SessionFuzzer.Finding) throws {
    let path = "\(folder)/carplay-\(finding.outcome.rawValue)-\(finding.plan.seed)-\(finding.plan.round).json"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do { try encoder.encode(SessionFindingFile(finding)).write(to: URL(filePath: path)) } catch {
      Output.note("cannot write \(path): \(InputFile.reason(error))")
    }
    let again =
      "iap2 fuzz --carplay --as \(side == .device ? "phone" : "headunit") --transport \(transport) --replay \(path)"
    if isJSON { return try Output.json(SessionFindingLine(finding, file: path, again: again)) }
    Output.line(Color.red(finding.outcome.rawValue) + " in round \(finding.plan.round): \(finding.reason)")
    for change in finding.changed { Output.line("  \(change)") }
    if let minimum = finding.minimum {
      Output.line("  \(minimum.mutations.count) of \(finding.plan.mutations.count) changes are needed")
    }
    Output.line("  file: \(path)\n  again: \(again)")
  }
}

/// The file of a finding.
private struct SessionFindingFile: Codable {
  var outcome: String
  var reason: String
  var changed: [String]
  var plan: SessionFuzzPlan
  var minimum: SessionFuzzPlan?

  init(_ finding: SessionFuzzer.Finding) {
    (outcome, reason, changed) = (finding.outcome.rawValue, finding.reason, finding.changed)
    (plan, minimum) = (finding.plan, finding.minimum)
  }

  /// The changes that a replay plays.
  var played: SessionFuzzPlan { minimum ?? plan }
}

/// A finding for JSON.
private struct SessionFindingLine: Encodable {
  let event = "finding"
  let kind: String
  let round: Int
  let reason: String
  let changed: [String]
  let file: String
  let again: String

  init(_ finding: SessionFuzzer.Finding, file: String, again: String) {
    (kind, round, reason) = (finding.outcome.rawValue, finding.plan.round, finding.reason)
    (changed, self.file, self.again) = (finding.changed, file, again)
  }
}

/// The counts of a run for JSON.
private struct SessionFuzzLine: Encodable {
  let event = "fuzz"
  let seed: UInt64
  let rounds: Int
  let findings: Int
  let changed: Int
  /// The number of rounds that reached each state.
  let states: [String: Int]

  init(_ report: SessionFuzzer.Report, seed: UInt64) {
    (self.seed, rounds, findings, changed) = (seed, report.rounds, report.findings, report.changed)
    states = Dictionary(uniqueKeysWithValues: report.states.map { ($0.rawValue, $1) })
  }

  var text: String {
    let reached = SessionState.allCases.compactMap { state in states[state.rawValue].map { "\(state.rawValue) \($0)" } }
    return "seed \(seed): \(rounds) rounds, \(changed) changed messages, \(findings) findings\n"
      + "rounds that reached: \(reached.joined(separator: ", "))"
  }
}
