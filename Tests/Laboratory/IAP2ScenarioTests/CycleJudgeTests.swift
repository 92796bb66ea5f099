// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing

@testable import IAP2Scenario

/// The judge of plug and unplug cycles, with events of broken sides.
@Suite struct CycleJudgeTests {
  private static func at(_ milliseconds: Int) -> MonotonicTime { MonotonicTime.zero.adding(milliseconds: milliseconds) }

  /// Returns the outcome of a wireless session that begins on both sides at 100 ms, with further events.
  private static func judge(
    _ body: (inout CycleJudge) -> Void, left: [String] = []
  ) -> CycleOutcome {
    var judge = CycleJudge(isWireless: true, outcome: CycleOutcome())
    judge.take(.plug, at: at(0))
    for side in SessionSide.allCases {
      judge.take(.state(.connected), of: side, at: at(100))
      judge.take(.state(.setUp), of: side, at: at(110))
      judge.take(.state(.live), of: side, at: at(120))
    }
    body(&judge)
    judge.finish(left: left, at: at(500_000))
    return judge.outcome
  }

  private static func end(_ judge: inout CycleJudge, _ side: SessionSide, _ end: SessionEnd, at time: Int) {
    judge.take(.ended(end), of: side, at: at(time))
  }

  @Test func endsBehindALossAreRight() {
    let outcome = Self.judge { judge in
      judge.take(.networkLost, at: Self.at(10_000))
      Self.end(&judge, .phone, .feedbackSilent, at: 16_000)
      Self.end(&judge, .headUnit, .clockSilent, at: 17_000)
    }
    #expect(outcome.violations.isEmpty)
    #expect(outcome.causes == ["phone.feedbackSilent": 1, "headUnit.clockSilent": 1])
  }

  @Test func anEndWithoutALossIsFalse() {
    let outcome = Self.judge { Self.end(&$0, .phone, .feedbackSilent, at: 16_000) }
    #expect(outcome.falseEnds == 1)
  }

  @Test func anEndThatDoesNotComeIsMissed() {
    let outcome = Self.judge { judge in
      judge.take(.networkLost, at: Self.at(10_000))
      Self.end(&judge, .phone, .feedbackSilent, at: 16_000)
    }
    #expect((outcome.missed, outcome.falseEnds) == (1, 0))
  }

  @Test func aSecondEndIsFound() {
    let outcome = Self.judge { judge in
      judge.take(.networkLost, at: Self.at(10_000))
      for side in SessionSide.allCases { Self.end(&judge, side, .clockSilent, at: 16_000) }
      Self.end(&judge, .headUnit, .feedbackSilent, at: 20_000)
    }
    #expect(outcome.violations.count == 1)
    #expect(outcome.violations.first?.contains("reports an end (feedbackSilent) without a session") == true)
  }

  @Test func aCauseThatNoLossHasIsFound() {
    let outcome = Self.judge { judge in
      judge.take(.networkLost, at: Self.at(10_000))
      Self.end(&judge, .phone, .badFrame, at: 16_000)
      Self.end(&judge, .headUnit, .clockSilent, at: 17_000)
    }
    #expect(outcome.violations.count == 1)
    #expect((outcome.missed, outcome.falseEnds) == (0, 0))
  }

  @Test func aSideThatIsLiveAloneIsFound() {
    let outcome = Self.judge { judge in
      judge.take(.networkLost, at: Self.at(10_000))
      for side in SessionSide.allCases { Self.end(&judge, side, .clockSilent, at: 16_000) }
      judge.take(.networkBack, at: Self.at(40_000))
      judge.take(.state(.connected), of: .phone, at: Self.at(42_000))
      judge.take(.state(.live), of: .phone, at: Self.at(42_100))
      judge.take(.networkLost, at: Self.at(50_000))
      Self.end(&judge, .phone, .requestTimeout, at: 53_000)
    }
    #expect(outcome.violations.count == 1)
    #expect(outcome.violations.first?.contains("the other side was never live") == true)
  }

  @Test func whatIsLeftIsCounted() {
    let outcome = Self.judge(
      { judge in
        judge.take(.networkLost, at: Self.at(10_000))
        for side in SessionSide.allCases { Self.end(&judge, side, .clockSilent, at: 16_000) }
      }, left: ["2 sockets of the head unit"])
    #expect(outcome.left == 1)
    #expect(outcome.violations.count == 1)
  }
}
