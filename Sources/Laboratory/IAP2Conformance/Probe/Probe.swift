// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Runtime
package import IAP2Transport
import Synchronization

/// One side of a link that a check controls packet by packet.
///
/// A probe has no timers and does not retransmit. When its link is up, it acknowledges each data packet at once, unless
/// the check calls ``hold()``, and it reassembles control messages.
package actor Probe {
  /// The side of the probe; the peer under test has the other side.
  package nonisolated let side: Side
  package nonisolated let clock: any RuntimeClock
  nonisolated let setting: Setting
  nonisolated let timeouts: Timeouts
  private var transport: any ByteTransport
  private var connection = 0
  private let connect: @Sendable () async -> Connected
  private nonisolated let inbox = Incoming()

  private var lastBytes: [UInt8] = []
  private var reader = UnitReader()
  private var readAt = MonotonicTime.zero
  private(set) var isFinished = false
  /// The last received units, for the texts of failures.
  private var recent: [Unit] = []
  /// The number of received units since the current wait started.
  private var recentCount = 0
  private static let recentLimit = 4

  // The state of the link.
  var isUp = false
  /// The probe's last proposal, and after negotiation its agreed link parameters.
  var ours = Probe.usual
  var theirs = Probe.usual
  var sequence = SequenceNumber(0x2B)
  var lastInOrder = SequenceNumber(0)
  /// The last sequence number of the probe that the peer has acknowledged.
  var acknowledged = SequenceNumber(0x2B)
  var acknowledges = true
  /// The acknowledgement number of the probe's data packets while it acknowledges nothing; nil for that of the last
  /// packet in order.
  var frozenAcknowledgement: SequenceNumber?
  /// Whether the peer has reset this link.
  var wasReset = false
  /// All data packets received since ``hold()``, including retransmissions.
  private(set) var held: [Observation] = []
  /// The answer to the last request; nil when it was incomplete.
  var lastAnswer: Message?
  /// The size of the largest received packet in bytes, without SYNs.
  private(set) var largestByteCount = 0
  /// The first defect in the received bytes.
  private(set) var damage: String?

  private var collected: [UInt8] = []
  private var messages: [Message] = []
  /// The messages received during waits for other messages.
  private var passedOver: [Message] = []
  /// The maximum number of stored messages, so that a peer that sends endlessly does not exhaust memory.
  private static let passedOverLimit = 1000

  /// The link parameters of most Bluetooth accessories (Link.md#known-values), with a larger window and packet length.
  package static let usual = LinkSynchronization(
    maxOutstandingPackets: 8, maxPacketLength: 4096, retransmissionTimeout: 1500, cumulativeAckTimeout: 73,
    maxRetransmissions: 30, maxCumulativeAcks: 3,
    sessions: [
      LinkSession(id: 10, type: .control, version: 1), LinkSession(id: 11, type: .fileTransfer, version: 1),
      LinkSession(id: 12, type: .externalAccessory, version: 1),
    ])

  init(
    side: Side, setting: Setting, transport: any ByteTransport, connect: @escaping @Sendable () async -> Connected
  ) {
    self.side = side
    self.setting = setting
    timeouts = Timeouts(answer: setting.answerMilliseconds)
    clock = setting.clock
    self.transport = transport
    self.connect = connect
  }

  // MARK: The transport

  /// A queue of received bytes between the reading task and the check.
  private final class Incoming: Sendable {
    struct State {
      /// The number of the transport whose bytes are queued.
      var connection = 0
      var chunks: [(time: MonotonicTime, bytes: [UInt8])] = []
      var hasEnded = false
    }
    private let state = Mutex(State())
    let arrived = Signal()
    /// Notified when another transport replaces the current one.
    let replaced = Signal()

    /// Changes the queue, unless the change comes from a transport that has been replaced.
    func note(of connection: Int, _ change: (inout State) -> Void) {
      state.withLock { if $0.connection == connection { change(&$0) } }
      arrived.notify()
    }

    func begin(_ connection: Int) {
      state.withLock { $0 = State(connection: connection) }
      replaced.notify()
    }

    func take() -> (chunk: (time: MonotonicTime, bytes: [UInt8])?, hasEnded: Bool) {
      state.withLock { ($0.chunks.isEmpty ? nil : $0.chunks.removeFirst(), $0.hasEnded) }
    }
  }

  /// The maximum number of bytes read on one connection, far more than any check causes, so that a peer that sends
  /// endlessly does not exhaust memory.
  private static let byteLimit = 16 << 20

  private var reading: (transport: any ByteTransport, connection: Int) { (transport, connection) }

  /// Reads the current transport, and after a reconnection the next one, until the task is cancelled.
  nonisolated func pump() async {
    while !Task.isCancelled {
      let (transport, connection) = await reading
      do {
        var byteCount = 0
        while byteCount < Self.byteLimit, let bytes = try await transport.receive() {
          byteCount += bytes.count
          inbox.note(of: connection) { $0.chunks.append((clock.now, bytes)) }
        }
      } catch {}
      if Task.isCancelled { return }
      inbox.note(of: connection) { $0.hasEnded = true }
      await inbox.replaced.wait()
    }
  }

  /// The last bytes that were sent before those that end the check, in words.
  var lastSent: String {
    var sent = UnitReader()
    sent.add(lastBytes)
    var units: [String] = []
    while let unit = sent.next() { units.append(unit.text) }
    return units.isEmpty ? "\(lastBytes.count) bytes" : units.joined(separator: ", ")
  }

  package func send(_ bytes: [UInt8]) async {
    // A peer expects an ACK alone, so it explains nothing.
    let isAcknowledgement = bytes.count == LinkHeader.byteCount && bytes[4] == LinkControl.acknowledge.rawValue
    if !isAcknowledgement || lastBytes.isEmpty { lastBytes = bytes }
    // The reading task detects the end of the transport, after the bytes received before it.
    do { try await transport.send(bytes) } catch {}
  }

  /// Closes the transport without RST and takes the next connection to the same peer.
  package func reconnect() async throws(Stop) {
    if setting.keepsTransport { return await beginAnew() }
    await transport.close()
    switch await connect() {
    case .transport(let next):
      transport = next
      connection += 1
    case .failed(let reason): throw .failed(reason)
    case .error(let error): throw .failed("the peer could not be reached: \(error)")
    }
    reader = UnitReader()
    isFinished = false
    forgetLink()
    inbox.begin(connection)
  }

  /// Resets the link, if the transport is open, and closes the transport.
  func leave() async {
    let last = lastBytes
    if !isFinished { await send(Packet(.reset, sequence: sequence).bytes) }
    lastBytes = last
    await transport.close()
  }

  /// Clears the state of the link for the next one.
  package func forgetLink() {
    isUp = false
    wasReset = false
    collected = []
    messages = []
    passedOver = []
    acknowledges = true
    frozenAcknowledgement = nil
  }

  // MARK: Receiving

  /// A received unit with the time at which its last bytes were read.
  package struct Observation: Sendable {
    package var time: MonotonicTime
    package var unit: Unit
    package var packet: Packet? { unit.packet }
  }

  /// Waits for the next unit. Returns nil at the deadline, or after the end of the transport.
  package func next(until deadline: MonotonicTime) async -> Observation? {
    while !isFinished {
      if let unit = reader.next() {
        await note(unit)
        return Observation(time: readAt, unit: unit)
      }
      let (chunk, hasEnded) = inbox.take()
      if let chunk {
        reader.add(chunk.bytes)
        readAt = chunk.time
        continue
      }
      if hasEnded {
        isFinished = true
        await note(.end)
        return Observation(time: clock.now, unit: .end)
      }
      guard clock.now < deadline, !Task.isCancelled else { return nil }
      await wait(until: deadline)
    }
    return nil
  }

  private nonisolated func wait(until deadline: MonotonicTime) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { do { try await self.clock.sleep(until: deadline) } catch { return } }
      group.addTask { await self.inbox.arrived.wait() }
      await group.next()
      group.cancelAll()
    }
  }

  /// Waits for the first unit that matches, and fails at the time limit or at the end of the transport.
  ///
  /// - Parameters:
  ///   - what: the name of the unit in the text of a failure.
  ///   - limit: the time limit in milliseconds; nil for that of an answer.
  ///   - match: returns nil for a unit that does not match.
  package func expect<Found: Sendable>(
    _ what: String, within limit: Int? = nil, _ match: @Sendable (Observation) -> Found?
  ) async throws(Stop) -> Found {
    let milliseconds = limit ?? timeouts.answer
    let deadline = clock.now.adding(milliseconds: milliseconds)
    recent = []
    recentCount = 0
    while let observation = await next(until: deadline) {
      if let found = match(observation) { return found }
    }
    let reach = isFinished ? "before the transport ended" : "within \(seconds(milliseconds))"
    throw .failed("no \(what) \(reach); \(seen)")
  }

  /// Returns all units received within a time.
  package func watch(_ milliseconds: Int) async -> [Observation] {
    let deadline = clock.now.adding(milliseconds: milliseconds)
    var observations: [Observation] = []
    while let observation = await next(until: deadline) { observations.append(observation) }
    return observations
  }

  /// Waits for a time and fails at the first unit that matches.
  package func refuse(
    _ what: String, for milliseconds: Int = Timeouts.quiet, _ match: @Sendable (Observation) -> Bool
  ) async throws(Stop) {
    let deadline = clock.now.adding(milliseconds: milliseconds)
    while let observation = await next(until: deadline) {
      if match(observation) { throw .failed("\(what): \(observation.unit.text)") }
    }
  }

  /// Waits for a time and fails at the first data packet that was received and acknowledged before.
  func refuseRepeats(_ what: String, for milliseconds: Int) async throws(Stop) {
    let deadline = clock.now.adding(milliseconds: milliseconds)
    var last = lastInOrder
    while let observation = await next(until: deadline) {
      defer { last = lastInOrder }
      guard let packet = observation.packet, packet.isData, last.distance(from: packet.sequence) < 128 else { continue }
      throw .failed("\(what): \(packet.text)")
    }
  }

  /// Makes the check inconclusive if the peer has ended the link, because its silence then proves nothing.
  package func stays() throws(Stop) {
    if isFinished || wasReset { throw .inconclusive("it ended the link, so its silence proves nothing") }
  }

  private var seen: String {
    guard !recent.isEmpty else { return "it sent nothing" }
    let texts = recent.map(\.text).joined(separator: ", ")
    return "\(recentCount == 1 ? "it sent " : "it sent \(recentCount) units, the last: ")\(texts)"
  }

  // MARK: State of the link

  /// Stops acknowledgements, also those of data packets, and starts to store data packets in ``held``.
  func hold() {
    acknowledges = false
    frozenAcknowledgement = lastInOrder
    held = []
  }

  private func note(_ unit: Unit) async {
    recentCount += 1
    recent = recent.suffix(Self.recentLimit - 1) + [unit]
    switch unit {
    case .damaged(let packet): damage = damage ?? "\(packet.text) has a wrong payload checksum"
    case .noise(let bytes):
      damage = damage ?? "\(bytes.count) bytes are not a packet with a correct header checksum"
    case .packet(let packet):
      // A SYN precedes the negotiation of the packet length.
      if !packet.isSynchronization { largestByteCount = max(largestByteCount, packet.byteCount) }
      await note(packet)
    case .detect, .end: break
    }
  }

  private func note(_ packet: Packet) async {
    if packet.isReset { wasReset = isUp }
    guard isUp, !packet.isReset, !packet.isSynchronization else { return }
    let step = packet.acknowledgement.distance(from: acknowledged)
    if packet.control.contains(.acknowledge), step < 128 { acknowledged = packet.acknowledgement }
    guard packet.isData else { return }
    if packet.sequence == lastInOrder.next {
      lastInOrder = packet.sequence
      if packet.session == controlSession { collect(packet.payload) }
    }
    if acknowledges { await acknowledge() } else { held.append(Observation(time: readAt, unit: .packet(packet))) }
  }

  private func collect(_ payload: [UInt8]) {
    collected += payload
    while collected.count >= ControlHeader.byteCount {
      let count = Int(collected[2]) << 8 | Int(collected[3])
      guard collected.starts(with: ControlHeader.start.bigEndianBytes), count >= ControlHeader.byteCount else {
        damage = damage ?? "bytes on the control session are not a message"
        collected = []
        return
      }
      guard collected.count >= count else { return }
      messages.append(Message(Array(collected[..<count])))
      collected.removeFirst(count)
    }
  }

  /// Waits for the next message with one of these identifiers. Other messages are stored and skipped.
  package func message(_ ids: UInt16..., within limit: Int? = nil) async throws(Stop) -> Message {
    try await message(of: ids, within: limit)
  }

  /// Waits for the next message with one of these identifiers. Other messages are stored and skipped.
  ///
  /// - Parameters:
  ///   - ids: the identifiers.
  ///   - wanted: the identifiers that the text of a failure names; nil for all of `ids`.
  ///   - limit: the time limit in milliseconds; nil for that of an answer.
  package func message(
    of ids: [UInt16], naming wanted: [UInt16]? = nil, within limit: Int? = nil
  ) async throws(Stop) -> Message {
    let milliseconds = limit ?? timeouts.answer
    let deadline = clock.now.adding(milliseconds: milliseconds)
    var others: [UInt16] = []
    recent = []
    recentCount = 0
    while true {
      while !messages.isEmpty {
        let message = messages.removeFirst()
        if ids.contains(message.id) { return message }
        others.append(message.id)
        if passedOver.count < Self.passedOverLimit { passedOver.append(message) }
      }
      guard await next(until: deadline) != nil, !wasReset || !messages.isEmpty else { break }
    }
    let names = (wanted ?? ids).map { hexadecimal($0) }.joined(separator: " or ")
    let instead =
      others.isEmpty ? seen : "it sent messages \(others.map { hexadecimal($0) }.joined(separator: ", "))"
    throw .failed("no message \(names) within \(seconds(milliseconds)); \(instead)")
  }

  /// Returns all messages received within a time, and those received before that no wait has taken or skipped.
  package func messages(for milliseconds: Int = Timeouts.quiet) async -> [Message] {
    _ = await watch(milliseconds)
    defer { messages = [] }
    return messages
  }

  /// Returns all messages received within a time, and all messages on this link that earlier waits have skipped.
  func everything(for milliseconds: Int) async -> [Message] {
    let before = passedOver
    return before + (await messages(for: milliseconds))
  }

  /// Removes and returns the received messages that no wait has taken or skipped.
  func takeMessages() -> [Message] {
    defer { messages = [] }
    return messages
  }
}

/// The time limits of checks in milliseconds.
package struct Timeouts: Sendable {
  /// The limit for an answer that does not depend on a timer of the link.
  package let answer: Int
  /// The limit for the first bytes or the next message of a peer, which may pause after a reset or start late.
  package var begin: Int { 3 * answer }
  /// The allowed delay of a timer because of the transport and a busy machine.
  package static let slack = 1000
  /// The time in which a forbidden reaction must not arrive.
  package static let quiet = 1500
}

/// Returns a human-readable duration: whole seconds in s, otherwise ms.
func seconds(_ milliseconds: Int) -> String {
  milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
}

extension Probe {
  /// Resets the previous link on a shared transport and discards its remaining bytes.
  func beginAnew() async {
    await send(Packet(.reset, sequence: sequence).bytes)
    _ = await watch(Setting.drainMilliseconds)
    forgetLink()
  }
}
