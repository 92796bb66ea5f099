// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Capture
package import IAP2Faults
package import IAP2Fuzzing
import IAP2Roles
import IAP2Runtime
package import IAP2Transport
import Synchronization

/// A source of the connections on which rounds are played.
package protocol FuzzPeers: Sendable {
  /// Returns the next connection; nil if there are no more.
  func connect() async throws -> (any ByteTransport)?
  /// Ends the current connection and the source.
  func close() async
}

/// A fuzzer of a live peer: plays rounds of a seed and finds out how the peer reacts.
package struct PeerFuzzer: Sendable {
  /// A round with any other outcome than ``FuzzOutcome/survived``.
  package struct Finding: Sendable {
    /// The reaction of the peer.
    package var outcome: FuzzOutcome
    /// The number of the round in its seed.
    package var round: Int
    /// The mutations of the round.
    package var schedule: FuzzSchedule
    /// The question above the link that the peer did not answer while the link went on; nil for none.
    package var unanswered: String?
    /// The bytes of the connection as a pcapng file.
    package var capture: [UInt8]
  }

  /// The end of a run.
  package enum End: Sendable {
    /// All rounds were played, or the run was stopped.
    case done
    /// No session could be established with the peer before the first round.
    case neverReady
    /// The peer did not come back after the round with this number; nil for the session before the first round.
    case lost(round: Int?)
  }

  /// The result of a run.
  package struct Report: Sendable {
    /// The end of the run.
    package var end = End.done
    /// The number of times that the peer was started again.
    package var restarts = 0
    /// The coverage of the rounds.
    package var coverage = FuzzCoverage()
    /// The questions above the link that the peer answers in a clean session.
    package var questions = FuzzQuestions()
  }

  private let side: Side
  private let seed: UInt64
  private let protocolName: String
  /// The faults of a round's transport. The clean sessions between rounds have none.
  private let plan: FaultPlan?
  private let clock: any RuntimeClock
  private let restart: (@Sendable () async -> Void)?
  private let isStopped: @Sendable () -> Bool

  /// Creates a fuzzer.
  ///
  /// - Parameters:
  ///   - side: The side that the fuzzer plays.
  ///   - seed: The seed of the mutations.
  ///   - protocolName: The EA protocol of a played head unit, for an app on the phone.
  ///   - plan: The faults of a round's transport; nil for none.
  ///   - clock: The clock of the sessions.
  ///   - restart: Starts the peer again after a round that it did not survive; nil if nothing can.
  ///   - isStopped: Asked between steps; true ends the run.
  package init(
    side: Side, seed: UInt64, protocolName: String, plan: FaultPlan?, clock: any RuntimeClock,
    restart: (@Sendable () async -> Void)? = nil, isStopped: @escaping @Sendable () -> Bool
  ) {
    (self.side, self.seed, self.protocolName, self.plan, self.clock) = (side, seed, protocolName, plan, clock)
    self.restart = restart
    self.isStopped = isStopped
  }

  /// Plays rounds.
  ///
  /// - Parameters:
  ///   - rounds: The numbers of the rounds.
  ///   - peers: The connections.
  ///   - played: Called after each round that has a result.
  ///   - found: Called for each finding, after `played`.
  /// - Throws: The error of the first connection, or of `found`.
  package func run(
    _ rounds: Range<Int>, with peers: some FuzzPeers, played: () -> Void, found: (Finding) throws -> Void
  ) async throws -> Report {
    let player = FuzzRound(side: side, protocolName: protocolName, clock: clock)
    var report = Report()
    func ended(_ end: End) -> Report {
      report.end = end
      return report
    }
    do {
      guard let first = try await peers.connect() else { return ended(isStopped() ? .done : .neverReady) }
      let result = await player.play(on: first, .learning)
      guard result.wasReady else { return ended(isStopped() ? .done : .neverReady) }
      report.questions = result.questions
    } catch { if isStopped() { return ended(.done) } else { throw error } }
    var latest: Finding?
    var last: Int?
    for number in rounds where !isStopped() {
      var next = await again(peers)
      if next == nil {
        // The peer accepted the last round's bytes and ended afterwards.
        if let latest, !isStopped() { try found(latest) }
        latest = nil
        if !isStopped(), await startAgain(&report) { next = await again(peers) }
      }
      guard let transport = next else { return ended(.lost(round: last)) }
      last = number
      let schedule = FuzzSchedule(seed: seed, round: number)
      let record = CaptureBuffer()
      let result = await play(schedule, report.questions, number, on: transport, player, record)
      report.coverage.add(result.log, result.mutating)
      var outcome = result.outcome
      // An interrupted round says nothing about the peer.
      if isStopped() { break }
      let after: Return = outcome != .survived || result.isOpen ? await comesUp(player, peers) : .up
      if after != .up {
        if isStopped() { break }
        // A peer that was silent and now accepts connections without a session still hangs.
        if after == .gone || outcome != .hang { outcome = .crash }
      }
      played()
      latest = Finding(outcome: .crash, round: number, schedule: schedule, capture: record.bytes)
      guard outcome != .survived else { continue }
      try found(
        Finding(
          outcome: outcome, round: number, schedule: schedule,
          unanswered: outcome == .hang ? result.unanswered : nil, capture: record.bytes))
      guard after != .up else { continue }
      guard await startAgain(&report), await comesUp(player, peers) == .up else { return ended(.lost(round: number)) }
    }
    return ended(.done)
  }

  /// Starts the peer again. Returns false if nothing can.
  private func startAgain(_ report: inout Report) async -> Bool {
    guard let restart, !isStopped() else { return false }
    report.restarts += 1
    await restart()
    return true
  }

  private func play(
    _ schedule: FuzzSchedule, _ questions: FuzzQuestions, _ number: Int, on transport: any ByteTransport,
    _ player: FuzzRound, _ record: CaptureBuffer
  ) async -> FuzzRound.Result {
    let clock = clock
    let log = CaptureLog(.pcapng, now: { clock.now.nanoseconds }, store: { record.add($0) })
    let faulty = plan.map { FaultyTransport(transport, plan: $0, side: side, connection: number, clock: clock) }
    return await player.play(
      on: log.capturing(faulty ?? transport, side: side), .mutated(schedule, questions)
    ) {
      faulty?.happened($0.name)
    }
  }

  /// Returns the next connection; nil if the peer does not come back. A peer may need a moment to restart.
  private func again(_ peers: some FuzzPeers) async -> (any ByteTransport)? {
    for attempt in 0..<Self.attempts where !isStopped() {
      do {
        if attempt > 0 { try await clock.sleep(until: clock.now.adding(milliseconds: 1000)) }
        if let transport = try await peers.connect() { return transport }
      } catch { continue }
    }
    return nil
  }

  private static let attempts = 6

  /// The state of a peer after a round.
  private enum Return {
    /// A session was established.
    case up
    /// The peer accepts connections, but no session is established.
    case silent
    /// The peer accepts no connection.
    case gone
  }

  /// Plays a clean session.
  private func comesUp(_ player: FuzzRound, _ peers: some FuzzPeers) async -> Return {
    for _ in 0..<Self.attempts {
      guard let transport = await again(peers) else { return .gone }
      if await player.play(on: transport, .clean).wasReady { return .up }
    }
    return .silent
  }
}

/// The project's own other role, which serves all rounds.
package final class OwnFuzzPeer: FuzzPeers {
  private let side: Side
  private let clock: VirtualTime
  private let live: any LiveRole

  /// Creates the peer of a fuzzer that plays `side`.
  package init(against side: Side, protocolName: String, clock: VirtualTime) async {
    self.side = side
    self.clock = clock
    var options = RoleOptions()
    options.clock = clock
    options.identifyTimeout = .seconds(60)
    if side == .accessory {
      var profile = PhoneProfile()
      profile.state.apps = [
        PhoneApp(name: "Fuzz", bundleIdentifier: "com.example.fuzz", protocols: [protocolName], isRunning: true)
      ]
      let phone = Phone(profile: profile, options: options)
      await phone.serve(protocolName, Self.echo)
      live = phone
    } else {
      let features: HeadUnitFeatures = [.power, .deviceNotifications, .nowPlaying, .carPlay]
      let headUnit = HeadUnit(
        profile: .standard(protocols: [protocolName], features: features), options: options)
      await headUnit.serve(protocolName, Self.echo)
      live = headUnit
    }
  }

  @Sendable private static func echo(_ stream: ExternalAccessoryStream) async {
    while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
  }

  package func connect() async -> (any ByteTransport)? {
    let pair = MemoryTransport.pair(delay: .init(milliseconds: 1, clock: clock))
    let (ours, theirs) = side == .accessory ? (pair.accessory, pair.device) : (pair.device, pair.accessory)
    let live = live
    // The last connection's service may still run, and a role serves one transport at a time.
    Task(executorPreference: clock) {
      while await live.run(on: theirs).refusal == .alreadyRunning {
        do { try await self.clock.sleep(until: self.clock.now.adding(milliseconds: 20)) } catch { return }
      }
    }
    return ours
  }

  package func close() async { live.finish() }
}

/// The capture of a round.
private final class CaptureBuffer: Sendable {
  private let state = Mutex<[UInt8]>([])
  /// The most bytes of a capture. A round has some hundred packets; a flood by the peer is cut off.
  private static let byteCountLimit = 64 << 20

  var bytes: [UInt8] { state.withLock { $0 } }

  func add(_ bytes: [UInt8]) -> Bool {
    state.withLock { all in
      guard all.count + bytes.count <= Self.byteCountLimit else { return false }
      all += bytes
      return true
    }
  }
}
