// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import Testing

/// Which phone a head unit asks to connect, when, and how often (CarPlayStart.md#reconnect, #one-session).
@Suite struct PhoneCallerTests {
  private static let start = MonotonicTime(nanoseconds: 1 << 40)

  /// A caller with its clock.
  private struct Driver {
    var caller: PhoneCaller
    var now = PhoneCallerTests.start
    var calls: [String] = []
    var cancelCount = 0
    var events: [DiscoveryEvent] = []

    init(_ target: PhoneCaller.Target = .any) { caller = PhoneCaller(PhoneCaller.Settings(target)) }

    mutating func act(_ body: (inout PhoneCaller, MonotonicTime) -> Void) {
      body(&caller, now)
      collect()
    }

    mutating func collect() {
      for action in caller.takeActions() {
        switch action {
        case .call(let phone): calls.append("\(phone.id.name) \(phone.endpoint ?? "")")
        case .report(let event): events.append(event)
        case .cancel: cancelCount += 1
        }
      }
    }

    mutating func pass(_ duration: Duration) {
      let end = now.advanced(by: duration)
      while let deadline = caller.nextDeadline, deadline <= end {
        now = max(now, deadline)
        caller.handleDeadline(at: now)
        collect()
      }
      now = end
    }
  }

  private static func phone(
    _ name: String = "Phone", address: String = "192.0.2.2", port: UInt16 = 5000, id: String = "02:00:00:00:00:09"
  ) -> ServiceChange {
    let isIPv6 = address.contains(":")
    return .found(
      FoundService(
        FoundService.ID(.control, name: name, interface: "wlan0", isIPv6: isIPv6), host: "phone.local",
        address: address, port: port, text: TextRecord([.init("id", id)])))
  }

  private static func gone(_ name: String = "Phone", isIPv6: Bool = false) -> ServiceChange {
    .lost(FoundService.ID(.control, name: name, interface: "wlan0", isIPv6: isIPv6))
  }

  @Test func aPhoneIsAskedSevenTimesAndThenRarely() {
    var driver = Driver()
    driver.act { $0.take(Self.phone(), at: $1) }
    for _ in 0..<7 {
      driver.act { $0.answered(.none(reason: "no answer"), at: $1) }
      driver.pass(.seconds(2))
    }
    #expect(driver.calls == [String](repeating: "Phone 192.0.2.2:5000", count: 7))
    let failures = driver.events.filter { if case .failed = $0 { true } else { false } }
    #expect(failures.count == 7)
    #expect(failures.last == .failed(name: "Phone", reason: "no answer", pauses: true))
    // Its record may be older than its absence, so it is asked again, but rarely.
    driver.pass(.seconds(27))
    #expect(driver.calls.count == 7)
    driver.pass(.seconds(3))
    #expect(driver.calls.count == 8)
    driver.act { $0.answered(.none(reason: "no answer"), at: $1) }
    driver.pass(.seconds(29))
    #expect(driver.calls.count == 8)
    // With another port it is one that came anew.
    driver.act { $0.take(Self.phone(port: 5001), at: $1) }
    #expect(driver.calls.last == "Phone 192.0.2.2:5001")
  }

  @Test func betweenTwoRequestsIsAPause() {
    var driver = Driver()
    driver.act { $0.take(Self.phone(), at: $1) }
    driver.act { $0.answered(.status(500), at: $1) }
    driver.pass(.milliseconds(1249))
    #expect(driver.calls.count == 1)
    driver.pass(.milliseconds(1))
    #expect(driver.calls.count == 2)
  }

  @Test func eachAddressHasItsTurnAndTheLinkLocalOneIsTheFirst() {
    var driver = Driver()
    driver.act { $0.take(Self.phone(address: "169.254.1.1"), at: $1) }
    #expect(driver.calls.isEmpty, "no head unit uses such an address")
    driver.act { $0.take(Self.phone(address: "192.0.2.2"), at: $1) }
    driver.act { $0.take(Self.phone(address: "fe80::1%wlan0"), at: $1) }
    driver.act { $0.answered(.none(reason: "refused"), at: $1) }
    driver.pass(.seconds(2))
    driver.act { $0.answered(.none(reason: "refused"), at: $1) }
    driver.pass(.seconds(2))
    #expect(driver.calls == ["Phone 192.0.2.2:5000", "Phone 192.0.2.2:5000", "Phone [fe80::1%wlan0]:5000"])
  }

  @Test func aPhoneThatAnswersAndDoesNotConnectIsAskedAgain() {
    var driver = Driver()
    driver.act { $0.take(Self.phone(), at: $1) }
    driver.act { $0.answered(.status(200), at: $1) }
    driver.pass(.seconds(9))
    #expect(driver.calls.count == 1)
    driver.pass(.seconds(3))
    #expect(driver.calls.count == 2)
  }

  @Test func aRunningSessionIsNotInterrupted() {
    var driver = Driver()
    driver.act { $0.take(Self.phone("One"), at: $1) }
    driver.act { $0.answered(.status(200), at: $1) }
    driver.act { $0.sessionBegan(at: $1) }
    driver.act { $0.take(Self.phone("Two", port: 6000), at: $1) }
    driver.pass(.seconds(600))
    #expect(driver.calls == ["One 192.0.2.2:5000"])
    // Another phone is a choice of the user, so it is not called when the session ends.
    driver.act { $0.sessionEnded(.teardown, at: $1) }
    driver.pass(.seconds(600))
    #expect(driver.calls.count == 1)
  }

  @Test func aLostPhoneIsAskedAgainAndOneThatLeftInOrderIsNot() {
    for end in SessionEnd.allCases {
      var driver = Driver()
      driver.act { $0.take(Self.phone(), at: $1) }
      driver.act { $0.answered(.status(200), at: $1) }
      driver.act { $0.sessionBegan(at: $1) }
      driver.act { $0.sessionEnded(end, at: $1) }
      driver.pass(.seconds(60))
      #expect(driver.calls.count == (end.isLoss ? 2 : 1), "\(end)")
    }
    #expect(!SessionEnd.teardown.isLoss && !SessionEnd.stopped.isLoss && !SessionEnd.linkLost.isLoss)
    #expect(SessionEnd.controlLost.isLoss && SessionEnd.clockSilent.isLoss)
  }

  @Test func aPhoneThatCameByItselfAndWasLostIsAsked() {
    var driver = Driver()
    driver.act { $0.sessionBegan(at: $1) }
    driver.act { $0.take(Self.phone(), at: $1) }
    #expect(driver.calls.isEmpty)
    driver.act { $0.sessionEnded(.controlLost, at: $1) }
    driver.pass(.seconds(2))
    #expect(driver.calls.count == 1)
  }

  @Test func theOnlyPhoneIsAskedAfterALossAlsoIfItLeftInOrderBefore() {
    for (count, names) in [(1, ["Phone 192.0.2.2:5000"]), (2, [])] {
      var driver = Driver()
      driver.act { $0.sessionBegan(at: $1) }
      for number in 1...count {
        let name = number == 1 ? "Phone" : "Other"
        driver.act { $0.take(Self.phone(name), at: $1) }
      }
      driver.act { $0.sessionEnded(.teardown, at: $1) }
      driver.pass(.seconds(60))
      #expect(driver.calls.isEmpty)
      driver.act { $0.sessionBegan(at: $1) }
      driver.act { $0.sessionEnded(.controlLost, at: $1) }
      driver.pass(.seconds(2))
      // Nothing shows which one of several was lost.
      #expect(driver.calls == names)
    }
  }

  @Test func aGoodbyeThatCameLateIsNoArrival() {
    for (pause, port, count) in [
      (Duration.seconds(9), UInt16(5000), 1), (.seconds(11), 5000, 2), (.seconds(1), 5001, 2),
    ] {
      var driver = Driver()
      driver.act { $0.take(Self.phone(), at: $1) }
      driver.act { $0.sessionBegan(at: $1) }
      driver.act { $0.sessionEnded(.teardown, at: $1) }
      driver.act { $0.take(Self.gone(), at: $1) }
      driver.pass(pause)
      driver.act { $0.take(Self.phone(port: port), at: $1) }
      driver.pass(.seconds(2))
      #expect(driver.calls.count == count, "\(pause) \(port)")
    }
  }

  @Test func aRequestIsDroppedWhenTheSessionBegins() {
    var driver = Driver()
    driver.act { $0.take(Self.phone(), at: $1) }
    driver.act { $0.sessionBegan(at: $1) }
    #expect(driver.cancelCount == 1)
    // What comes of it all the same changes nothing.
    driver.act { $0.answered(.none(reason: "no answer"), at: $1) }
    driver.act { $0.sessionEnded(.teardown, at: $1) }
    driver.pass(.seconds(60))
    #expect(driver.calls.count == 1)
  }

  @Test func phonesTakeTurns() {
    var driver = Driver()
    driver.act { $0.take(Self.phone("A"), at: $1) }
    driver.act { $0.take(Self.phone("B", address: "192.0.2.3"), at: $1) }
    for _ in 0..<4 {
      driver.act { $0.answered(.none(reason: "no answer"), at: $1) }
      driver.pass(.seconds(2))
    }
    #expect(driver.calls.map { $0.prefix(1) } == ["A", "B", "A", "B", "A"])
    // One that comes is asked before those that were asked in vain.
    driver.act { $0.take(Self.phone("C", address: "192.0.2.4"), at: $1) }
    driver.act { $0.answered(.none(reason: "no answer"), at: $1) }
    driver.pass(.seconds(2))
    #expect(driver.calls.last?.prefix(1) == "C")
  }

  @Test(arguments: [true, false]) func anotherPhoneIsAskedWhenThatOfTheSessionIsGone(isLoss: Bool) {
    var driver = Driver()
    driver.act { $0.take(Self.phone("A"), at: $1) }
    driver.act { $0.answered(.status(200), at: $1) }
    driver.act { $0.sessionBegan(at: $1) }
    driver.act { $0.take(Self.phone("B", address: "192.0.2.3"), at: $1) }
    driver.act { $0.sessionEnded(isLoss ? .clockSilent : .teardown, at: $1) }
    driver.pass(.seconds(2))
    if isLoss {
      // The phone of the session stays on the network and does not answer.
      for _ in 0..<7 {
        driver.act { $0.answered(.none(reason: "no answer"), at: $1) }
        driver.pass(.seconds(2))
      }
      #expect(driver.calls.map { $0.prefix(1) } == ["A"] + [Substring](repeating: "A", count: 7) + ["B"])
    } else {
      #expect(driver.calls.count == 1, "the user ended the session")
      driver.act { $0.take(Self.gone("A"), at: $1) }
      driver.pass(.seconds(2))
      #expect(driver.calls.map { $0.prefix(1) } == ["A", "B"])
    }
  }

  @Test func anotherPhoneIsAskedWhenTheFirstGaveUp() {
    var driver = Driver()
    driver.act { $0.take(Self.phone("One"), at: $1) }
    driver.act { $0.take(Self.phone("Two", port: 6000), at: $1) }
    for _ in 0..<7 {
      driver.act { $0.answered(.none(reason: "no answer"), at: $1) }
      driver.pass(.seconds(2))
    }
    #expect(driver.calls.last == "Two 192.0.2.2:6000")
  }

  @Test(arguments: ["Two", "02:00:00:00:00:22", "020000000022"])
  func thePhoneThatTheUserNamesIsAsked(_ name: String) {
    var driver = Driver(.named(name))
    driver.act { $0.take(Self.phone("One", id: "02:00:00:00:00:11"), at: $1) }
    driver.act { $0.take(Self.phone("Two", port: 6000, id: "02:00:00:00:00:22"), at: $1) }
    #expect(driver.calls == ["Two 192.0.2.2:6000"])
  }

  @Test func aPhoneThatIsGoneIsNotAsked() {
    var driver = Driver()
    driver.act { $0.take(Self.phone(), at: $1) }
    driver.act { $0.answered(.none(reason: "no answer"), at: $1) }
    driver.act { $0.take(Self.gone(), at: $1) }
    driver.pass(.seconds(60))
    #expect(driver.calls.count == 1)
    #expect(driver.caller.nextDeadline == nil, "nothing is left")
    driver.act { $0.take(Self.phone(), at: $1) }
    #expect(driver.calls.count == 2)
  }

  /// A hostile network announces any number of phones.
  @Test func theNumberOfPhonesHasALimit() {
    var driver = Driver()
    for number in 0..<1200 { driver.act { $0.take(Self.phone("Phone \(number)"), at: $1) } }
    let found = driver.events.filter { if case .found = $0 { true } else { false } }
    #expect(found.count == 1000 && driver.calls.count == 1)
  }
}
