// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Roles
import IAP2Scenario
import IAP2Simulation
import IAP2Transport
import Testing

/// Plug and unplug cycles with CarPlay sessions in virtual time, and their judge.
@Suite struct CycleTests {
  // MARK: Cycles

  @Test("No end is missed or false, and nothing is left behind", arguments: [true, false])
  func randomCycles(isWireless: Bool) {
    var sum = CycleOutcome()
    for seed in UInt64(1)...6 {
      let outcome = CycleSimulation(seed: seed, isWireless: isWireless).run()
      #expect(outcome.violations.isEmpty, "seed \(seed), wireless: \(isWireless)")
      sum.add(outcome)
    }
    #expect(sum.cycles == 24)
    #expect((sum.missed, sum.falseEnds, sum.left) == (0, 0, 0))
    // The judge has seen what it judges.
    #expect(sum.live > 12 && sum.pictureMilliseconds.count > 6)
    #expect(isWireless || sum.meetings == 0)
    #expect(sum.causes.keys.contains("headUnit.\(isWireless ? "clockSilent" : "linkLost")"))
  }

  @Test func aSeedRepeatsItsCycles() {
    for seed in UInt64(20)..<22 { #expect(CycleSimulation(seed: seed).run() == CycleSimulation(seed: seed).run()) }
  }

  @Test func aPullThatNoPlatformNoticesEndsBothSidesBySilence() {
    let outcomes = (UInt64(1)...4).map { CycleSimulation(seed: $0, faults: [.notice], isWireless: false).run() }
    #expect(outcomes.flatMap(\.violations) == [])
    #expect(outcomes.contains { $0.causes["link.timeout"] != nil })
  }

  // MARK: A broken side

  @Test func aHeadUnitThatNeverNoticesSilenceIsFound() {
    var simulation = CycleSimulation(isWireless: true)
    simulation.headUnitTimes.feedbackSilence = .seconds(100_000)
    simulation.headUnitTimes.clockSilence = .seconds(100_000)
    let outcome = simulation.run()
    #expect((outcome.missed, outcome.falseEnds) == (1, 0))
    // Its sockets, its deadline and its ends of the connections are still there.
    #expect(outcome.left >= 3)
    #expect(outcome.violations.contains { $0.contains("the head unit's session has no end 90 s after the removal") })
  }

  @Test func aPhoneThatEndsByItselfIsFound() {
    var simulation = CycleSimulation(isWireless: false)
    // Shorter than the way to the head unit and back.
    simulation.phoneTimes.feedbackAnswer = .microseconds(100)
    simulation.phoneTimes.feedbackMisses = 1
    let outcome = simulation.run()
    #expect(outcome.falseEnds >= 1)
    #expect(outcome.violations.contains { $0.contains("the phone's session ends (feedbackSilent) although nothing") })
  }

  // MARK: From the plug to the picture

  @Test(
    "What the known pauses leave of the time to the first picture is bounded",
    arguments: [true, false], [true, false])
  func firstPicture(isWireless: Bool, pairs: Bool) throws {
    // The phone joins the access point while it offers CarPlay.
    let joining = isWireless ? CyclePlan.joiningMilliseconds : 0
    let offer = max(joining, KnownPause.availability.milliseconds)
    let cases: [(Set<KnownPause>, Int)] = [
      ([], joining), (Set(KnownPause.allCases), KnownPause.identification.milliseconds + offer),
    ]
    for (made, known) in cases {
      let outcome = CycleSimulation(isWireless: isWireless, pairs: pairs, pauses: made).run()
      #expect(outcome.violations.isEmpty)
      let time = try #require(outcome.pictureMilliseconds.first)
      #expect(outcome.pictureMilliseconds.count == 1)
      let rest = time - known
      #expect((0...100).contains(rest), "\(time) ms, \(rest) ms beyond the pauses")
    }
  }
}
