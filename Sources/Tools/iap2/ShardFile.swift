// swift-iap2 · Apache-2.0

import Foundation
import IAP2Simulation

/// The `--json` output of one shard of a campaign: a line of details, then a line with the summary.
struct ShardFile {
  let name: String
  let summary: SimulationSummary
  let share: SeedShare
  /// The options of its sessions; nil if the output does not have them.
  let settings: String?

  /// Returns the shards in a file, which may hold the output of several.
  static func all(in name: String) throws -> [ShardFile] {
    let lines = String(decoding: try InputFile.bytes(name), as: UTF8.self).split(separator: "\n")
    guard let last = lines.last else {
      throw CommandFailure(.badInput, "\(name) is empty: the shard has not finished")
    }
    guard decoded(SimulationSummary.self, last) != nil else {
      throw CommandFailure(
        .badInput, "\(name) does not end with a summary: the shard has not finished, or ran without --json")
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
        "\(name): the line of details before the summary is missing; keep the whole output of a shard")
    }
    settings = details.settings
    guard let share = details.share else {
      throw CommandFailure(.badInput, "\(name): the seeds or the shard of its details are invalid; run the shard again")
    }
    self.share = share
    guard summary.isPlausible, summary.sessions <= share.count else {
      throw CommandFailure(.badInput, "\(name): its number of sessions does not fit its shard; run the shard again")
    }
  }

  private static func decoded<Line: Decodable>(_ type: Line.Type, _ line: Substring) -> Line? {
    do { return try JSONDecoder().decode(type, from: Data(line.utf8)) } catch { return nil }
  }

  /// Returns the sum of the shards' summaries. It throws if seeds would count twice, and reports missing shards on
  /// stderr.
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
        throw CommandFailure(
          .badInput, "\(file.name) and \(other.name) have played the same seeds; leave out one of them")
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

  /// The limit of missing shards that are named.
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
