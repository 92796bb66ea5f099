// swift-iap2 · Apache-2.0

import Basics
import CarPlayPlatform
import IAP2
import IAP2Roles
import Testing

@testable import CarPlayHost

@Suite struct VehicleLinkTests {
  private static func time(_ milliseconds: Int) -> MonotonicTime { .zero.adding(milliseconds: milliseconds) }

  private static let pull = 10_000

  /// A connection that is pulled after 10 s, and its events of the following 60 s.
  private struct Pull {
    var link: VehicleLink
    /// The events of the phone after the pull, with their times after it in milliseconds.
    var phone: [(milliseconds: Int, event: VehicleLink.Event)] = []
    var headUnit: [(milliseconds: Int, event: VehicleLink.Event)] = []

    init(noticed: Bool?, _ change: (inout VehicleLinkOptions) -> Void = { _ in }) {
      var options = VehicleLinkOptions()
      change(&options)
      link = VehicleLink(options)
      link.connect(at: .zero)
      link.advance(to: VehicleLinkTests.time(VehicleLinkTests.pull))
      _ = link.takeReports()
      link.unplug(noticed: noticed, at: VehicleLinkTests.time(VehicleLinkTests.pull))
      link.advance(to: VehicleLinkTests.time(VehicleLinkTests.pull + 60_000))
      for report in link.takeReports() {
        let milliseconds = Int(report.time.nanoseconds / 1_000_000) - VehicleLinkTests.pull
        if report.side == .device {
          phone.append((milliseconds, report.event))
        } else {
          headUnit.append((milliseconds, report.event))
        }
      }
    }

    /// The cause and the time of the phone's decision that the car is disconnected.
    var end: (cause: DisconnectCause, milliseconds: Int)? { VehicleLinkTests.ends(phone).first }
    /// The supply that the phone reports, with its time.
    var supplies: [PowerSupply] {
      phone.compactMap { if case .power(let supply, _) = $0.event { supply } else { nil } }
    }
  }

  private static func ends(
    _ events: [(milliseconds: Int, event: VehicleLink.Event)]
  ) -> [(cause: DisconnectCause, milliseconds: Int)] {
    events.compactMap { if case .disconnected(let cause) = $0.event { (cause, $0.milliseconds) } else { nil } }
  }

  @Test("A plugged phone becomes connected within a second, and the car charges it")
  func connecting() throws {
    var link = VehicleLink()
    #expect(!link.isConnected(.device) && link.nextDeadline == nil)
    link.connect(at: .zero)
    link.advance(to: Self.time(1000))
    let reports = link.takeReports()
    #expect(link.isPlugged && link.isConnected(.device) && link.isConnected(.accessory))
    #expect(
      reports.filter { $0.event == .connected }.map(\.side).sorted { "\($0)" < "\($1)" } == [.accessory, .device])
    #expect(reports.contains { $0.event == .power(.charging, percent: 60) })
    #expect(link.supply == .charging)
  }

  @Test("A full phone is full while the car supplies it")
  func fullPhone() {
    var options = VehicleLinkOptions()
    options.batteryPercent = 100
    var link = VehicleLink(options)
    link.connect(at: .zero)
    link.advance(to: Self.time(1000))
    #expect(link.supply == .full && link.batteryPercent == 100)
  }

  @Test("A connection that nothing disturbs stays connected for an hour", arguments: LifecyclePolicy.allCases)
  func connectionsStay(policy: LifecyclePolicy) {
    var options = VehicleLinkOptions()
    options.policy = policy
    var link = VehicleLink(options)
    link.connect(at: .zero)
    link.advance(to: Self.time(3_600_000))
    #expect(link.isConnected(.device) && link.isConnected(.accessory))
    #expect(!link.takeReports().contains { if case .disconnected = $0.event { true } else { false } })
  }

  @Test("A noticed pull is one disconnect on each side, under every policy", arguments: LifecyclePolicy.allCases)
  func noticedPull(policy: LifecyclePolicy) throws {
    let pull = Pull(noticed: true) { $0.policy = policy }
    for events in [pull.phone, pull.headUnit] {
      let ends = Self.ends(events)
      #expect(ends.count == 1)
      #expect(ends.first?.cause == .notification)
    }
    let confirmation = policy == .evidence ? LifecycleTimes().confirmationMilliseconds : 0
    #expect(pull.end?.milliseconds == VehicleLinkOptions().noticeMilliseconds + confirmation)
    #expect(!pull.link.isConnected(.device) && pull.supplies == [.unplugged])
  }

  @Test("A lost notice leaves a phone that waits for notices connected, while its battery is unplugged")
  func lostNotice() {
    let pull = Pull(noticed: false)
    #expect(pull.end == nil && Self.ends(pull.headUnit).isEmpty)
    #expect(pull.link.isConnected(.device) && !pull.link.isPlugged)
    #expect(pull.phone.map(\.milliseconds) == [VehicleLinkOptions().supplyMilliseconds])
    #expect(pull.supplies == [.unplugged])
  }

  @Test("The workaround of 2GIS ends a connection whose notice is lost when the phone stops charging")
  func chargingEnds() {
    let pull = Pull(noticed: false) { $0.policy = .charging }
    #expect(pull.end?.cause == .chargingStopped)
    #expect(pull.end?.milliseconds == VehicleLinkOptions().supplyMilliseconds)
    #expect(Self.ends(pull.phone).count == 1)
  }

  @Test("The workaround of 2GIS sees nothing with a full battery or a power bank, and the app sees nothing of a bank")
  func limitsOfCharging() {
    let full = Pull(noticed: false) {
      $0.policy = .charging
      $0.batteryPercent = 100
    }
    #expect(full.end == nil && full.supplies == [.unplugged] && full.link.isConnected(.device))
    let bank = Pull(noticed: false) {
      $0.policy = .charging
      $0.otherCurrent = 1000
    }
    #expect(bank.end == nil && bank.supplies.isEmpty && bank.link.supply == .charging && bank.link.isConnected(.device))
  }

  @Test("Evidence finds every lost notice: with power after a check, and without it after a silence")
  func evidenceEnds() throws {
    let times = VehicleLinkOptions().times
    let silence = try #require(times.silenceMilliseconds)
    let pull = Pull(noticed: false) { $0.policy = .evidence }
    #expect(pull.end?.cause == .chargingStopped)
    #expect(
      pull.end?.milliseconds == VehicleLinkOptions().supplyMilliseconds + times.confirmationMilliseconds)
    for link in CarLink.allCases {
      let silent = Pull(noticed: false) {
        $0.policy = .evidence
        $0.link = link
        $0.otherCurrent = 1000
      }
      let end = try #require(silent.end)
      #expect([.timeout, .retransmissionLimit].contains(end.cause))
      #expect(end.milliseconds < silence + 10_000)
      #expect(Self.ends(silent.phone).count == 1 && Self.ends(silent.headUnit).count == 1)
    }
  }

  @Test(
    "A wireless connection does not charge, so only notice and evidence end it", arguments: LifecyclePolicy.allCases)
  func wirelessEnds(policy: LifecyclePolicy) {
    let noticed = Pull(noticed: true) {
      $0.policy = policy
      $0.link = .wireless
    }
    #expect(noticed.end?.cause == .notification)
    let lost = Pull(noticed: false) {
      $0.policy = policy
      $0.link = .wireless
    }
    #expect(lost.supplies.isEmpty && lost.link.supply == .unplugged)
    #expect((lost.end != nil) == (policy == .evidence))
  }

  @Test("A wireless phone that is taken off its pad is disconnected by the workaround only")
  func chargingPad() {
    for policy in LifecyclePolicy.allCases {
      var options = VehicleLinkOptions()
      options.policy = policy
      options.link = .wireless
      options.otherCurrent = 1000
      var link = VehicleLink(options)
      link.connect(at: .zero)
      link.advance(to: Self.time(2000))
      #expect(link.supply == .charging)
      link.setOtherCurrent(0, at: Self.time(3000))
      link.advance(to: Self.time(60_000))
      #expect(link.supply == .unplugged)
      #expect(link.isConnected(.device) == (policy != .charging))
    }
  }

  @Test("A new cable ends the old connection under evidence, and follows a ghost under the other policies")
  func replugging() {
    for policy in LifecyclePolicy.allCases {
      var options = VehicleLinkOptions()
      options.policy = policy
      var link = VehicleLink(options)
      link.connect(at: .zero)
      link.unplug(noticed: false, at: Self.time(10_000))
      link.connect(at: Self.time(10_200))
      link.advance(to: Self.time(12_000))
      let events = link.takeReports().filter { $0.side == .device }.map(\.event).filter {
        if case .power = $0 { false } else { true }
      }
      #expect(
        events
          == (policy == .evidence
            ? [.connected, .disconnected(.transportClosed), .connected] : [.connected, .reconnected]))
      #expect(link.isConnected(.device) && link.supply == .charging)
    }
  }

  @Test("The loss of notices is drawn from the seed, about as often as the options say")
  func losses() {
    func isLost(_ seed: UInt64) -> Bool {
      Pull(noticed: nil) {
        $0.noticeLoss = 0.2
        $0.seed = seed
      }.end == nil
    }
    let lost = (0..<100 as Range<UInt64>).count(where: isLost)
    #expect((8...35).contains(lost))
    #expect(isLost(3) == isLost(3))
    #expect(Pull(noticed: nil) { $0.noticeLoss = 1 }.end == nil && Pull(noticed: nil).end != nil)
  }

  /// Plugs, pulls and connects chargers in any order. In every case each end is reported once, time advances, and the
  /// final decision by evidence is correct.
  @Test("Any sequence of changes reports each end once", arguments: 0..<60 as Range<UInt64>)
  func anySequence(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var options = VehicleLinkOptions()
    options.policy = LifecyclePolicy.allCases.randomElement(using: &random) ?? .evidence
    options.link = CarLink.allCases.randomElement(using: &random) ?? .wired
    options.noticeLoss = 0.5
    options.seed = seed
    var link = VehicleLink(options)
    var moment = 0
    for _ in 0..<20 {
      moment += Int.random(in: -50...4000, using: &random)
      let time = Self.time(max(0, moment))
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1: link.connect(at: time)
      case 2: link.unplug(at: time)
      case 3: link.setOtherCurrent(Bool.random(using: &random) ? 1000 : 0, at: time)
      default: link.setBatteryPercent(Int.random(in: 0...100, using: &random), at: time)
      }
    }
    link.advance(to: link.now.adding(milliseconds: 120_000))
    let reports = link.takeReports()
    #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.time <= $1.time })
    for side in [Side.accessory, .device] {
      var isConnected = false
      for report in reports where report.side == side {
        switch report.event {
        case .connected:
          #expect(!isConnected)
          isConnected = true
        case .reconnected: #expect(isConnected)
        case .disconnected:
          #expect(isConnected)
          isConnected = false
        case .power: break
        }
      }
      #expect(isConnected == link.isConnected(side))
      if options.policy == .evidence { #expect(isConnected == link.isPlugged) }
    }
  }
}
