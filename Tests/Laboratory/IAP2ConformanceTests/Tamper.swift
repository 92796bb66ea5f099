// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance
import IAP2Runtime
import IAP2Transport
import Synchronization

/// A defect of a peer: changes to the units that the peer sends and receives.
struct Tamper: Sendable {
  /// The state of a tamper on one connection.
  struct Memory: Sendable {
    /// The number of the connection, from 1.
    var connection = 1
    var counts: [String: Int] = [:]
    var received: Set<UInt8> = []
    var sent: Set<UInt8> = []
    /// The last sequence number that the peer received in order.
    var lastReceived: UInt8 = 0
    /// The last sequence number that the peer sent.
    var lastSent: UInt8 = 0
    /// The session on which the peer sends messages.
    var controlSession: UInt8 = 1
    var kept: Packet?
    /// Whether the peer no longer sends and receives.
    var isDead = false
    var duplicates: UInt8 = 0

    /// Counts an occurrence and returns the number of occurrences.
    mutating func count(_ name: String) -> Int {
      counts[name, default: 0] += 1
      return counts[name] ?? 0
    }
  }

  /// The units that the peer receives, and the units that the tamper answers itself.
  struct Received: Sendable {
    var units: [Unit] = []
    var answers: [Unit] = []
  }

  /// The units that the peer sends before it receives any.
  var greeting: [Unit] = []
  var sends: @Sendable (inout Memory, Unit) -> [Unit] = { _, unit in [unit] }
  var receives: @Sendable (inout Memory, Unit) -> Received = { _, unit in Received(units: [unit]) }
  /// The change of the bytes of one read, before they are split into units.
  var reads: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  /// The time after which the transport ends; nil for no end.
  var endsAfterMilliseconds: Int?
  /// The time after which the last data packet is sent again; nil for no repetition.
  var repeatsAfterMilliseconds: Int?
}

/// The transport of this package's own role, with a tamper between the role and the probe.
final class TamperedTransport: ByteTransport {
  private struct State {
    var memory: Tamper.Memory
    var sent = UnitReader()
    var received = UnitReader()
    var greeting: [Unit]
    var lastData: [UInt8] = []
  }

  private let below: any ByteTransport
  private let tamper: Tamper
  private let state: Mutex<State>

  var address: String { below.address }

  init(_ below: any ByteTransport, _ tamper: Tamper, connection: Int) {
    self.below = below
    self.tamper = tamper
    state = Mutex(State(memory: Tamper.Memory(connection: connection), greeting: tamper.greeting))
  }

  func receive() async throws(TransportError) -> [UInt8]? {
    let greeting = state.withLock { state in
      defer { state.greeting = [] }
      return state.greeting.flatMap(\.bytes)
    }
    if !greeting.isEmpty { try await below.send(greeting) }
    while let bytes = try await below.receive() {
      let received = state.withLock { receive(tamper.reads(bytes), &$0) }
      let answers = received.answers.flatMap(\.bytes)
      if !answers.isEmpty { try await below.send(answers) }
      let passed = received.units.flatMap(\.bytes)
      if !passed.isEmpty { return passed }
    }
    return nil
  }

  private func receive(_ bytes: [UInt8], _ state: inout State) -> Tamper.Received {
    state.received.add(bytes)
    var result = Tamper.Received()
    while let unit = state.received.next() {
      if state.memory.isDead { continue }
      let received = tamper.receives(&state.memory, unit)
      if let packet = unit.packet {
        if packet.isSynchronization { state.memory.lastReceived = packet.sequence.rawValue }
        if packet.isData {
          state.memory.received.insert(packet.sequence.rawValue)
          if packet.sequence.rawValue == state.memory.lastReceived &+ 1 { state.memory.lastReceived &+= 1 }
        }
      }
      result.units += received.units
      result.answers += received.answers
    }
    return result
  }

  func send(_ bytes: [UInt8]) async throws(TransportError) {
    let sent = state.withLock { state in
      state.sent.add(bytes)
      var sent: [Unit] = []
      while let unit = state.sent.next() {
        if let packet = unit.packet, packet.isSynchronization || packet.isData {
          state.memory.lastSent = packet.sequence.rawValue
          if packet.isData { state.lastData = packet.bytes }
          if let control = packet.proposal?.sessionID(of: .control) { state.memory.controlSession = control }
        }
        if !state.memory.isDead { sent += tamper.sends(&state.memory, unit) }
        if let packet = unit.packet, packet.isData { state.memory.sent.insert(packet.sequence.rawValue) }
      }
      return sent.flatMap(\.bytes)
    }
    if !sent.isEmpty { try await below.send(sent) }
  }

  func close() async { await below.close() }

  private func repeatLast() async {
    let bytes = state.withLock { $0.lastData }
    if !bytes.isEmpty { do { try await below.send(bytes) } catch {} }
  }

  /// Returns settings whose connections lead to one broken peer.
  static func peer(_ side: Side, _ tamper: Tamper, clock: VirtualTime) -> Setting {
    let connections = Counter()
    return Setting(clock: clock) { () async throws(TransportError) in
      let ends = MemoryTransport.pair()
      let (own, other) = side == .accessory ? (ends.accessory, ends.device) : (ends.device, ends.accessory)
      let transport = TamperedTransport(own, tamper, connection: connections.next())
      Task(executorPreference: clock) {
        await ReferenceRole.run(side, on: transport, clock: clock, protocolName: Setting.defaultProtocolName)
      }
      if let limit = tamper.endsAfterMilliseconds {
        Task(executorPreference: clock) {
          do { try await clock.sleep(until: clock.now.adding(milliseconds: limit)) } catch { return }
          await own.close()
        }
      }
      if let limit = tamper.repeatsAfterMilliseconds {
        Task(executorPreference: clock) {
          do { try await clock.sleep(until: clock.now.adding(milliseconds: limit)) } catch { return }
          await transport.repeatLast()
        }
      }
      return other
    }
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)
    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }
}

// MARK: Defects

extension Tamper {
  /// Returns a tamper for a peer that changes or drops packets it sends.
  static func sends(_ change: @escaping @Sendable (inout Memory, Packet) -> [Packet]) -> Tamper {
    Tamper(sends: { memory, unit in
      guard case .packet(let packet) = unit else { return [unit] }
      return change(&memory, packet).map { .packet($0) }
    })
  }

  /// Returns a tamper for a peer that changes or drops packets it receives.
  static func receives(_ change: @escaping @Sendable (inout Memory, Packet) -> [Packet]) -> Tamper {
    Tamper(receives: { memory, unit in
      guard case .packet(let packet) = unit else { return Received(units: [unit]) }
      return Received(units: change(&memory, packet).map { .packet($0) })
    })
  }

  /// Returns a tamper for a peer that resets the link and falls silent when it receives a certain unit.
  static func dies(on trigger: @escaping @Sendable (inout Memory, Unit) -> Bool) -> Tamper {
    Tamper(receives: { memory, unit in
      guard trigger(&memory, unit) else { return Received(units: [unit]) }
      memory.isDead = true
      return Received(answers: [.packet(Packet(.reset, sequence: SequenceNumber(memory.lastSent)))])
    })
  }

  /// Returns a tamper for a peer that resets the link at certain link parameters in a SYN or SYN+ACK.
  static func refuses(_ trigger: @escaping @Sendable (LinkSynchronization, Packet) -> Bool) -> Tamper {
    dies { _, unit in unit.packet.flatMap { packet in packet.proposal.map { trigger($0, packet) } } ?? false }
  }

  /// Returns a tamper for a peer that receives, and optionally sends, changed link parameters.
  static func values(
    receives: @escaping @Sendable (inout LinkSynchronization) -> Void,
    sends: @escaping @Sendable (inout LinkSynchronization) -> Void = { _ in }
  ) -> Tamper {
    @Sendable func change(_ packet: Packet, _ body: (inout LinkSynchronization) -> Void) -> Packet {
      guard var values = packet.proposal else { return packet }
      body(&values)
      var packet = packet
      packet.payload = values.bytes
      return packet
    }
    return Tamper(
      sends: { _, unit in
        if case .packet(let packet) = unit { [.packet(change(packet, sends))] } else { [unit] }
      },
      receives: { _, unit in
        if case .packet(let packet) = unit {
          Received(units: [.packet(change(packet, receives))])
        } else {
          Received(units: [unit])
        }
      })
  }

  /// Returns a tamper for a peer that replaces a message it sends.
  static func message(_ id: UInt16, _ change: @escaping @Sendable (inout Memory, Message) -> Message) -> Tamper {
    sends { memory, packet in
      guard packet.messageID == id else { return [packet] }
      var packet = packet
      packet.payload = change(&memory, Message(packet.payload)).bytes
      return [packet]
    }
  }

  static func renames(_ id: UInt16, to other: UInt16 = 0x0BAD) -> Tamper {
    message(id) { _, message in Message(other, message.parameters) }
  }

  /// Returns a tamper for a peer that changes the parameters of a message it sends.
  static func parameters(
    of id: UInt16, _ change: @escaping @Sendable ([(id: UInt16, value: [UInt8])]) -> [(id: UInt16, value: [UInt8])]
  ) -> Tamper {
    message(id) { _, message in Message(id, change(message.parameters)) }
  }

  /// Returns a tamper for a peer that does not know a message it receives.
  static func ignores(_ id: UInt16, where condition: @escaping @Sendable (Message) -> Bool = { _ in true }) -> Tamper {
    receives { _, packet in
      guard packet.messageID == id, condition(Message(packet.payload)) else { return [packet] }
      var packet = packet
      packet.payload = Message(0x0BAD).bytes
      return [packet]
    }
  }

  /// Returns a tamper for a peer that sends an additional message when it receives a certain one.
  static func blurts(_ message: Message, on trigger: UInt16) -> Tamper {
    Tamper(receives: { memory, unit in
      guard unit.packet?.messageID == trigger else { return Received(units: [unit]) }
      return Received(units: [unit], answers: [.packet(memory.extra(message.bytes, session: memory.controlSession))])
    })
  }
}

extension Tamper.Memory {
  /// Returns a data packet with the next sequence number that the role itself does not send.
  func extra(_ payload: [UInt8], session: UInt8) -> Packet {
    Packet(
      .acknowledge, sequence: SequenceNumber(lastSent &+ 1), acknowledgement: SequenceNumber(lastReceived),
      session: session, payload: payload)
  }
}
