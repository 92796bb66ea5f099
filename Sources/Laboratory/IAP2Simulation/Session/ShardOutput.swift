// swift-iap2 · Apache-2.0

import Foundation

/// The JSON output of one shard of a campaign: a line of details, then a line with the summary.
package struct ShardOutput: Sendable {
  /// A reason why the output of shards cannot be read.
  package enum Problem: Error, Sendable, Equatable {
    /// There is no line.
    case empty
    /// The last line is no summary.
    case noSummary
    /// The line before a summary has no details.
    case noDetails
    /// The seeds or the shard of the details are invalid.
    case invalidShare
    /// The counts of a summary contradict each other or the shard.
    case implausible
  }

  /// The name of the file.
  package let name: String
  /// The summed outcomes of the shard's sessions.
  package let summary: SimulationSummary
  /// The seeds of the shard.
  package let share: SeedShare
  /// The settings of the sessions as words of a command line; nil if the output does not have them.
  package let settings: String?

  /// Whether all sessions of the shard were played.
  package var isFinished: Bool { summary.sessions >= share.count }

  /// Returns the shards in the contents of a file, which may hold the output of several.
  package static func all(in text: String, named name: String) throws(Problem) -> [ShardOutput] {
    let lines = text.split(separator: "\n")
    guard let last = lines.last else { throw .empty }
    guard decoded(SimulationSummary.self, last) != nil else { throw .noSummary }
    var shards: [ShardOutput] = []
    var before: Substring?
    for line in lines {
      if let summary = decoded(SimulationSummary.self, line) { shards.append(try ShardOutput(name, summary, before)) }
      before = line
    }
    return shards
  }

  private init(_ name: String, _ summary: SimulationSummary, _ before: Substring?) throws(Problem) {
    self.name = name
    self.summary = summary
    guard let details = before.flatMap({ Self.decoded(CampaignDetails.self, $0) }) else { throw .noDetails }
    settings = details.settings
    guard let share = details.share else { throw .invalidShare }
    self.share = share
    guard summary.isPlausible, summary.sessions <= share.count else { throw .implausible }
  }

  private static func decoded<Line: Decodable>(_ type: Line.Type, _ line: Substring) -> Line? {
    do { return try JSONDecoder().decode(type, from: Data(line.utf8)) } catch { return nil }
  }
}

/// The sum of the outputs of shards.
package struct ShardSum: Sendable {
  /// A reason why a shard cannot be added. The other shard was added before.
  package enum Problem: Error, Sendable {
    /// The sessions have other settings than those of the other shard.
    case otherSettings(ShardOutput)
    /// The shards have played a seed in common, which would count twice.
    case sameSeeds(ShardOutput)
  }

  /// The shards of a campaign without output.
  package struct Missing: Sendable {
    /// The seeds of the campaign.
    package let seeds: Range<UInt64>
    /// The number of shards of the campaign.
    package let shards: Int
    /// The missing shards, ascending.
    package let numbers: [Int]
  }

  private struct Division: Hashable {
    var seeds: Range<UInt64>
    var shards: Int
  }

  /// The sum of the summaries.
  package private(set) var summary = SimulationSummary()
  private var shards: [ShardOutput] = []

  /// Creates the sum of no shard.
  package init() {}

  /// Adds a shard.
  package mutating func add(_ shard: ShardOutput) throws(Problem) {
    if let settings = shard.settings, let other = shards.first(where: { ($0.settings ?? settings) != settings }) {
      throw .otherSettings(other)
    }
    if let other = shards.first(where: { $0.share.overlaps(shard.share) }) { throw .sameSeeds(other) }
    shards.append(shard)
    summary.merge(shard.summary)
  }

  /// The missing shards of each campaign.
  package var missing: [Missing] {
    Dictionary(grouping: shards) { Division(seeds: $0.share.seeds, shards: $0.share.shards) }.compactMap { all, group in
      let numbers = Set(0..<all.shards).subtracting(group.map(\.share.shard)).sorted()
      return numbers.isEmpty ? nil : Missing(seeds: all.seeds, shards: all.shards, numbers: numbers)
    }
  }

  /// Whether no shard is missing and all sessions of each were played.
  package var isComplete: Bool { missing.isEmpty && shards.allSatisfy(\.isFinished) }
}
