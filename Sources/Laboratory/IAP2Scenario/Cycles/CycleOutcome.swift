// swift-iap2 · Apache-2.0

package import CarPlaySession

/// The outcome of the plug and unplug cycles of one pair, or the sum of several outcomes.
package struct CycleOutcome: Sendable, Equatable {
  /// The number of plugs.
  package var cycles = 0
  /// The number of sessions that became live on the head unit.
  package var live = 0
  /// The number of sessions that began on each side.
  package var sessions: [SessionSide: Int] = [:]
  /// The ends that a side did not report.
  package var missed = 0
  /// The ends that a side reported although nothing was removed.
  package var falseEnds = 0
  /// The sockets, deadlines and records that were left behind.
  package var left = 0
  /// The times from a plug to the first picture of the head unit, in milliseconds of virtual time, of sessions that the
  /// link began.
  package var pictureMilliseconds: [Int] = []
  /// The number of plugs over the air after which the pair met on the network before the link had begun a session.
  package var meetings = 0
  /// The numbers of the reported ends by their causes.
  package var causes: [String: Int] = [:]
  /// The duration in milliseconds of virtual time.
  package var milliseconds = 0
  /// The violations as text.
  package var violations: [String] = []

  package init() {}

  /// Adds another outcome.
  package mutating func add(_ other: CycleOutcome) {
    cycles += other.cycles
    live += other.live
    sessions.merge(other.sessions, uniquingKeysWith: +)
    missed += other.missed
    falseEnds += other.falseEnds
    left += other.left
    meetings += other.meetings
    pictureMilliseconds += other.pictureMilliseconds
    causes.merge(other.causes, uniquingKeysWith: +)
    milliseconds += other.milliseconds
    violations += other.violations
  }
}
