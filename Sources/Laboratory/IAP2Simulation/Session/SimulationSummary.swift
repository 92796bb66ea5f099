// swift-iap2 · Apache-2.0

/// What became of many sessions; sums of shards are the sum of the whole.
public struct SimulationSummary: Sendable, Equatable, Codable {
  public var sessions = 0
  /// Broken invariants.
  public var violations = 0
  /// Ends of connections that nobody noticed.
  public var missed = 0
  /// Ends that were told of connections that lived.
  public var falseVerdicts = 0
  /// Seeds of sessions in which an invariant was broken, in order.
  public var failingSeeds: [UInt64] = []

  enum CodingKeys: String, CodingKey {
    case sessions, violations, missed, failingSeeds
    case falseVerdicts = "false"
  }

  public init() {}

  /// More sessions than anybody plays; sums of so many shards as there may be files stay numbers.
  private static let limit = 1 << 40

  /// What a shard can have counted.
  public var isPlausible: Bool {
    let counts = [sessions, violations, missed, falseVerdicts]
    return counts.allSatisfy { (0...Self.limit).contains($0) } && failingSeeds.count <= sessions
      && failingSeeds.isEmpty == (violations == 0)
  }

  public mutating func add(_ outcome: SessionOutcome, seed: UInt64) {
    sessions += 1
    violations += outcome.violations.count
    missed += outcome.missed
    falseVerdicts += outcome.falseVerdicts
    if !outcome.violations.isEmpty { failingSeeds.append(seed) }
  }

  public mutating func merge(_ other: SimulationSummary) {
    sessions += other.sessions
    violations += other.violations
    missed += other.missed
    falseVerdicts += other.falseVerdicts
    failingSeeds = (failingSeeds + other.failingSeeds).sorted()
  }
}

/// Seeds that are simulated: a range, or one machine's share of it.
public struct SeedShare: Sendable, Hashable {
  public var seeds: Range<UInt64>
  /// Which share this is, from 0.
  public var shard: Int
  public var shards: Int

  /// - Returns: nil unless `0 ≤ shard < shards`.
  public init?(_ seeds: Range<UInt64>, shard: Int = 0, of shards: Int = 1) {
    guard shard >= 0, shard < shards else { return nil }
    self.seeds = seeds
    self.shard = shard
    self.shards = shards
  }

  public var count: Int {
    let (whole, rest) = seeds.count.quotientAndRemainder(dividingBy: shards)
    return whole + (shard < rest ? 1 : 0)
  }

  /// Every so many of the range, so that shares are alike.
  public subscript(number: Int) -> UInt64 { seeds.lowerBound + UInt64(number) * UInt64(shards) + UInt64(shard) }

  /// Some seed is in both.
  public func overlaps(_ other: SeedShare) -> Bool {
    if (seeds, shards) == (other.seeds, other.shards) { return shard == other.shard && count > 0 }
    // From the first seed of ours that is in the other's range on, every `other.shards`-th has the same place there.
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

/// Simulates many seeds.
public struct Campaign: Sendable {
  /// What else there is to say than the summary.
  public struct Totals: Sendable {
    public var summary = SimulationSummary()
    public var connected = 0
    /// Sessions in which damage got past the checksums, of which contents were not asked.
    public var undetected = 0
    public var virtualMilliseconds = 0
  }

  public var share: SeedShare
  public var settings: SimulationSettings

  public init(_ share: SeedShare, settings: SimulationSettings = SimulationSettings()) {
    self.share = share
    self.settings = settings
  }

  /// Plays them all, or as many as there is time for: cancellation ends it after the sessions that are being played.
  ///
  /// - Parameters:
  ///   - jobs: threads.
  ///   - progress: sessions done, after each.
  ///   - failed: each session in which an invariant was broken; from several threads.
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
