// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2Simulation

extension Simulate {
  /// The limit of missing shards that are named.
  private static let namedShards = 20

  /// Adds up the outputs of shards, and reports unfinished and missing ones on stderr.
  func runMerge() throws {
    var sum = ShardSum()
    for shard in try merge.flatMap(Self.shards) {
      do throws(ShardSum.Problem) { try sum.add(shard) } catch { throw Self.failure(error, shard) }
      if !shard.isFinished {
        Output.note("\(shard.name): ended after \(shard.summary.sessions) of \(shard.share.count) sessions")
      }
    }
    for missing in sum.missing {
      let names = missing.numbers.prefix(Self.namedShards).map(String.init).joined(separator: ", ")
      let more = missing.numbers.count - Self.namedShards
      Output.note(
        "missing of \(missing.seeds), in \(missing.shards) shards: \(names)" + (more > 0 ? " and \(more) more" : ""))
    }
    try finish(sum.summary, details: nil)
    if !sum.isComplete { throw ExitStatus.failed.code }
  }

  private static func shards(in name: String) throws -> [ShardOutput] {
    let text = String(decoding: try InputFile.bytes(name), as: UTF8.self)
    do throws(ShardOutput.Problem) { return try ShardOutput.all(in: text, named: name) } catch {
      let reason =
        switch error {
        case .empty: " is empty: the shard has not finished"
        case .noSummary: " does not end with a summary: the shard has not finished, or ran without --json"
        case .noDetails: ": the line of details before the summary is missing; keep the whole output of a shard"
        case .invalidShare: ": the seeds or the shard of its details are invalid; run the shard again"
        case .implausible: ": its number of sessions does not fit its shard; run the shard again"
        }
      throw CommandFailure(.badInput, name + reason)
    }
  }

  private static func failure(_ problem: ShardSum.Problem, _ shard: ShardOutput) -> CommandFailure {
    func named(_ settings: String?) -> String { settings.flatMap { $0.isEmpty ? nil : $0 } ?? "no options" }
    switch problem {
    case .otherSettings(let other):
      return CommandFailure(
        .badInput,
        "\(shard.name) and \(other.name) are of different campaigns: one has \(named(shard.settings)), the other "
          + "\(named(other.settings))")
    case .sameSeeds(let other):
      return CommandFailure(
        .badInput, "\(shard.name) and \(other.name) have played the same seeds; leave out one of them")
    }
  }
}
