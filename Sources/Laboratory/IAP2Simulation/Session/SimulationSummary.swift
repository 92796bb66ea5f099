// swift-iap2 · Apache-2.0

/// The summed outcomes of many sessions. The sum of the summaries of all shards is the summary of the whole range.
public struct SimulationSummary: Sendable, Equatable, Codable {
  /// The number of sessions.
  public var sessions = 0
  /// The number of violated invariants.
  public var violations = 0
  /// The number of missed disconnects (``SessionOutcome/missed``).
  public var missed = 0
  /// The number of inferred disconnects that a side reported while the connection was active. The JSON key is `false`.
  public var falseVerdicts = 0
  /// The seeds of sessions with violations. ``merge(_:)`` sorts them in ascending order.
  public var failingSeeds: [UInt64] = []

  enum CodingKeys: String, CodingKey {
    case sessions, violations, missed, failingSeeds
    case falseVerdicts = "false"
  }

  /// Creates a summary of no session.
  public init() {}

  /// The maximum of a plausible count, low enough that sums over many files do not overflow.
  private static let limit = 1 << 40

  /// Whether the counts are consistent: each from 0 to 2⁴⁰, at most one failing seed a session, and failing seeds
  /// exactly when there are violations.
  public var isPlausible: Bool {
    let counts = [sessions, violations, missed, falseVerdicts]
    return counts.allSatisfy { (0...Self.limit).contains($0) } && failingSeeds.count <= sessions
      && failingSeeds.isEmpty == (violations == 0)
  }

  /// Adds the outcome of the session with this seed.
  public mutating func add(_ outcome: SessionOutcome, seed: UInt64) {
    sessions += 1
    violations += outcome.violations.count
    missed += outcome.missed
    falseVerdicts += outcome.falseVerdicts
    if !outcome.violations.isEmpty { failingSeeds.append(seed) }
  }

  /// Adds another summary and sorts the failing seeds.
  public mutating func merge(_ other: SimulationSummary) {
    sessions += other.sessions
    violations += other.violations
    missed += other.missed
    falseVerdicts += other.falseVerdicts
    failingSeeds = (failingSeeds + other.failingSeeds).sorted()
  }
}

/// A shard of a range of seeds: every `shards`-th seed, from the `shard`-th on.
public struct SeedShare: Sendable, Hashable {
  /// The whole range of seeds.
  public var seeds: Range<UInt64>
  /// The index of this shard, from 0.
  public var shard: Int
  /// The number of shards of the range, at least 1.
  public var shards: Int

  /// Creates a shard; by default the only one, which is the whole range.
  ///
  /// - Returns: nil unless `0 ≤ shard < shards`.
  public init?(_ seeds: Range<UInt64>, shard: Int = 0, of shards: Int = 1) {
    guard shard >= 0, shard < shards else { return nil }
    self.seeds = seeds
    self.shard = shard
    self.shards = shards
  }

  /// The number of seeds in this shard.
  public var count: Int {
    let (whole, rest) = seeds.count.quotientAndRemainder(dividingBy: shards)
    return whole + (shard < rest ? 1 : 0)
  }

  /// The seed at an index of this shard; the index must be from 0 to below ``count``.
  public subscript(number: Int) -> UInt64 { seeds.lowerBound + UInt64(number) * UInt64(shards) + UInt64(shard) }

  /// Returns whether both shards have a seed in common.
  public func overlaps(_ other: SeedShare) -> Bool {
    if (seeds, shards) == (other.seeds, other.shards) { return shard == other.shard && count > 0 }
    // From this shard's first seed in the other's range on, the remainders modulo `other.shards` repeat after
    // `other.shards` seeds.
    let low = max(seeds.lowerBound, other.seeds.lowerBound)
    let step = UInt64(shards)
    let first = self[0]
    let start = first >= low ? first : first + (low - first + step - 1) / step * step
    let end = min(seeds.upperBound, other.seeds.upperBound)
    for place in 0..<UInt64(other.shards) {
      let (advance, overflow) = place.multipliedReportingOverflow(by: step)
      guard !overflow, start < end, advance < end - start else { return false }
      if (start + advance - other.seeds.lowerBound) % UInt64(other.shards) == UInt64(other.shard) { return true }
    }
    return false
  }
}

/// A simulation of all seeds of a shard.
public struct Campaign: Sendable {
  /// The summary of a campaign with further totals.
  public struct Totals: Sendable {
    /// The summed outcomes.
    public var summary = SimulationSummary()
    /// The number of connections that became ready on both sides.
    public var connected = 0
    /// The number of sessions in which damage passed the checksums, so that their contents were not checked.
    public var undetected = 0
    /// The duration of all sessions in milliseconds of virtual time.
    public var virtualMilliseconds = 0
  }

  /// The seeds of the campaign.
  public var share: SeedShare
  /// The settings of all sessions.
  public var settings: SimulationSettings

  /// Creates a campaign; by default with the standard profiles and all kinds of faults.
  public init(_ share: SeedShare, settings: SimulationSettings = SimulationSettings()) {
    self.share = share
    self.settings = settings
  }

  /// Runs the sessions of all seeds. After a cancellation, the running sessions complete and no further one starts.
  ///
  /// - Parameters:
  ///   - jobs: the number of threads; values below 1 mean 1.
  ///   - progress: called from several threads after each session, with the number of completed sessions.
  ///   - failed: called from several threads with the seed and the outcome of each session with violations.
  /// - Returns: the totals of the completed sessions.
  public func run(
    jobs: Int, progress: @escaping @Sendable (Int) -> Void = { _ in },
    failed: @escaping @Sendable (UInt64, SessionOutcome) -> Void = { _, _ in }
  ) async -> Totals {
    let totals = await Parallel.run(count: share.count, jobs: jobs, from: Totals(), progress: progress) {
      [share, settings] number, total in
      let seed = share[number]
      let outcome = SimulatedSession(seed: seed, settings: settings).run()
      total.summary.add(outcome, seed: seed)
      total.connected += outcome.connected
      total.undetected += outcome.undetected > 0 ? 1 : 0
      total.virtualMilliseconds += outcome.milliseconds
      if !outcome.violations.isEmpty { failed(seed, outcome) }
    }
    return totals.reduce(into: Totals()) { all, part in
      all.summary.merge(part.summary)
      all.connected += part.connected
      all.undetected += part.undetected
      all.virtualMilliseconds += part.virtualMilliseconds
    }
  }
}
