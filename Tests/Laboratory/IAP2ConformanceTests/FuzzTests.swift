// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance
import IAP2Fuzzing
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization
import Testing

/// Tests of the fuzzer with peers that have one defect each, and with the project's own roles, which have none.
struct FuzzTests {
  @Test(arguments: Side.allCases)
  func `the own roles survive, and the rounds reach every state, EA sessions and files`(side: Side) throws {
    let (report, findings) = try run(120, against: side) { transport, _ in transport }
    #expect(findings.allSatisfy { !$0.outcome.isFailure }, "\(findings.map { $0.schedule.text })")
    guard case .done = report.end else { return #expect(Bool(false), "\(report.end)") }
    for state in FuzzCoverage.State.allCases { #expect(report.coverage[state] > 0, "\(state)") }
    #expect(report.coverage[.ready] > 90 && report.coverage[.externalAccessoryOpened] > 80)
    for type in [LinkSessionType.control, .externalAccessory, .fileTransfer] {
      #expect(report.coverage.changedPackets[type, default: 0] > 10, "\(type)")
    }
    #expect(report.coverage.changedMessages.count > 5 && report.coverage.receivedMessages.count > 5)
    #expect(!report.questions.messages.isEmpty && report.questions.file)
  }

  @Test(arguments: Side.allCases)
  func `a peer that dies of the largest Setup is a crash`(side: Side) throws {
    let (report, findings) = try run(120, against: side) { transport, isDead in
      TrapTransport(below: transport, isDead: isDead) { packet in
        packet.payload.count >= 10 && packet.messageID == nil && packet.payload[1] == 0x04
          && packet.payload[2..<10].allSatisfy { $0 == 0xFF }
      }
    }
    #expect(findings.last?.outcome == .crash && findings.last?.schedule.place == .file)
    guard case .lost(let round) = report.end else { return #expect(Bool(false), "\(report.end)") }
    #expect(round == findings.last?.round && report.restarts == 0)
  }

  @Test
  func `a peer that has gone before the first round is lost after none`() throws {
    let connections = Mutex(0)
    let (report, findings) = try run(10, against: .device) { transport, isDead in
      connections.withLock { $0 += 1 }
      isDead.set()
      return transport
    }
    guard case .lost(nil) = report.end else { return #expect(Bool(false), "\(report.end)") }
    #expect(findings.isEmpty && connections.withLock { $0 } == 1)
  }

  @Test
  func `a peer that is started again after a crash plays the rounds that remain`() throws {
    let (report, findings) = try run(120, against: .device, restarting: true) { transport, isDead in
      TrapTransport(below: transport, isDead: isDead) { packet in
        packet.payload.count >= 10 && packet.messageID == nil && packet.payload[1] == 0x04
          && packet.payload[2..<10].allSatisfy { $0 == 0xFF }
      }
    }
    let crashes = findings.filter { $0.outcome == .crash }.count
    #expect(crashes > 1 && report.restarts == crashes)
    guard case .done = report.end else { return #expect(Bool(false), "\(report.end)") }
  }

  @Test(arguments: Side.allCases)
  func `a peer whose app waits for ever behind a link that acknowledges is a hang`(side: Side) throws {
    let (_, findings) = try run(60, against: side) { transport, _ in StuckTransport(transport) }
    let hangs = findings.filter { $0.outcome == .hang }
    #expect(!hangs.isEmpty, "\(findings.map(\.outcome))")
    #expect(hangs.contains { $0.unanswered != nil })
  }

  @Test
  func `the same seed has the same rounds, some of them in EA sessions and files`() {
    let schedules = (0..<200).map { FuzzSchedule(seed: 7, round: $0) }
    #expect(schedules == (0..<200).map { FuzzSchedule(seed: 7, round: $0) })
    for place in FuzzSchedule.Place.allCases { #expect(schedules.filter { $0.place == place }.count > 20) }
  }

  /// Plays rounds against an own role behind a transport.
  private func run(
    _ rounds: Int, against side: Side, restarting: Bool = false,
    _ wrap: @escaping @Sendable (any ByteTransport, Flag) -> any ByteTransport
  ) throws -> (PeerFuzzer.Report, [PeerFuzzer.Finding]) {
    try VirtualTime.run { time in
      let own = await OwnFuzzPeer(against: side.peer, protocolName: Setting.defaultProtocolName, clock: time)
      let isDead = Flag()
      let peers = WrappedPeers(own: own, isDead: isDead, wrap: wrap)
      let fuzzer = PeerFuzzer(
        side: side.peer, seed: 8, protocolName: Setting.defaultProtocolName, plan: nil, clock: time,
        restart: restarting ? { @Sendable in isDead.clear() } : nil
      ) { false }
      let findings = Mutex<[PeerFuzzer.Finding]>([])
      let report = try await fuzzer.run(0..<rounds, with: peers) {
      } found: { finding in
        findings.withLock { $0.append(finding) }
      }
      await peers.close()
      return (report, findings.withLock { $0 })
    }
  }
}

/// A switch.
private final class Flag: Sendable {
  private let state = Mutex(false)
  var isSet: Bool { state.withLock { $0 } }
  func set() { state.withLock { $0 = true } }
  func clear() { state.withLock { $0 = false } }
}

/// The connections of an own role, each behind a transport, until the peer is dead.
private struct WrappedPeers: FuzzPeers {
  let own: OwnFuzzPeer
  let isDead: Flag
  let wrap: @Sendable (any ByteTransport, Flag) -> any ByteTransport

  func connect() async throws -> (any ByteTransport)? {
    guard !isDead.isSet, let transport = await own.connect() else { return nil }
    return wrap(transport, isDead)
  }

  func close() async { await own.close() }
}

/// A transport that closes for good when a certain packet is sent to the peer.
private final class TrapTransport: ByteTransport {
  private let below: any ByteTransport
  private let isDead: Flag
  private let trap: @Sendable (Packet) -> Bool
  private let reader = Mutex(UnitReader())

  init(below: any ByteTransport, isDead: Flag, _ trap: @escaping @Sendable (Packet) -> Bool) {
    (self.below, self.isDead, self.trap) = (below, isDead, trap)
  }

  var address: String { below.address }
  func receive() async throws(TransportError) -> [UInt8]? { try await below.receive() }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    let isHit = reader.withLock { reader in
      reader.add(bytes)
      var isHit = false
      while let unit = reader.next() { if let packet = unit.packet, packet.isData, trap(packet) { isHit = true } }
      return isHit
    }
    if isHit {
      isDead.set()
      return await below.close()
    }
    try await below.send(bytes)
  }

  func close() async { await below.close() }
}

/// A transport to a peer whose app stops at the first message whose length is wrong: the link goes on and acknowledges,
/// but no data reaches the app.
private final class StuckTransport: ByteTransport {
  private struct State {
    var reader = UnitReader()
    var isStuck = false
  }

  private let below: any ByteTransport
  private let state = Mutex(State())

  init(_ below: any ByteTransport) { self.below = below }

  var address: String { below.address }
  func receive() async throws(TransportError) -> [UInt8]? { try await below.receive() }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    let passed = state.withLock { state in
      state.reader.add(bytes)
      var passed: [UInt8] = []
      while let unit = state.reader.next() {
        guard case .packet(var packet) = unit, packet.isData else {
          passed += unit.bytes
          continue
        }
        let isWrong =
          packet.messageID != nil && Int(packet.payload[2]) << 8 | Int(packet.payload[3]) != packet.payload.count
        if isWrong { state.isStuck = true }
        // An unknown session: the link acknowledges its packets and drops them.
        if state.isStuck { packet.session = 99 }
        passed += packet.bytes
      }
      return passed
    }
    if !passed.isEmpty { try await below.send(passed) }
  }

  func close() async { await below.close() }
}
