// swift-iap2 · Apache-2.0

import CarPlaySession
import CarPlaySimulation
import IAP2
import IAP2Runtime
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Scenario

/// iAP2 inside the wireless CarPlay sessions of a scenario: CarPlayStart.md#tunnel.
@Suite struct InnerLinkScenarioTests {
  /// The outcome of a scenario, the events of both sides, and the records of its network.
  private struct Play {
    var outcome: ScenarioPlayer.Outcome
    var events: [(side: SessionSide, time: MonotonicTime, event: CarPlaySession.SessionEvent)] = []
    var records: [(time: MonotonicTime, record: NetworkRecord)] = []
    var secrets: [String] = []

    init(_ scenario: Scenario) throws {
      typealias Events = [(SessionSide, MonotonicTime, CarPlaySession.SessionEvent)]
      let events = Mutex<Events>([])
      let records = Mutex<[(MonotonicTime, NetworkRecord)]>([])
      let secrets = Mutex<[String]>([])
      outcome = try VirtualTime.run { clock in
        var player = ScenarioPlayer(
          scenario, clock: clock,
          showCarPlay: { side, time, event, _ in events.withLock { $0.append((side, time, event)) } },
          show: { _, _ in })
        player.sessionTap = SessionTap(
          record: { record in records.withLock { $0.append((clock.now, record)) } },
          secret: { secret in secrets.withLock { $0.append(secret.keyLogLine) } })
        return await player.play()
      }
      self.events = events.withLock { $0 }
      self.records = records.withLock { $0 }
      self.secrets = secrets.withLock { $0 }
    }

    init(_ yaml: String) throws { try self.init(try Scenario(yaml: yaml, file: "test.yaml")) }

    init(bundled name: String) throws { try self.init(try #require(try BundledScenarios.scenario(name))) }

    /// The events of a side's inner link, with the begin and the end of its sessions and the dropped Bluetooth.
    func story(of side: SessionSide) -> [String] {
      events.filter { $0.side == side }.compactMap { _, _, event in
        switch event {
        case .state(.live): "live"
        case .innerLink(.identified): "identified"
        case .innerLink(.ended(let cause)): "inner link ended: \(cause)"
        case .command(.disableBluetooth, _, _): "disableBluetooth"
        case .ended: "ended"
        default: nil
        }
      }
    }
  }

  private static let wireless = """
    headUnit: {features: [deviceNotifications, wirelessCarPlay, carPlay]}
    phone: {carPlay: false, wirelessCarPlay: true}
    carPlay: {wireless: true, paired: true}
    steps:

    """

  @Test(
    "Each session has a link of its own, which is identified before Bluetooth is dropped", arguments: SessionSide.all)
  func eachSession(side: SessionSide) throws {
    let play = try Play(bundled: "wireless-carplay")
    #expect(play.outcome == .complete)
    #expect(
      play.story(of: side) == [
        "live", "identified", "disableBluetooth", "ended", "inner link ended: transportClosed",
        "live", "identified", "ended", "inner link ended: transportClosed",
      ])
  }

  @Test("The link has zero-acknowledgement mode")
  func zeroAcknowledgement() throws {
    let play = try Play(
      Self.wireless + "  - expect: {phone: carPlayInnerLink, values: {state: identified}, within: 10}\n")
    #expect(play.outcome == .complete)
    var (synchronizations, acknowledgements) = (0, 0)
    for (side, _, event) in play.events {
      guard case .iAP(let bytes, let sender) = event, sender != side else { continue }
      var offset = 0
      while offset < bytes.count, let header = LinkHeader(startOf: Array(bytes[offset...]).rawBytes) {
        if header.control.contains(.synchronize) {
          let synchronization = try LinkSynchronization(Array(bytes[header.payload(at: offset)]).rawBytes)
          #expect(synchronization.isZeroAcknowledgement)
          synchronizations += 1
        } else if header.payloadByteCount == 0 {
          acknowledgements += 1
        }
        offset += header.byteCount
      }
    }
    // The only acknowledgement without a message is the one that ends the negotiation.
    #expect(synchronizations >= 2 && acknowledgements == 1)
  }

  @Test("A wired session has no link inside")
  func wired() throws {
    let play = try Play(bundled: "wired-carplay")
    #expect(play.outcome == .complete)
    #expect(!play.story(of: .phone).contains { $0.contains("identified") })
    #expect(!play.events.contains { if case .iAP = $0.event { true } else { false } })
    let waits = try Play(
      "headUnit: {features: [power, carPlay]}\ncarPlay: true\nsteps:\n"
        + "  - expect: {phone: carPlaySession, values: {state: live}}\n  - expect: {phone: carPlayInnerLink}\n")
    #expect(waits.outcome.failure?.contains("expected carPlayInnerLink") == true)
  }

  @Test("The head unit has a link with another phone, too, and it is not the one of the scenario's phone")
  func otherPhone() throws {
    let play = try Play(
      Self.wireless
        + """
          - expect: {headUnit: carPlayInnerLink, values: {state: identified}, within: 10}
          - phone: {session: {end: true}}
          - expect: {headUnit: carPlayInnerLink, values: {state: ended}}
          - phone: {session: {other: true}}
          - expect: {headUnit: carPlaySession, values: {state: live}}
          - expect: {headUnit: carPlayInnerLink, values: {state: identified}}
          - wait: 1

        """)
    #expect(play.outcome == .complete, "\(play.outcome)")
    #expect(play.story(of: .phone) == ["live", "identified", "ended", "inner link ended: transportClosed"])
  }

  @Test("The end of a scenario ends a link whose session is live")
  func endOfTheScenario() throws {
    let play = try Play(Self.wireless + "  - expect: {headUnit: carPlayInnerLink, within: 10}\n")
    for side in SessionSide.all {
      #expect(play.story(of: side) == ["live", "identified", "inner link ended: transportClosed"])
    }
  }

  // MARK: The tap

  @Test("A tap receives what passes the network, and nothing while it is lost")
  func tap() throws {
    let play = try Play(bundled: "wireless-carplay")
    // The pairing, its verification, and the verification and the key of the second session.
    #expect(
      play.secrets.map { $0.prefix { $0 != " " } } == [
        "CARPLAY_PAIR_SETUP", "CARPLAY_PAIR_VERIFY", "CARPLAY_AUTH_SETUP", "CARPLAY_PAIR_VERIFY", "CARPLAY_AUTH_SETUP",
      ])
    #expect(Set(play.secrets).count == play.secrets.count)
    var opened: Set<NetworkRecord.Path> = []
    var control = 0
    var datagrams = Set<Bool>()
    for (_, record) in play.records {
      switch record.content {
      case .opened(let isOwn):
        #expect(opened.insert(record.path).inserted, "a connection has ports of its own")
        if record.path.port == SessionNetwork.controlPort, !isOwn { control += 1 }
      case .bytes, .closed: #expect(opened.contains(record.path))
      case .datagram(_, let isOwn): datagrams.insert(isOwn)
      }
    }
    #expect(control == 2 && datagrams == [true, false])
    // The head unit calls the phone once, when it comes back into range.
    func isCall(_ record: NetworkRecord) -> Bool { record.path.port >= 50_000 && record.path.phonePort < 50_000 }
    let calls = play.records.map(\.record).filter(isCall).map(\.content)
    guard case .bytes(let request, isOwn: true)? = calls.dropFirst().first,
      case .bytes(let answer, isOwn: false)? = calls.dropFirst(2).first
    else {
      Issue.record("no control request: \(calls.count) records")
      return
    }
    #expect(calls.first == .opened(isOwn: true) && calls.last == .closed(isOwn: false) && calls.count == 4)
    #expect(throws: Never.self) { try ControlCall.read(request).get() }
    #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK\r\n"))
    let touch = try #require(play.events.last { if case .input = $0.event { true } else { false } })
    let back = try #require(play.events.last { if case .state(.connected) = $0.event { true } else { false } })
    #expect(play.records.contains { $0.time < touch.time } && play.records.contains { $0.time > back.time })
    let ofSessions = play.records.filter { !isCall($0.record) }
    #expect(!ofSessions.contains { $0.time > touch.time && $0.time.adding(milliseconds: 100) < back.time })
  }
}

extension SessionSide {
  fileprivate static let all: [SessionSide] = [.headUnit, .phone]
}
