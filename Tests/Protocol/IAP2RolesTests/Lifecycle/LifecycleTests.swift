// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import Testing

/// Tests of the verdicts of each policy. Facts: Lifecycle.md#missed. This project chose the times.
@Suite struct LifecycleTests {
  static func at(_ milliseconds: Int) -> MonotonicTime { MonotonicTime.zero.adding(milliseconds: milliseconds) }

  static let times: LifecycleTimes = {
    var times = LifecycleTimes()
    times.silenceMilliseconds = LifecycleTimes.liveSilenceMilliseconds
    return times
  }()

  /// The usual values of a link.
  static let usual = AgreedRetransmission(milliseconds: 2000, limit: 30)

  /// Returns a connection that began at 0 ms with a battery that charges.
  static func connected(_ policy: LifecyclePolicy, link: AgreedRetransmission? = usual) -> Lifecycle {
    var lifecycle = Lifecycle(policy: policy, times: times)
    #expect(lifecycle.begin(at: at(0)).isEmpty)
    #expect(lifecycle.ready(link, at: at(0)) == [.connected])
    #expect(lifecycle.supplied(.charging, at: at(0)).isEmpty)
    #expect(lifecycle.charger(true, at: at(0)).isEmpty)
    return lifecycle
  }

  /// Lets time pass without bytes from the peer.
  static func wait(_ lifecycle: inout Lifecycle, until end: Int) -> [Lifecycle.Action] {
    var actions: [Lifecycle.Action] = []
    var steps = 0
    while let next = lifecycle.nextDeadline, next <= at(end), steps < 1000 {
      actions += lifecycle.handleDeadline(at: next)
      steps += 1
    }
    #expect(steps < 1000, "deadlines at one moment do not end")
    return actions
  }

  static func ends(_ actions: [Lifecycle.Action]) -> [DisconnectCause] {
    actions.compactMap { if case .disconnected(let end) = $0 { end.cause } else { nil } }
  }

  @Test(arguments: LifecyclePolicy.allCases) func aRequestedEndIsReportedOnce(policy: LifecyclePolicy) {
    var lifecycle = Self.connected(policy)
    #expect(Self.ends(lifecycle.linkEnded(.requested, isDecided: true, at: Self.at(10))) == [.requested])
    #expect(lifecycle.linkEnded(.transportClosed, isDecided: false, at: Self.at(11)).isEmpty)
    #expect(lifecycle.notified(at: Self.at(12)).isEmpty)
    #expect(lifecycle.supplied(.unplugged, at: Self.at(13)).isEmpty)
    #expect(!lifecycle.isConnected && lifecycle.nextDeadline == nil)
  }

  @Test func theNotificationPolicyMissesUnreportedEnds() {
    var lifecycle = Self.connected(.notification)
    #expect(lifecycle.supplied(.unplugged, at: Self.at(10)).isEmpty)
    #expect(lifecycle.linkEnded(.transportClosed, isDecided: false, at: Self.at(20)).isEmpty)
    #expect(lifecycle.isConnected)
    // The car connects again, and no action follows.
    #expect(lifecycle.begin(at: Self.at(1000)).isEmpty)
    #expect(lifecycle.ready(Self.usual, at: Self.at(1100)).isEmpty)
    #expect(Self.ends(lifecycle.notified(at: Self.at(2000))) == [.notification])
  }

  @Test func theWorkaroundDetectsTheEndOfChargingAndNoFullBattery() {
    var charging = Self.connected(.charging)
    #expect(Self.ends(charging.supplied(.unplugged, at: Self.at(10))) == [.chargingStopped])
    // The notification follows and changes nothing.
    #expect(charging.notified(at: Self.at(20)).isEmpty)
    var full = Self.connected(.charging)
    #expect(full.supplied(.full, at: Self.at(10)).isEmpty)
    #expect(full.supplied(.unplugged, at: Self.at(20)).isEmpty)
    #expect(full.isConnected)
  }

  @Test func aChargerAtTheWallIsNoConnection() {
    for policy in LifecyclePolicy.allCases {
      var lifecycle = Lifecycle(policy: policy)
      #expect(lifecycle.supplied(.charging, at: Self.at(0)).isEmpty)
      #expect(lifecycle.supplied(.unplugged, at: Self.at(10)).isEmpty)
    }
  }

  @Test func evidenceIsCheckedByProbesThatStayUnanswered() throws {
    var lifecycle = Self.connected(.evidence)
    let first = Evidence(.chargingStopped, at: Self.at(100))
    #expect(lifecycle.supplied(.unplugged, at: Self.at(100)) == [.suspected([first]), .probe])
    // The charger is disconnected too: evidence, but no second suspicion.
    #expect(lifecycle.charger(false, at: Self.at(101)).isEmpty)
    let actions = Self.wait(&lifecycle, until: 5000)
    #expect(actions.dropLast() == [.probe, .probe, .probe])
    guard case .disconnected(let end) = try #require(actions.last) else {
      Issue.record("no verdict")
      return
    }
    #expect(end.cause == .chargingStopped)
    #expect(end.evidence.map(\.kind) == [.chargingStopped, .chargerDisconnected, .probeUnanswered])
    #expect(end.latencyMilliseconds == 800)
  }

  @Test func anAnswerToAProbeClearsTheSuspicion() {
    var lifecycle = Self.connected(.evidence)
    // The engine starts, which interrupts the supply.
    #expect(lifecycle.supplied(.unplugged, at: Self.at(100)).count == 2)
    // These bytes may have been under way before.
    #expect(lifecycle.received(at: Self.at(105)).isEmpty)
    #expect(lifecycle.handleDeadline(at: Self.at(300)) == [.probe])
    #expect(lifecycle.received(at: Self.at(310)) == [.cleared])
    #expect(lifecycle.supplied(.charging, at: Self.at(900)).isEmpty)
    #expect(lifecycle.isConnected)
    // The next loss of supply is reported again.
    #expect(lifecycle.supplied(.unplugged, at: Self.at(1000)).first != nil)
  }

  @Test func silenceIsReportedOnlyAfterAnUnansweredProbe() {
    var lifecycle = Self.connected(.evidence)
    #expect(lifecycle.nextDeadline == Self.at(15_000))
    #expect(lifecycle.handleDeadline(at: Self.at(15_000)) == [.probe])
    #expect(lifecycle.received(at: Self.at(15_002)).isEmpty)
    #expect(lifecycle.handleDeadline(at: Self.at(30_002)) == [.probe])
    #expect(
      lifecycle.handleDeadline(at: Self.at(32_002)) == [.suspected([Evidence(.silence, at: Self.at(30_002))]), .probe])
    #expect(lifecycle.received(at: Self.at(32_010)) == [.cleared])
    #expect(lifecycle.nextDeadline == Self.at(47_010))
    #expect(Self.ends(Self.wait(&lifecycle, until: 60_000)) == [.timeout])
  }

  /// The time of the first probe, and the time of the verdict, of a peer that says nothing any more.
  @Test(arguments: [
    (AgreedRetransmission(milliseconds: 2000, limit: 30), 23_000),
    // The link would lose a packet after two transmissions.
    (AgreedRetransmission(milliseconds: 2000, limit: 2), 19_000),
    (AgreedRetransmission(milliseconds: 1000, limit: 30), 19_000),
    // Shorter than the time between two probes after a sign.
    (AgreedRetransmission(milliseconds: 20, limit: 30), 15_800),
  ]) func silenceAloneIsJudgedByTheLinksOwnPatience(link: AgreedRetransmission, verdict: Int) throws {
    var lifecycle = Self.connected(.evidence, link: link)
    #expect(Self.wait(&lifecycle, until: 14_999).isEmpty)
    #expect(Self.wait(&lifecycle, until: 15_000) == [.probe])
    #expect(Self.ends(Self.wait(&lifecycle, until: verdict - 1)).isEmpty)
    #expect(Self.ends(Self.wait(&lifecycle, until: verdict)) == [.timeout])
  }

  @Test func aSignDuringASilenceMakesTheCheckQuick() throws {
    var lifecycle = Self.connected(.evidence)
    #expect(Self.wait(&lifecycle, until: 15_000) == [.probe])
    let evidence = [Evidence(.silence, at: Self.at(15_000)), Evidence(.notification, at: Self.at(15_100))]
    #expect(lifecycle.notified(at: Self.at(15_100)) == [.suspected(evidence), .probe])
    let actions = Self.wait(&lifecycle, until: 15_900)
    #expect(actions.dropLast() == [.probe, .probe, .probe])
    #expect(Self.ends(actions) == [.notification])
  }

  @Test func aNotificationOfThePreviousConnectionDoesNotEndThisOne() {
    var lifecycle = Self.connected(.evidence)
    #expect(Self.ends(lifecycle.linkEnded(.transportClosed, isDecided: false, at: Self.at(10))) == [.transportClosed])
    #expect(lifecycle.begin(at: Self.at(500)).isEmpty)
    #expect(lifecycle.ready(Self.usual, at: Self.at(600)) == [.connected])
    #expect(lifecycle.notified(at: Self.at(700)).last == .probe)
    #expect(lifecycle.handleDeadline(at: Self.at(900)) == [.probe])
    #expect(lifecycle.received(at: Self.at(902)) == [.cleared])
  }

  @Test(arguments: LifecyclePolicy.allCases) func thePowerOfThePreviousPeerHasNoEffect(policy: LifecyclePolicy) {
    var lifecycle = Self.connected(policy)
    #expect(Self.ends(lifecycle.linkEnded(.requested, isDecided: true, at: Self.at(10))) == [.requested])
    #expect(lifecycle.begin(at: Self.at(500)).isEmpty)
    #expect(lifecycle.ready(Self.usual, at: Self.at(600)) == [.connected])
    #expect(lifecycle.supplied(.unplugged, at: Self.at(700)).isEmpty)
    #expect(lifecycle.charger(false, at: Self.at(700)).isEmpty)
  }

  @Test func aNewConnectionEndsTheConnectedOneAsReplugged() {
    var lifecycle = Self.connected(.evidence)
    #expect(Self.ends(lifecycle.begin(at: Self.at(400))) == [.replugged])
    #expect(lifecycle.ready(Self.usual, at: Self.at(500)) == [.connected])
  }

  @Test func withoutAcknowledgementsASecondKindOfEvidenceDecides() {
    var lifecycle = Self.connected(.evidence, link: nil)
    #expect(lifecycle.nextDeadline == nil)
    #expect(lifecycle.supplied(.unplugged, at: Self.at(10)).count == 1)
    // The charger is the same kind of evidence as the supply.
    #expect(lifecycle.charger(false, at: Self.at(11)).isEmpty)
    #expect(lifecycle.received(at: Self.at(20)) == [.cleared])
    #expect(lifecycle.notified(at: Self.at(30)).count == 1)
    #expect(Self.ends(lifecycle.sessionEnded(at: Self.at(40))) == [.notification])
  }

  @Test func anAppThatIsClosedIsCheckedPatientlyAndNotReported() {
    var lifecycle = Self.connected(.evidence)
    #expect(lifecycle.sessionEnded(at: Self.at(10)).isEmpty)
    // The acknowledgement of any packet shows that the peer is active, and no probe was needed.
    #expect(lifecycle.received(at: Self.at(30)).isEmpty)
    #expect(lifecycle.nextDeadline == Self.at(15_030))
    #expect(lifecycle.sessionEnded(at: Self.at(100)).isEmpty)
    #expect(Self.wait(&lifecycle, until: 2100) == [.probe])
    #expect(Self.wait(&lifecycle, until: 4100).first == .suspected([Evidence(.sessionEnded, at: Self.at(100))]))
    #expect(lifecycle.received(at: Self.at(4110)) == [.cleared])
    #expect(lifecycle.sessionEnded(at: Self.at(5000)).isEmpty)
    #expect(Self.ends(Self.wait(&lifecycle, until: 14_999)).isEmpty)
    #expect(Self.ends(Self.wait(&lifecycle, until: 15_000)) == [.sessionEnded])
  }

  @Test func aConnectionThatWasNeverReadyEndsWithItsLink() {
    for policy in LifecyclePolicy.allCases {
      var lifecycle = Lifecycle(policy: policy)
      #expect(lifecycle.begin(at: Self.at(0)).isEmpty)
      #expect(Self.ends(lifecycle.linkEnded(.timeout, isDecided: false, at: Self.at(10))) == [.timeout])
      #expect(lifecycle.linkEnded(.transportClosed, isDecided: false, at: Self.at(11)).isEmpty)
    }
  }

  /// Every schedule of five inputs: verdicts alternate, each suspicion is resolved, and a connection has a deadline.
  @Test(arguments: LifecyclePolicy.allCases) func verdictsAlternateUnderEverySchedule(policy: LifecyclePolicy) {
    let inputs: [(inout Lifecycle, MonotonicTime) -> [Lifecycle.Action]] = [
      { $0.begin(at: $1) }, { $0.ready(Self.usual, at: $1) },
      { $0.linkEnded(.transportClosed, isDecided: false, at: $1) },
      { $0.notified(at: $1) }, { $0.supplied(.charging, at: $1) }, { $0.supplied(.unplugged, at: $1) },
      { $0.received(at: $1) }, { $0.handleDeadline(at: $1) },
    ]
    let length = 5
    var schedule = [Int](repeating: 0, count: length)
    var count = 0
    repeat {
      var lifecycle = Lifecycle(policy: policy, times: Self.times)
      var isConnected = false
      var isSuspected = false
      for (step, input) in schedule.enumerated() {
        let wasOpen = lifecycle
        for action in inputs[input](&lifecycle, Self.at(step * 300)) {
          switch action {
          case .connected:
            #expect(!isConnected)
            isConnected = true
          case .suspected:
            #expect(isConnected && !isSuspected)
            isSuspected = true
          case .cleared:
            #expect(isSuspected)
            isSuspected = false
          case .disconnected(let end):
            #expect(!end.evidence.isEmpty && end.latencyMilliseconds >= 0)
            #expect(isConnected == wasOpen.isConnected)
            isConnected = false
            isSuspected = false
          case .probe: #expect(isConnected)
          }
        }
        #expect(lifecycle.isConnected == isConnected)
        #expect(policy != .evidence || !isConnected || lifecycle.nextDeadline != nil)
      }
      count += 1
    } while Self.advance(&schedule, base: inputs.count)
    #expect(count == 32_768)
  }

  static func advance(_ digits: inout [Int], base: Int) -> Bool {
    for index in digits.indices {
      digits[index] += 1
      if digits[index] < base { return true }
      digits[index] = 0
    }
    return false
  }
}
