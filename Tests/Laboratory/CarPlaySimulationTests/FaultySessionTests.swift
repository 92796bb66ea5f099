// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import CarPlaySimulation
import FaultModel
import Synchronization
import Testing

@Suite("A session with the faults of a plan")
struct FaultySessionTests {
  private typealias Network = MachineNetwork<
    FaultySession<HeadUnitSession>, FaultySession<ProgrammedSession<PhoneProgram>>
  >

  /// The settings of a phone that plays half a second of music and then ends the session.
  private static var settings: PhoneProgram.Settings {
    var settings = PhoneProgram.Settings()
    settings.music = Music(littleEndian: [UInt8](repeating: 1, count: 24_000 * Music.bytesPerFrame))
    return settings
  }

  /// A counter of the datagrams of sound that reached the head unit.
  private final class Count: Sendable {
    let sound = Mutex(0)
  }

  private static func play(
    _ faults: String, events: Set<String> = Set(SessionEvent.declarations.map(\.name)),
    for duration: Duration = .seconds(20)
  ) throws -> (network: Network, sound: Int) {
    let plan = try FaultPlan(parsing: faults, seed: 7, events: events)
    let phone = FaultySession(ProgrammedSession(try Sessions.phone(), PhoneProgram(settings)), side: .phone, plan: plan)
    let headUnit = FaultySession(try Sessions.headUnit(), side: .headUnit, plan: FaultPlan())
    var network = Network(headUnit: headUnit, phones: [phone], sign: Sessions.sign)
    let count = Count()
    network.fault = { delivery in
      if delivery.node == .headUnit, delivery.socket == .stream(.mainAudio) { count.sound.withLock { $0 += 1 } }
      return [delivery]
    }
    network.actPhone { $0.machine.machine.start(port: Network.controlPort, at: $1) }
    network.run(for: duration)
    return (network, count.sound.withLock { $0 })
  }

  private static func ends(_ network: Network, _ node: Network.Node) -> [SessionEnd] {
    network.entries.compactMap { entry in
      if entry.node == node, case .ended(let end, _) = entry.event { end } else { nil }
    }
  }

  /// Returns the events as lines with their times, to compare runs.
  private static func lines(_ network: Network) -> [String] {
    network.entries.map { line($0) }
  }

  private static func line<One, Two>(_ entry: MachineNetwork<One, Two>.Entry) -> String {
    let record = entry.event.record(of: entry.node == .headUnit ? .headUnit : .phone, linkCause: nil)
    let words = (record?.words ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return "\(entry.node) \(entry.time.nanoseconds) \(record?.declaration.name ?? "") \(words)"
  }

  /// Returns the time from the start until the phone's session is live, in milliseconds; nil if it never is live.
  private static func live(_ network: Network) -> Double? {
    network.entries.first { entry in
      if entry.node == .phone(0), case .state(.live) = entry.event { true } else { false }
    }.map { MonotonicTime(nanoseconds: 1 << 40).duration(to: $0.time) / .milliseconds(1) }
  }

  @Test(
    "Each session of a head unit has the whole plan",
    arguments: ["disconnect=carPlayStream", "half-open=carPlayStream"])
  func planOfEachSession(faults: String) throws {
    let plan = try FaultPlan(parsing: faults, seed: 7, events: Set(SessionEvent.declarations.map(\.name)))
    var network = MachineNetwork(
      headUnit: FaultySession(try Sessions.headUnit(), side: .headUnit, plan: plan),
      phones: [ProgrammedSession(try Sessions.phone(), PhoneProgram(Self.settings))], sign: Sessions.sign)
    for session in 1...3 {
      network.actPhone { $0.machine.start(port: Network.controlPort, at: $1) }
      network.run(for: .seconds(60))
      // A link that ends without a session starts no time of the plan.
      network.actHeadUnit { $0.stop(.linkLost, at: $1) }
      network.run(for: .seconds(60))
      let lives = network.entries.count { entry in
        if entry.node == .headUnit, case .state(.live) = entry.event { true } else { false }
      }
      let ends = network.entries.compactMap { entry -> SessionEnd? in
        if entry.node == .phone(0), case .ended(let end, _) = entry.event { end } else { nil }
      }
      #expect(lives == session && ends.count == session && !ends.contains(.teardown), "\(ends)")
      network.replace(0, by: ProgrammedSession(try Sessions.phone(), PhoneProgram(Self.settings)))
    }
  }

  @Test("Sessions with one plan have their own random numbers, and the same ones in two runs")
  func seedOfEachSession() throws {
    func lines(_ number: Int) throws -> [String] {
      let plan = try FaultPlan(parsing: "jitter=30", seed: 7, events: [])
      let phone = FaultySession(
        ProgrammedSession(try Sessions.phone(), PhoneProgram(Self.settings)), side: .phone, plan: plan, session: number)
      let headUnit = FaultySession(try Sessions.headUnit(), side: .headUnit, plan: FaultPlan())
      var network = Network(headUnit: headUnit, phones: [phone], sign: Sessions.sign)
      network.actPhone { $0.machine.machine.start(port: Network.controlPort, at: $1) }
      network.run(for: .seconds(5))
      return Self.lines(network)
    }
    #expect(try lines(0) == lines(0) && lines(1) == lines(1) && lines(0) != lines(1))
  }

  @Test("Without faults nothing changes")
  func transparent() throws {
    let faulty = try Self.play("")
    var plain = MachineNetwork(
      headUnit: try Sessions.headUnit(),
      phones: [ProgrammedSession(try Sessions.phone(), PhoneProgram(Self.settings))], sign: Sessions.sign)
    plain.actPhone { $0.machine.start(port: Network.controlPort, at: $1) }
    plain.run(for: .seconds(20))
    #expect(Self.lines(faulty.network) == plain.entries.map { Self.line($0) })
    #expect(Self.ends(faulty.network, .phone(0)) == [.teardown] && faulty.sound > 20)
  }

  @Test("A delay of both directions makes each question and answer later, and the music arrives whole")
  func delay() throws {
    let plain = try Self.play("")
    let late = try Self.play("delay=50")
    let before = try #require(Self.live(plain.network))
    let after = try #require(Self.live(late.network))
    // The set-up has more than five requests with answers, which take 100 ms each.
    #expect(after - before > 500)
    #expect(Self.ends(late.network, .headUnit) == [.teardown] && late.sound == plain.sound)
  }

  @Test("Lost datagrams are gone, and lost pieces of TCP come later")
  func loss() throws {
    let plain = try Self.play("")
    let lossy = try Self.play("to-headunit:loss=0.5")
    #expect(lossy.sound < plain.sound * 3 / 4 && lossy.sound > plain.sound / 4)
    #expect(Self.ends(lossy.network, .headUnit) == [.teardown])
    let before = try #require(Self.live(plain.network))
    let after = try #require(Self.live(lossy.network))
    #expect(after >= before + Double(FaultySession<HeadUnitSession>.retransmission))
  }

  @Test("Doubled datagrams arrive twice, and connections not")
  func duplication() throws {
    let plain = try Self.play("")
    let doubled = try Self.play("duplication=1")
    #expect(doubled.sound == 2 * plain.sound)
    #expect(Self.ends(doubled.network, .phone(0)) == [.teardown])
  }

  @Test("Split and joined pieces of TCP are the same bytes", arguments: ["splitting=1", "coalescing=1,delay=5"])
  func pieces(faults: String) throws {
    let played = try Self.play(faults)
    #expect(Self.ends(played.network, .phone(0)) == [.teardown] && Self.ends(played.network, .headUnit) == [.teardown])
  }

  @Test("A disconnection at an event ends both sides once", arguments: ["carPlayStream", "carPlayPaired"])
  func disconnect(event: String) throws {
    let played = try Self.play("disconnect=\(event)")
    let ends = (phone: Self.ends(played.network, .phone(0)), headUnit: Self.ends(played.network, .headUnit))
    #expect(ends.phone.count == 1 && ends.phone != [.teardown], "\(ends)")
    #expect(ends.headUnit.count <= 1 && ends.headUnit != [.teardown], "\(ends)")
    #expect(played.sound < 20)
  }

  @Test("A half-open direction is noticed by silence")
  func halfOpen() throws {
    let played = try Self.play("half-open=carPlayStream", for: .seconds(120))
    let ends = Self.ends(played.network, .phone(0)) + Self.ends(played.network, .headUnit)
    #expect(ends.count == 2 && !ends.contains(.teardown), "\(ends)")
    #expect(played.sound < 20)
  }

  @Test("A stall moves nothing, and everything comes behind it")
  func stall() throws {
    let plain = try Self.play("")
    let stalled = try Self.play("stall=5+700")
    let before = try #require(Self.live(plain.network))
    let after = try #require(Self.live(stalled.network))
    #expect(after > before + 650 && after < before + 800)
    #expect(Self.ends(stalled.network, .phone(0)) == [.teardown])
  }

  @Test("Damage is found, and is the end of a session")
  func damage() throws {
    let played = try Self.play("corruption=1")
    #expect(Self.live(played.network) == nil)
    #expect(Self.ends(played.network, .phone(0)).count == 1)
  }

  @Test("A seed plays the same again, and another one does not")
  func seeds() throws {
    let faults = "loss=0.1,jitter=20,duplication=0.1,reordering=0.1,disconnect=random:60000"
    #expect(Self.lines(try Self.play(faults).network) == Self.lines(try Self.play(faults).network))
    #expect(Self.lines(try Self.play(faults).network) != Self.lines(try Self.play("\(faults),seed=8").network))
  }
}

@Suite("The memory of a session with faults")
struct FaultySessionLimitTests {
  /// A session that only counts.
  private struct Counter: SessionMachine {
    var received = 0
    var isWritable = true
    var actions: [SessionAction] = []
    mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime) {}
    mutating func connected(_ socket: SessionSocket, at time: MonotonicTime) {}
    mutating func receive(_ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime) {
      received += bytes.count
    }
    mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime) {
      self.isWritable = isWritable
    }
    mutating func closed(_ socket: SessionSocket, at time: MonotonicTime) {}
    mutating func stop(_ end: SessionEnd, at time: MonotonicTime) {}
    mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime) {}
    mutating func handleDeadline(at time: MonotonicTime) {}
    var nextDeadline: MonotonicTime? { nil }
    mutating func takeActions(into actions: inout [SessionAction]) {
      actions = self.actions
      self.actions = []
    }
  }

  private static let second: Int64 = 1_000_000_000

  /// Returns a session whose directions carry a megabyte per second.
  private static func slow() throws -> FaultySession<Counter> {
    let plan = try FaultPlan(parsing: "rate=1000000", seed: 1, events: [])
    var session = FaultySession(Counter(), side: .headUnit, plan: plan)
    session.connected(.control(1), at: .zero)
    return session
  }

  @Test("A full lane stops the reading of its connection until it has room")
  func reading() throws {
    var session = try Self.slow()
    var isReading = true
    var sent = 0
    for step in 0..<200 {
      let time = MonotonicTime(nanoseconds: Int64(step) * Self.second / 10)
      if isReading {
        session.receive([UInt8](repeating: 0, count: 1 << 20), on: .control(1), from: 0, at: time)
        sent += 1 << 20
      } else {
        session.handleDeadline(at: time)
      }
      for case .setReading(.control(1), let reads) in session.takeActions() { isReading = reads }
      #expect(sent - session.machine.received <= 5 << 20)
    }
    #expect(session.machine.received > 15 << 20 && session.machine.received < 21 << 20)
  }

  @Test("A full lane lets the session wait, as a socket does")
  func writing() throws {
    var session = try Self.slow()
    var arrived = 0
    var sent = 0
    for step in 0..<200 {
      let time = MonotonicTime(nanoseconds: Int64(step) * Self.second / 10)
      session.handleDeadline(at: time)
      if session.machine.isWritable {
        session.machine.actions.append(.send(.control(1), [UInt8](repeating: 0, count: 1 << 20)))
        sent += 1 << 20
      }
      for case .send(.control(1), let bytes) in session.takeActions() { arrived += bytes.count }
      #expect(sent - arrived <= 5 << 20)
    }
    #expect(arrived > 15 << 20 && arrived < 21 << 20)
  }

  @Test("Bytes before an end leave first")
  func end() throws {
    var session = try Self.slow()
    session.machine.actions = [.send(.control(1), [UInt8](repeating: 0, count: 1_000_000)), .close(.control(1))]
    session.handleDeadline(at: .zero)
    #expect(session.takeActions().isEmpty)
    let due = try #require(session.nextDeadline)
    session.handleDeadline(at: due)
    let actions = session.takeActions()
    guard case .send(.control(1), _) = actions.first, case .close(.control(1)) = actions.last else {
      Issue.record("\(actions.count) actions")
      return
    }
    #expect(actions.count == 2 && due.nanoseconds == Self.second)
  }
}
