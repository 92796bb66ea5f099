// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
package import IAP2Simulation

/// A plan of the plug and unplug cycles of one head unit and one phone, drawn from one seed before the first plug.
package struct CyclePlan: Sendable {
  /// A change of the connection between the two sides.
  enum Change: String, Sendable, Hashable {
    /// The cable is plugged in. Over the air, Bluetooth connects.
    case plug
    /// The cable is pulled. Over the air, Bluetooth is lost.
    case pull
    /// The cable is pulled, and no platform notices it. Over the air, the phone is out of Bluetooth's range.
    case silentPull
    /// The phone leaves the range of the access point.
    case networkLost
    /// The phone is back in the range.
    case networkBack
    /// The phone asks the head unit to drop Bluetooth, if its session is live.
    case dropBluetooth
    /// A platform notifies its side of a disconnect, although nothing was removed.
    case falseNoticeToHeadUnit, falseNoticeToPhone
  }

  /// A change after a time without one.
  struct Move: Sendable, Hashable {
    var waitMilliseconds: Int
    var change: Change
  }

  /// The kinds of faults that a plan may select. The others damage or reorder bytes, which a cable and Bluetooth do
  /// not, or are changes of the plan itself.
  package static let kinds: Set<FaultKind> = [
    .loss, .duplication, .splitting, .coalescing, .delay, .jitter, .rate, .stall, .notice,
  ]

  /// Whether the session is on the car's access point, and not on the cable of the link.
  package var isWireless: Bool
  /// Whether the two sides have not paired before the first cycle.
  package var pairs: Bool
  /// The changes of each cycle. The first one of a cycle that plugs is its start.
  var cycles: [[Move]]
  /// The time after the last cycle in which all sessions end and all records expire.
  static let restMilliseconds = 400_000
  /// The time after a removal in which both sides report the end, and the record of the phone expires.
  static let longGap = 130_000

  package init(seed: UInt64, cycleCount: Int, faults: Set<FaultKind>, isWireless: Bool? = nil) {
    var random = SeededGenerator(seed: seed &* 3 &+ 1)
    let drawn = random.chance(0.5)
    self.isWireless = isWireless ?? drawn
    pairs = random.chance(0.05)
    cycles = []
    for _ in 0..<cycleCount {
      var moves = self.isWireless ? Self.wireless(&random) : Self.wired(&random)
      let isSilent = random.chance(0.3)
      let hasFalseNotice = random.chance(0.2)
      let isToPhone = random.chance(0.5)
      if hasFalseNotice, faults.contains(.notice), let index = moves.indices.last {
        // Half of the time to the last removal passes before the notification, and half after it.
        let half = moves[index].waitMilliseconds / 2
        moves[index].waitMilliseconds -= half
        let change = isToPhone ? Change.falseNoticeToPhone : .falseNoticeToHeadUnit
        moves.insert(Move(waitMilliseconds: half, change: change), at: index)
      }
      if isSilent, faults.contains(.notice) {
        for index in moves.indices where moves[index].change == .pull { moves[index].change = .silentPull }
      }
      cycles.append(moves)
    }
  }

  /// Creates the plan of one plug that nothing disturbs for 30 s.
  package init(isWireless: Bool, pairs: Bool) {
    (self.isWireless, self.pairs) = (isWireless, pairs)
    let start = [Move(waitMilliseconds: Self.longGap, change: .plug)]
    cycles =
      isWireless
      ? [
        [Move(waitMilliseconds: 0, change: .networkBack)] + start + [
          Move(waitMilliseconds: 30_000, change: .networkLost), Move(waitMilliseconds: 0, change: .pull),
        ]
      ] : [start + [Move(waitMilliseconds: 30_000, change: .pull)]]
  }

  /// The time that the phone needs to join the access point in a simulation, in milliseconds. Ours, unverified.
  package static let joiningMilliseconds = MemoryWiFi.joiningMilliseconds

  /// Returns a random time: half of the times are in the first seconds, in which link and session go through most of
  /// their states.
  private static func moment(_ first: Int, _ random: inout SeededGenerator) -> Int {
    Int.random(in: 0...(random.chance(0.5) ? first : 20_000), using: &random)
  }

  private static func wired(_ random: inout SeededGenerator) -> [Move] {
    // A cable that is plugged in again within seconds meets sides that have not reported the end.
    let gap = random.chance(0.3) ? Int.random(in: 0...5_000, using: &random) : longGap
    return [Move(waitMilliseconds: gap, change: .plug), Move(waitMilliseconds: moment(1_500, &random), change: .pull)]
  }

  private static func wireless(_ random: inout SeededGenerator) -> [Move] {
    func move(_ milliseconds: Int, _ change: Change) -> Move { Move(waitMilliseconds: milliseconds, change: change) }
    let first = moment(3_000 + joiningMilliseconds, &random)
    let second = Int.random(in: 0...20_000, using: &random)
    let start = [move(longGap, .networkBack), move(0, .plug)]
    switch Int.random(in: 0..<4, using: &random) {
    // Bluetooth is lost, and then the network.
    case 0: return start + [move(first, .pull), move(second, .networkLost)]
    case 1: return start + [move(first + 3_000, .dropBluetooth), move(second, .networkLost), move(0, .pull)]
    // The network is lost for a time after which both sides have ended the session, and comes back.
    case 2:
      let away = Int.random(in: 30_000...60_000, using: &random)
      let back = Int.random(in: 0...60_000, using: &random)
      return start + [
        move(first, .networkLost), move(away, .networkBack), move(back, .networkLost), move(second, .pull),
      ]
    // The car drives away.
    default: return start + [move(first, .networkLost), move(0, .pull)]
    }
  }

  /// Whether a platform notifies of a disconnect that did not happen.
  var hasFalseNotice: Bool {
    cycles.joined().contains { $0.change == .falseNoticeToHeadUnit || $0.change == .falseNoticeToPhone }
  }

  /// The plan as text, a line for each cycle.
  package var lines: [String] {
    ["\(isWireless ? "wireless" : "wired")\(pairs ? ", not paired yet" : "")"]
      + cycles.enumerated().map { number, moves in
        "cycle \(number + 1): "
          + moves.map { "after \($0.waitMilliseconds) ms \($0.change.rawValue)" }.joined(separator: ", ")
      }
  }
}
