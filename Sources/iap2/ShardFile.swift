// swift-iap2 · Apache-2.0

import Foundation
import IAP2Simulation

/// What one shard of a campaign has printed with `--json`: its summary is the last line, its details are the line before.
struct ShardFile {
  let name: String
  let summary: SimulationSummary
  /// Nil where only the summary was kept.
  let share: SeedShare?
  /// How its sessions were played; nil where that is not told.
  let settings: String?

  init(_ name: String) throws {
    self.name = name
    let lines = String(decoding: try InputFile.bytes(name), as: UTF8.self).split(separator: "\n")
    guard let last = lines.last else {
      throw CommandFailure(.badInput, "\(name) is empty: the shard has not ended")
    }
    let decoder = JSONDecoder()
    do { summary = try decoder.decode(SimulationSummary.self, from: Data(last.utf8)) } catch {
      throw CommandFailure(
        .badInput, "\(name) does not end with a summary: the shard has not ended, or ran without --json")
    }
    guard summary.isPlausible else { throw CommandFailure(.badInput, "\(name): no shard counts like that") }
    let details = lines.dropLast().last.flatMap { line in
      do { return try decoder.decode(Simulate.DetailsLine.self, from: Data(line.utf8)) } catch { return nil }
    }
    settings = details?.settings
    share = details.flatMap { details in
      do { return Simulate.share(of: try Simulate.range(details.seeds), details.shard) } catch { return nil }
    }
    if let share, summary.sessions > share.count {
      throw CommandFailure(.badInput, "\(name): no shard counts like that")
    }
  }

  /// The summaries of shards, added up; nothing is counted twice, and what is not there is told.
  static func merged(_ names: [String]) throws -> SimulationSummary {
    var whole = SimulationSummary()
    var files: [ShardFile] = []
    for name in names {
      let file = try ShardFile(name)
      if let settings = file.settings, let other = files.first(where: { ($0.settings ?? settings) != settings }) {
        throw CommandFailure(
          .badInput,
          "\(name) and \(other.name) are of different campaigns: one has \(named(settings)), the other "
            + "\(named(other.settings))")
      }
      if let share = file.share {
        if let other = files.first(where: { $0.share?.overlaps(share) ?? false }) {
          throw CommandFailure(.badInput, "\(name) and \(other.name) have played the same seeds")
        }
        if file.summary.sessions < share.count {
          Output.note("\(name): ended after \(file.summary.sessions) of \(share.count) sessions")
        }
      }
      files.append(file)
      whole.merge(file.summary)
    }
    noteMissing(files.compactMap(\.share))
    return whole
  }

  private static func named(_ settings: String?) -> String {
    settings.flatMap { $0.isEmpty ? nil : $0 } ?? "no options"
  }

  /// What is told of what is missing has an end.
  private static let namedShards = 20

  private static func noteMissing(_ shares: [SeedShare]) {
    for (campaign, group) in Dictionary(grouping: shares, by: { Campaign(seeds: $0.seeds, shards: $0.shards) }) {
      let missing = Set(0..<campaign.shards).subtracting(group.map(\.shard)).sorted()
      guard !missing.isEmpty else { continue }
      let names = missing.prefix(namedShards).map(String.init).joined(separator: ", ")
      Output.note(
        "missing of \(campaign.seeds), in \(campaign.shards) shards: \(names)"
          + (missing.count > namedShards ? " and \(missing.count - namedShards) more" : ""))
    }
  }

  private struct Campaign: Hashable {
    var seeds: Range<UInt64>
    var shards: Int
  }
}
