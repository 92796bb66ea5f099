// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Conformance

extension SessionCheck {
  /// The clocks and `/feedback`.
  static let timesOfPhones: [SessionCheck] = [
    .phone(
      "CCL-71", .sessionTime, "clock of the phone", "A phone answers each request of the clock with its time.", "clock",
      .high, .required
    ) { headUnit throws(Stop) in
      try await headUnit.goLiveWithClock()
      headUnit.asksClock = false
      await headUnit.pass(.milliseconds(500))
      headUnit.clockAnswers = []
      for _ in 0..<3 {
        await headUnit.askClock()
        await headUnit.pass(.milliseconds(100))
      }
      _ = await headUnit.wait(.seconds(1)) { headUnit.clockAnswers.count >= 3 }
      let references = headUnit.clockAnswers.map(\.reference)
      guard references.count == 3 else { throw .failed("3 requests of the clock got \(references.count) answers") }
      guard Set(references) == Set(headUnit.clockQuestions.suffix(3)) else {
        throw .failed("the answers of the clock do not repeat the times of the requests")
      }
    },
    .phone(
      "CCL-72", .sessionTime, "clock request from another port",
      "The clock answers the head unit after requests from another port.", "clock: a rule of our own", .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLiveWithClock()
      guard await headUnit.bind(.streamControl(.mainHighAudio)) != nil else {
        throw .inconclusive("the system refuses another port")
      }
      for _ in 0..<2 { await headUnit.askClock(from: .streamControl(.mainHighAudio)) }
      try await headUnit.demandClock(after: "requests from another port")
    },
    .phone(
      "CCL-73", .sessionTime, "silent clock", "A session goes on for 8 s without requests of the clock.",
      "clock-silence", .medium, .recommended
    ) { headUnit throws(Stop) in
      headUnit.asksClock = false
      try await headUnit.goLiveWithClock()
      await headUnit.pass(.seconds(8))
      try await headUnit.demandLife(after: "8 s without a request of the clock")
    },
    .phone(
      "CCL-74", .sessionTime, "unusual clock datagrams", "The clock answers after datagrams of other forms.",
      "clock: that others are skipped is a rule of our own", .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLiveWithClock()
      guard let port = headUnit.setUpRequest?.timingPort else { return }
      for bytes in [[], [0x80], [UInt8](repeating: 0x80, count: 31), [UInt8](repeating: 0xFF, count: 32)] {
        await headUnit.line.act([.sendDatagram(.clock, bytes, port: port)])
      }
      try await headUnit.demandClock(after: "unusual datagrams")
    },
    .phone(
      "CFB-71", .sessionTime, "/feedback without an answer",
      "A phone ends a session in which no /feedback is answered.", "session-times", .low
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      headUnit.change(.feedback) { _ in nil }
      try await headUnit.demandEnd(after: "the last answer to /feedback", within: .seconds(20))
    },
    .phone(
      "CFB-72", .sessionTime, "/feedback", "A phone sends /feedback about once a second.",
      "feedback: every 2 s in one program", .medium, .recommended
    ) { headUnit throws(Stop) in
      try await headUnit.goLive()
      headUnit.forgetSteps()
      await headUnit.pass(.seconds(5))
      let count = headUnit.handled.count { $0 == .feedback }
      guard (2...10).contains(count) else { throw .failed("the phone sent \(count) /feedback in 5 s") }
    },
  ]
}

extension ScriptedHeadUnit {
  /// Goes on to a live session with a clock.
  fileprivate func goLiveWithClock() async throws(Stop) {
    try await goLive()
    if setUpRequest?.timingPort == nil { throw .notApplicable("the phone states no timingPort") }
  }

  /// Demands that the phone's clock answers, and that the session lives.
  fileprivate func demandClock(after what: String) async throws(Stop) {
    await pass(.milliseconds(200))
    clockAnswers = []
    await askClock()
    guard await wait(.seconds(2), for: { !clockAnswers.isEmpty }) else {
      throw .failed("after \(what) a request of the clock got no answer")
    }
    try await demandLife(after: what)
  }
}
