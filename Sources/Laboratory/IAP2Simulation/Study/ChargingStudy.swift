// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Roles

/// A study that measures each `LifecyclePolicy` in every ``StudyCase``.
public struct ChargingStudy: Sendable {
  /// The results of one side in one case under one policy.
  public struct Tally: Sendable, Equatable {
    /// The number of trials.
    public var trials = 0
    /// The number of disconnects without a verdict within 60 s, or before the next connection was ready.
    public var missed = 0
    /// The number of trials with a verdict for a connection that had not ended.
    public var falseVerdicts = 0
    /// The times from the physical event to the verdict, in milliseconds.
    /// ``ChargingStudy/run(disconnects:jobs:progress:)`` sorts them at the end.
    fileprivate var times: [Float] = []

    /// Returns a percentile, by the nearest rank, of the times from a disconnect to its verdict, in milliseconds.
    /// Returns nil when no disconnect was detected.
    public func milliseconds(percent: Int) -> Int? {
      guard !times.isEmpty else { return nil }
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

  /// The results of one case under one policy.
  public struct Row: Sendable {
    /// The case of the trials.
    public var studyCase: StudyCase
    /// The policy of both sides.
    public var policy: LifecyclePolicy
    /// The results of the phone.
    public var phone = Tally()
    /// The results of the head unit.
    public var headUnit = Tally()
  }

  /// Returns a row for each case and policy, in the order of ``StudyCase/all`` and of the policies.
  private static func emptyRows() -> [Row] {
    StudyCase.all.flatMap { one in LifecyclePolicy.allCases.map { Row(studyCase: one, policy: $0) } }
  }

  /// Returns the smallest number of trials with at least this number of disconnects. Every row has the same number of
  /// trials, and the cases whose connection stays up have no disconnect.
  public static func trialCount(disconnects: Int) -> Int {
    let rows = emptyRows()
    let ending = rows.count { $0.studyCase.event.isEnd }
    return (disconnects + ending - 1) / ending * rows.count
  }

  /// Runs the study.
  ///
  /// - Parameters:
  ///   - confirmationMilliseconds: the time that probes stay unanswered after a sign.
  ///   - disconnects: the minimum number of disconnects in all trials; values below 1 mean 1. Each row has at least one
  ///     trial.
  ///   - jobs: the number of threads; values below 1 mean 1.
  ///   - progress: called from several threads after each trial, with the number of completed trials.
  /// - Returns: a row for each case and policy. After a cancellation, rows may have fewer trials.
  public static func run(
    confirmationMilliseconds: Int = LifecycleTimes().confirmationMilliseconds, disconnects: Int, jobs: Int,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async -> [Row] {
    let rows = emptyRows()
    let count = trialCount(disconnects: max(1, disconnects))
    let parts = await Parallel.run(count: count, jobs: jobs, from: rows, progress: progress) { number, rows in
      let index = number % rows.count
      // The same seeds in every row, so that rows with the same kinds of events have the same times.
      let trial = StudyTrial(
        studyCase: rows[index].studyCase, policy: rows[index].policy, seed: UInt64(number / rows.count),
        confirmationMilliseconds: confirmationMilliseconds)
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
