// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Roles

/// How the three policies do in every ``StudyCase``.
public struct ChargingStudy: Sendable {
  /// What one side made of one case under one policy.
  public struct Tally: Sendable, Equatable {
    public var trials = 0
    public var missed = 0
    public var falseVerdicts = 0
    /// From the physical event to the verdict, in milliseconds; sorted at the end.
    fileprivate var times: [Float] = []

    /// The time within which so many percent of the ends that were noticed were noticed; nil where none was.
    public func milliseconds(percent: Int) -> Int? {
      guard !times.isEmpty else { return nil }
      // The nearest rank.
      let rank = (times.count * percent + 99) / 100
      return Int(times[max(0, rank - 1)].rounded())
    }

    fileprivate mutating func add(_ verdict: StudyTrial.Verdict) {
      trials += 1
      missed += verdict.isMissed ? 1 : 0
      falseVerdicts += verdict.isFalse ? 1 : 0
      if let milliseconds = verdict.milliseconds { times.append(Float(milliseconds)) }
    }

    fileprivate mutating func merge(_ other: Tally) {
      trials += other.trials
      missed += other.missed
      falseVerdicts += other.falseVerdicts
      times += other.times
    }
  }

  public struct Row: Sendable {
    public var studyCase: StudyCase
    public var policy: LifecyclePolicy
    public var phone = Tally()
    public var headUnit = Tally()
  }

  /// One row for each case and policy, in their order.
  private static func emptyRows() -> [Row] {
    StudyCase.all.flatMap { one in LifecyclePolicy.allCases.map { Row(studyCase: one, policy: $0) } }
  }

  /// How many trials have at least so many disconnects: each row has as many as the others, and in some cases nothing
  /// ends.
  public static func trialCount(disconnects: Int) -> Int {
    let rows = emptyRows()
    let ending = rows.count { $0.studyCase.event != .nothing }
    return (disconnects + ending - 1) / ending * rows.count
  }

  /// - Parameters:
  ///   - disconnects: in all, at least one for each row that has any.
  ///   - jobs: threads.
  public static func run(
    disconnects: Int, jobs: Int, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> [Row] {
    let rows = emptyRows()
    let count = trialCount(disconnects: max(1, disconnects))
    let parts = await Parallel.run(count: count, jobs: jobs, from: rows, progress: progress) { number, rows in
      let index = number % rows.count
      // All rows are shown the same events, as far as they have them, and a row does not depend on the others.
      let trial = StudyTrial(
        studyCase: rows[index].studyCase, policy: rows[index].policy, seed: UInt64(number / rows.count))
      let verdicts = trial.run()
      if let verdict = verdicts[.device] { rows[index].phone.add(verdict) }
      if let verdict = verdicts[.accessory] { rows[index].headUnit.add(verdict) }
    }
    var whole = rows
    for part in parts {
      for index in whole.indices {
        whole[index].phone.merge(part[index].phone)
        whole[index].headUnit.merge(part[index].headUnit)
      }
    }
    for index in whole.indices {
      whole[index].phone.times.sort()
      whole[index].headUnit.times.sort()
    }
    return whole
  }
}
