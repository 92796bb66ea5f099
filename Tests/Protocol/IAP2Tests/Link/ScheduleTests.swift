// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing

/// Every combination of fates of the first pieces on the wire.
@Suite struct ScheduleTests {
  /// Returns all schedules of a number of pieces that start with the given fate.
  static func schedules(_ count: Int, first: Fate, of fates: [Fate]) -> [[Fate]] {
    var all: [[Fate]] = [[first]]
    for _ in 1..<count { all = all.flatMap { schedule in fates.map { schedule + [$0] } } }
    return all
  }

  static let quick = [Fate.arrive, .lost, .twice, .late]

  static func messages(_ pair: Pair, at side: Side) -> [[UInt8]] {
    pair.observed[side]!.filter { if case .message = $0.event { true } else { false } }.map(\.bytes)
  }

  @Test(arguments: Fate.allCases) func fivePiecesOfDataArriveOnceAndInOrder(first: Fate) throws {
    var start = PairTests.pair()
    start.start()
    let up = start.run { $0.isUp }
    #expect(up)
    let fromAccessory = (0..<3).map(PairTests.message)
    let fromDevice = (10..<12).map(PairTests.message)
    for schedule in Self.schedules(5, first: first, of: Fate.allCases) {
      var pair = start
      pair.fates = schedule
      for message in fromAccessory { try pair.accessory.send(message: message) }
      for message in fromDevice { try pair.device.send(message: message) }
      pair.flush()
      let done = pair.run(limit: 200) { $0.accessory.isDrained && $0.device.isDrained }
      guard done, pair.violations.isEmpty, Self.messages(pair, at: .device) == fromAccessory,
        Self.messages(pair, at: .accessory) == fromDevice
      else {
        Issue.record("\(schedule): \(pair.violations), \(Self.messages(pair, at: .device))")
        return
      }
    }
  }

  @Test(arguments: ScheduleTests.quick) func aLinkComesUpUnderEveryFaultOfSixPieces(first: Fate) throws {
    for schedule in Self.schedules(6, first: first, of: Self.quick) {
      var pair = PairTests.pair()
      pair.fates = schedule
      pair.start()
      let up = pair.run(limit: 200) { $0.isUp }
      guard up else {
        Issue.record("\(schedule): \(pair.observed)")
        return
      }
      // Both sides agree on all values that must be equal.
      let agreed = Side.allCases.compactMap { side in
        pair.observed[side]!.compactMap { if case .linkUp(let local, _) = $0.event { local } else { nil } }.last
      }
      guard agreed.count == 2, agreed[0] == agreed[1], pair.violations.isEmpty else {
        Issue.record("\(schedule): \(agreed) \(pair.violations)")
        return
      }
      // The link delivers data once.
      try pair.device.send(message: PairTests.message(7))
      pair.flush()
      let arrived = pair.run(limit: 200) { $0.accessory.isDrained && $0.device.isDrained }
      guard arrived, Self.messages(pair, at: .accessory) == [PairTests.message(7)] else {
        Issue.record("\(schedule): the message did not arrive once")
        return
      }
    }
  }

  @Test(arguments: ScheduleTests.quick) func anOrderlyEndEndsBothSidesOnceUnderEveryFaultOfFourPieces(first: Fate) {
    var start = PairTests.pair()
    start.start()
    let up = start.run { $0.isUp }
    #expect(up)
    for schedule in Self.schedules(4, first: first, of: Self.quick) {
      var pair = start
      do { try pair.device.send(message: PairTests.message(1)) } catch { Issue.record("\(error)") }
      pair.fates = schedule
      pair.device.close(at: pair.now)
      pair.flush()
      let ended = pair.run(limit: 300) { Self.ends($0, .device).count == 1 }
      guard ended, Self.ends(pair, .device) == [.closed], Self.ends(pair, .accessory).count <= 1 else {
        Issue.record("\(schedule): \(Self.ends(pair, .device)) \(Self.ends(pair, .accessory))")
        return
      }
    }
  }

  static func ends(_ pair: Pair, _ side: Side) -> [LinkEnd] {
    pair.observed[side]!.compactMap { if case .linkDown(let end) = $0.event { end } else { nil } }
  }
}
