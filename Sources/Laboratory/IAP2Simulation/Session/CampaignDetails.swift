// swift-iap2 · Apache-2.0

/// The details of a shard's run, beside its summary, for JSON.
package struct CampaignDetails: Codable {
  var event = "details"
  /// The seeds and the shard, as ``SeedShare`` parses them.
  var seeds: String
  var shard: String
  /// The settings of the sessions as words of a command line; nil in the output of older versions.
  var settings: String?
  var connected: Int
  var undetectedDamage: Int
  var virtualSeconds: Int

  /// Creates the details of a run.
  package init(_ totals: Campaign.Totals, of share: SeedShare, settings: String) {
    self.settings = settings
    seeds = "\(share.seeds.lowerBound)..<\(share.seeds.upperBound)"
    shard = "\(share.shard)/\(share.shards)"
    connected = totals.connected
    undetectedDamage = totals.undetected
    virtualSeconds = totals.virtualMilliseconds / 1000
  }

  /// The share; nil if the texts cannot be parsed.
  var share: SeedShare? { SeedShare.range(seeds).flatMap { SeedShare($0, parsing: shard) } }

  /// The details as a sentence.
  package var text: String {
    "\(connected) connections became ready, in \(virtualSeconds / 3600) h of virtual time; in \(undetectedDamage) "
      + "sessions damage passed the checksums, and contents were not compared"
  }
}

extension SeedShare {
  /// The limit of shards, because shares are compared with each other.
  package static let maximumShards = 1 << 20

  /// Creates a share from a text such as `3/8`; nil if the text is not a shard of at most ``maximumShards``.
  package init?(_ seeds: Range<UInt64>, parsing text: String) {
    let parts = text.split(separator: "/").map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], count <= Self.maximumShards else { return nil }
    self.init(seeds, shard: number, of: count)
  }

  /// Returns the seeds of a text such as `0..<1000`; nil if the text is not a range of 1 to 2⁴⁰ seeds.
  package static func range(_ text: String) -> Range<UInt64>? {
    let ends = text.split(separator: "..<", omittingEmptySubsequences: false)
    guard ends.count == 2, let lower = UInt64(ends[0]), let upper = UInt64(ends[1]), lower < upper,
      upper - lower <= 1 << 40
    else { return nil }
    return lower..<upper
  }
}
