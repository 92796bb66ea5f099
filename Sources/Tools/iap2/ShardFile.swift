// swift-iap2 · Apache-2.0

import Foundation
import IAP2Simulation

/// What one shard of a campaign has printed with `--json`: its details, and its summary in the line behind them.
struct ShardFile {
  let name: String
  let summary: SimulationSummary
  let share: SeedShare
  /// How its sessions were played; nil where that is not told.
  let settings: String?

  /// The shards in a file, which may be what several have printed.
  static func all(in name: String) throws -> [ShardFile] {
    let lines = String(decoding: try InputFile.bytes(name), as: UTF8.self).split(separator: "\n")
    guard let last = lines.last else {
      throw CommandFailure(.badInput, "\(name) is empty: the shard has not ended")
    }
    guard decoded(SimulationSummary.self, last) != nil else {
      throw CommandFailure(
        .badInput, "\(name) does not end with a summary: the shard has not ended, or ran without --json")
    }
    var shards: [ShardFile] = []
    var before: Substring?
    for line in lines {
      if let summary = decoded(SimulationSummary.self, line) { shards.append(try ShardFile(name, summary, before)) }
      before = line
    }
    return shards
  }

  private init(_ name: String, _ summary: SimulationSummary, _ before: Substring?) throws {
    self.name = name
    self.summary = summary
    guard let details = before.flatMap({ Self.decoded(Simulate.DetailsLine.self, $0) }) else {
      throw CommandFailure(
        .badInput,
        "\(name): the line before the summary is missing, which says what was played; keep all that a shard prints")
    }
    settings = details.settings
    guard let share = details.share else { throw CommandFailure(.badInput, "\(name): no shard is called like that") }
    self.share = share
    guard summary.isPlausible, summary.sessions <= share.count else {
      throw CommandFailure(.badInput, "\(name): no shard counts like that")
    }
  }

  private static func decoded<Line: Decodable>(_ type: Line.Type, _ line: Substring) -> Line? {
    do { return try JSONDecoder().decode(type, from: Data(line.utf8)) } catch { return nil }
  }

  /// The summaries of shards, added up; nothing is counted twice, and what is not there is told.
  static func merged(_ names: [String]) throws -> (summary: SimulationSummary, isComplete: Bool) {
    var whole = SimulationSummary()
    var isComplete = true
    var files: [ShardFile] = []
    for file in try names.flatMap(all) {
      if let settings = file.settings, let other = files.first(where: { ($0.settings ?? settings) != settings }) {
        throw CommandFailure(
          .badInput,
          "\(file.name) and \(other.name) are of different campaigns: one has \(named(settings)), the other "
            + "\(named(other.settings))")
      }
      if let other = files.first(where: { $0.share.overlaps(file.share) }) {
        throw CommandFailure(.badInput, "\(file.name) and \(other.name) have played the same seeds")
      }
      if file.summary.sessions < file.share.count {
        isComplete = false
        Output.note("\(file.name): ended after \(file.summary.sessions) of \(file.share.count) sessions")
      }
      files.append(file)
      whole.merge(file.summary)
    }
    return (whole, isNothingMissing(files.map(\.share)) && isComplete)
  }

  private static func named(_ settings: String?) -> String {
    settings.flatMap { $0.isEmpty ? nil : $0 } ?? "no options"
  }

  /// What is told of what is missing has an end.
  private static let namedShards = 20

  private static func isNothingMissing(_ shares: [SeedShare]) -> Bool {
    var isNothingMissing = true
    for (campaign, group) in Dictionary(grouping: shares, by: { Campaign(seeds: $0.seeds, shards: $0.shards) }) {
      let missing = Set(0..<campaign.shards).subtracting(group.map(\.shard)).sorted()
      guard !missing.isEmpty else { continue }
      isNothingMissing = false
      let names = missing.prefix(namedShards).map(String.init).joined(separator: ", ")
      Output.note(
        "missing of \(campaign.seeds), in \(campaign.shards) shards: \(names)"
          + (missing.count > namedShards ? " and \(missing.count - namedShards) more" : ""))
    }
    return isNothingMissing
  }

  private struct Campaign: Hashable {
    var seeds: Range<UInt64>
    var shards: Int
  }
}
