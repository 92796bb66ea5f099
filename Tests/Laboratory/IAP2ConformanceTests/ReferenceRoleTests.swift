// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance
import IAP2Runtime
import IAP2Transport
import Synchronization
import Testing

/// Tests of this package's own roles with all checks.
struct ReferenceRoleTests {
  @Test(arguments: Side.allCases)
  func `the project's role fails no check and leaves none inconclusive`(side: Side) throws {
    let outcomes = try VirtualTime.run { time in
      let setting = Setting(clock: time) { () async throws(TransportError) in
        ReferenceRole.connection(to: side, clock: time)
      }
      return try await Suite(of: side).run(setting)
    }
    #expect(outcomes.count == Check.all(of: side).count)
    for outcome in outcomes {
      let kind = outcome.verdict.kind
      #expect(kind == .pass || kind == .notApplicable, "\(outcome.check.id): \(outcome.verdict)")
    }
  }
}

extension ReferenceRoleTests {
  @Test(arguments: Side.allCases)
  func `on one transport for all checks nothing fails, and checks after the peer gave up are inconclusive`(
    side: Side
  ) throws {
    let outcomes = try VirtualTime.run { time in
      let line = SharedLine(ReferenceRole.connection(to: side, clock: time), clock: time)
      var setting = Setting(clock: time) { () async throws(TransportError) in line.connection() }
      setting.keepsTransport = true
      return try await Suite(of: side).run(setting)
    }
    #expect(outcomes.count == Check.all(of: side).count)
    #expect(outcomes.filter { $0.verdict.kind == .fail }.map(\.check.id) == [])
    // After a failed authentication, this package's roles end the transport.
    let left = side == .accessory ? ["RET-05", "RET-06"] : ["AUT-24", "RET-05", "RET-06"]
    #expect(outcomes.filter { $0.verdict.kind == .inconclusive }.map(\.check.id) == left)
  }

  @Test
  func `a peer that does not reconnect ends the suite with the results so far`() throws {
    let outcomes = try VirtualTime.run { time in
      let first = ReferenceRole.connection(to: .device, clock: time)
      let isThere = Mutex(true)
      let setting = Setting(clock: time) { () async throws(TransportError) -> (any ByteTransport)? in
        let mayConnect = isThere.withLock { isThere in
          defer { isThere = false }
          return isThere
        }
        if mayConnect { return first }
        do { try await time.sleep(until: time.now.adding(milliseconds: 3_600_000)) } catch {}
        return nil
      }
      return try await Suite(of: .device).run(setting)
    }
    #expect(outcomes.count == Check.all(of: .device).count)
    #expect(outcomes.first?.verdict == .pass)
    #expect(outcomes.dropFirst().allSatisfy { $0.verdict.kind == .inconclusive })
    #expect(outcomes[1].verdict.reason == "the peer did not connect within 30 s")
    #expect(outcomes[1].milliseconds == 30_000)
  }

  /// A peer whose process has ended, until it is started again.
  private final class MortalPeer: Sendable {
    private let time: VirtualTime
    private let life = Mutex((connections: 0, isAlive: true, starts: 0))

    init(_ time: VirtualTime) { self.time = time }

    var starts: Int { life.withLock { $0.starts } }
    func start() { life.withLock { $0 = ($0.connections, true, $0.starts + 1) } }

    /// Returns a connection. The second one is the last of the process.
    func connect() async -> (any ByteTransport)? {
      while !life.withLock({ $0.isAlive }) {
        do { try await time.sleep(until: time.now.adding(milliseconds: 200)) } catch { return nil }
      }
      life.withLock {
        $0.connections += 1
        if $0.connections == 2 { $0.isAlive = false }
      }
      return ReferenceRole.connection(to: .device, clock: time)
    }
  }

  private static func run(
    restarting: Bool
  ) throws -> (outcomes: [Outcome], absences: [PeerAbsence], starts: Int) {
    let checks = Array(Check.all(of: .device).filter { $0.area == .negotiation }.prefix(4))
    return try VirtualTime.run { time in
      let peer = MortalPeer(time)
      let absences = Mutex<[PeerAbsence]>([])
      var setting = Setting(clock: time) { () async throws(TransportError) in await peer.connect() }
      if restarting { setting.restart = { peer.start() } }
      let outcomes = try await Suite(of: .device, checks).run(
        setting, absent: { absence in absences.withLock { $0.append(absence) } })
      return (outcomes, absences.withLock { $0 }, peer.starts)
    }
  }

  @Test
  func `a peer that has gone is named with the last packet that it was sent`() throws {
    let (outcomes, absences, _) = try Self.run(restarting: false)
    let ids = outcomes.map(\.check.id)
    #expect(ids.count == 4 && outcomes.map(\.isPlayed) == [true, true, false, false])
    #expect(outcomes.map(\.leftPeerGone) == [false, true, false, false])
    let absence = try #require(absences.first)
    #expect(absences.count == 1 && absence.after == ids[1] && absence.notPlayed == 2 && !absence.cameBack)
    #expect(absence.sent.contains("SYN"), "\(absence.sent)")
    let advice = RepairAdvice(outcomes, of: "phone").sentences
    #expect(advice.first?.hasPrefix("The phone was gone after \(ids[1])") == true, "\(advice)")
  }

  @Test
  func `a peer that is started again plays the checks that remain`() throws {
    let (outcomes, absences, starts) = try Self.run(restarting: true)
    #expect(starts == 1 && outcomes.allSatisfy { $0.isPlayed && $0.verdict.kind != .inconclusive })
    #expect(outcomes.map(\.leftPeerGone) == [false, true, false, false])
    #expect(absences.map(\.cameBack) == [true] && absences.map(\.notPlayed) == [0])
  }

  @Test
  func `a mute peer makes checks inconclusive or fail, each within its limit`() throws {
    for side in Side.allCases {
      let outcomes = try VirtualTime.run { time in
        let setting = Setting(clock: time) { () async throws(TransportError) in
          let ends = MemoryTransport.pair()
          return MutePeer(ends.accessory, other: ends.device)
        }
        return try await Suite(of: side).run(setting)
      }
      #expect(!outcomes.contains { $0.milliseconds > Check.limitMilliseconds })
      // A mute phone passes only the check of silence before detection.
      #expect(outcomes.filter { $0.verdict.kind == .pass }.map(\.check.id) == (side == .device ? ["DET-03"] : []))
    }
  }
}

extension ReferenceRoleTests {
  @Test
  func `the bytes of a peer that sends endlessly are limited`() throws {
    let check = Check.all.filter { $0.id == "DET-04" }
    let outcomes = try VirtualTime.run { time in
      try await Suite(of: .device, check).run(Setting(clock: time) { () async throws(TransportError) in Babbler() })
    }
    #expect(outcomes.map(\.verdict.kind) == [.fail])
    #expect(outcomes.first?.verdict.reason?.contains("the end of the transport") == true)
  }

  @Test
  func `incomplete packets are one run of noise`() {
    var reader = UnitReader()
    // A length of zero is invalid, so the reader examines each header once.
    let noise = [UInt8](repeating: 0, count: 1 << 16).indices.flatMap { _ in [0xFF, 0x5A, 0, 0] as [UInt8] }
    reader.add(noise)
    reader.add([1, 2, 3, 4, 5, 6, 7, 8, 9])
    guard case .noise(let bytes)? = reader.next() else { return #expect(Bool(false), "no noise") }
    #expect(bytes.count == noise.count + 9)
    #expect(reader.next() == nil)
  }
}

extension ReferenceRoleTests {
  @Test
  func `a late end of one connection is not the end of the next`() throws {
    let checks = Check.all.filter { ["AUT-26", "DIS-03"].contains($0.id) }
    #expect(checks.count == 2)
    let outcomes = try VirtualTime.run { time in
      let setting = Setting(clock: time) { () async throws(TransportError) in
        SlowlyEnding(below: ReferenceRole.connection(to: .device, clock: time), clock: time)
      }
      return try await Suite(of: .device, checks).run(setting)
    }
    for outcome in outcomes { #expect(outcome.verdict == .pass, "\(outcome.check.id): \(outcome.verdict)") }
  }
}

/// A transport whose reader receives the end with a delay.
private struct SlowlyEnding: ByteTransport {
  let below: any ByteTransport
  let clock: any RuntimeClock

  var address: String { below.address }
  func receive() async throws(TransportError) -> [UInt8]? {
    let bytes = try await below.receive()
    if bytes == nil { do { try await clock.sleep(until: clock.now.adding(milliseconds: 20)) } catch {} }
    return bytes
  }
  func send(_ bytes: [UInt8]) async throws(TransportError) { try await below.send(bytes) }
  func close() async { await below.close() }
}

/// A transport that endlessly receives noise.
private struct Babbler: ByteTransport {
  let address = "babbler"
  private let noise = [UInt8](repeating: 1, count: 1 << 18)
  func receive() async throws(TransportError) -> [UInt8]? { noise }
  func send(_ bytes: [UInt8]) async throws(TransportError) {}
  func close() async {}
}

/// A transport whose other end stays open and is not read.
private struct MutePeer: ByteTransport {
  let transport: any ByteTransport
  let other: any ByteTransport

  init(_ transport: any ByteTransport, other: any ByteTransport) {
    self.transport = transport
    self.other = other
  }

  var address: String { transport.address }
  func receive() async throws(TransportError) -> [UInt8]? { try await transport.receive() }
  func send(_ bytes: [UInt8]) async throws(TransportError) { try await transport.send(bytes) }
  func close() async { await transport.close() }
}
