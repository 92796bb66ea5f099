// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
import IAP2Roles
import IAP2Simulation

extension Simulate {
  func runStudy() async throws {
    let count = ChargingStudy.trialCount(disconnects: disconnects)
    let progress = CountProgress(total: count, unit: "connections")
    let (rows, isInterrupted) = await StopSignal.finish(whenUnread: true) { [disconnects, jobs, confirmation] in
      await ChargingStudy.run(
        confirmationMilliseconds: confirmation.map { Int($0 * 1000) } ?? LifecycleTimes().confirmationMilliseconds,
        disconnects: disconnects, jobs: jobs, progress: { progress?.note($0) })
    }
    progress?.clear()
    let total = StudyTotalLine(rows)
    if !isInterrupted, total.trials < count { throw CommandFailure.noThread }
    if json {
      for row in rows { try Output.json(StudyLine(row)) }
      try Output.json(total)
    } else {
      for line in StudyTable.lines(rows) { Output.line(line) }
    }
    guard isInterrupted else { return }
    Output.note("ended after \(total.trials) of \(count) connections")
    throw ExitStatus.failed.code
  }
}
