// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Runtime
package import IAP2Transport
import Synchronization

/// Our side of one link, played by hand: it sends what a check says and looks at what comes, packet by packet.
///
/// It has no timers of its own and sends nothing twice. Once its link is up it acknowledges each data packet at once,
/// unless a check wants to do that itself, and puts messages together.
package actor Probe {
  /// Which side we play.
  package nonisolated let side: Side
  package nonisolated let clock: any RuntimeClock
  nonisolated let setting: Setting
  private var transport: any ByteTransport
  private var connection = 0
  private let connect: @Sendable () async -> Connected
  private nonisolated let inbox = Incoming()

  private var reader = UnitReader()
  private var readAt = MonotonicTime.zero
  private(set) var isFinished = false
  /// The last units that came, for whoever asks why, and how many there were.
  private var recent: [Unit] = []
  private var recentCount = 0
  private static let recentLimit = 4

  // The link as we keep it.
  var isUp = false
  /// What we proposed last, and what both keep to.
  var ours = Probe.usual
  var theirs = Probe.usual
  var sequence = SequenceNumber(0x2B)
  var lastInOrder = SequenceNumber(0)
  /// Of ours, the last that the peer has acknowledged.
  var acknowledged = SequenceNumber(0x2B)
  var acknowledges = true
  /// The peer has ended this link with RST.
  var wasReset = false
  /// While we do not acknowledge: every data packet that came, again and again as it did.
  private(set) var held: [Sighting] = []
  /// The answer to what was asked last, if it came whole.
  var lastAnswer: Message?
  /// Bytes of the largest packet that came, SYNs apart.
  private(set) var largestByteCount = 0
  /// The first damage in what came.
  private(set) var damage: String?

  private var collected: [UInt8] = []
  private var messages: [Message] = []
  /// What came while another message was waited for.
  private var passedOver: [Message] = []
  /// No check looks at more; a peer that never stops must not grow us.
  private static let passedOverLimit = 1000

  /// The values of most accessories on Bluetooth (Link.md#known-values), with a larger window and packet.
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
    clock = setting.clock
    self.transport = transport
    self.connect = connect
  }

  // MARK: The transport

  /// Bytes between the task that reads them and the check that looks at them.
  private final class Incoming: Sendable {
    struct State {
      /// Which transport of ours is read, counted.
      var connection = 0
      var chunks: [(time: MonotonicTime, bytes: [UInt8])] = []
      var hasEnded = false
    }
    private let state = Mutex(State())
    let arrived = Signal()
    /// Another transport is there to be read.
    let replaced = Signal()

    /// What the transport before still has to say, its end too, is nothing of this one.
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

  /// Bytes taken on one connection: no check makes a peer say as much, and one that never stops must not grow us.
  private static let byteLimit = 16 << 20

  private var reading: (transport: any ByteTransport, connection: Int) { (transport, connection) }

  /// Reads the transport until its task is cancelled; after a reconnection, the next one.
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

  package func send(_ bytes: [UInt8]) async {
    // A transport that has ended shows it to the reader, behind what had come before.
    do { try await transport.send(bytes) } catch {}
  }

  /// Ends the transport without a word and takes the next connection of the same peer.
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

  /// Ends in order, as far as there is something to end.
  func leave() async {
    if !isFinished { await send(Packet(.reset, sequence: sequence).bytes) }
    await transport.close()
  }

  /// The next link begins from nothing.
  package func forgetLink() {
    isUp = false
    wasReset = false
    collected = []
    messages = []
    passedOver = []
    acknowledges = true
  }

  // MARK: Looking

  /// Something that came, and when.
  package struct Sighting: Sendable {
    package var time: MonotonicTime
    package var unit: Unit
    package var packet: Packet? { unit.packet }
  }

  /// The next thing that comes; nil when nothing has until then, or nothing will.
  package func next(until deadline: MonotonicTime) async -> Sighting? {
    while !isFinished {
      if let unit = reader.next() {
        await note(unit)
        return Sighting(time: readAt, unit: unit)
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
        return Sighting(time: clock.now, unit: .end)
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

  /// The first thing that fits.
  package func expect<Found: Sendable>(
    _ what: String, within milliseconds: Int = Patience.answer, _ match: @Sendable (Sighting) -> Found?
  ) async throws(Stop) -> Found {
    let deadline = clock.now.adding(milliseconds: milliseconds)
    recent = []
    recentCount = 0
    while let sighting = await next(until: deadline) {
      if let found = match(sighting) { return found }
    }
    let reach = isFinished ? "before the transport ended" : "within \(seconds(milliseconds))"
    throw .failed("no \(what) \(reach); \(seen)")
  }

  /// Everything that comes in so much time.
  package func watch(_ milliseconds: Int) async -> [Sighting] {
    let deadline = clock.now.adding(milliseconds: milliseconds)
    var sightings: [Sighting] = []
    while let sighting = await next(until: deadline) { sightings.append(sighting) }
    return sightings
  }

  /// Watches, and fails at the first thing that fits.
  package func refuse(
    _ what: String, for milliseconds: Int = Patience.quiet, _ match: @Sendable (Sighting) -> Bool
  ) async throws(Stop) {
    let deadline = clock.now.adding(milliseconds: milliseconds)
    while let sighting = await next(until: deadline) {
      if match(sighting) { throw .failed("\(what): \(sighting.unit.text)") }
    }
  }

  /// What is silent because it has gone has kept to nothing.
  package func stays() throws(Stop) {
    if isFinished || wasReset { throw .inconclusive("it ended the link, so that nothing can be said") }
  }

  private var seen: String {
    guard !recent.isEmpty else { return "nothing came" }
    let texts = recent.map(\.text).joined(separator: ", ")
    return "\(recentCount == 1 ? "what came: " : "\(recentCount) things came, the last: ")\(texts)"
  }

  // MARK: Keeping the link

  /// From now on nothing is acknowledged, and what comes is kept in ``held``.
  func hold() {
    acknowledges = false
    held = []
  }

  private func note(_ unit: Unit) async {
    recentCount += 1
    recent = recent.suffix(Self.recentLimit - 1) + [unit]
    switch unit {
    case .damaged(let packet): damage = damage ?? "\(packet.text) has a wrong payload checksum"
    case .noise(let bytes):
      damage = damage ?? "\(bytes.count) bytes are no packet with a right header checksum"
    case .packet(let packet):
      // A SYN comes before anything is agreed.
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
    if acknowledges { await acknowledge() } else { held.append(Sighting(time: readAt, unit: .packet(packet))) }
  }

  private func collect(_ payload: [UInt8]) {
    collected += payload
    while collected.count >= ControlHeader.byteCount {
      let count = Int(collected[2]) << 8 | Int(collected[3])
      guard collected.starts(with: [0x40, 0x40]), count >= ControlHeader.byteCount else {
        damage = damage ?? "bytes on the control session are no message"
        collected = []
        return
      }
      guard collected.count >= count else { return }
      messages.append(Message(Array(collected[..<count])))
      collected.removeFirst(count)
    }
  }

  /// The next message of those; others that come before are passed over.
  package func message(_ ids: UInt16..., within milliseconds: Int = Patience.answer) async throws(Stop) -> Message {
    try await message(of: ids, within: milliseconds)
  }

  /// - Parameter wanted: those of `ids` that a failure names; nil for all.
  package func message(
    of ids: [UInt16], naming wanted: [UInt16]? = nil, within milliseconds: Int = Patience.answer
  ) async throws(Stop) -> Message {
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
      others.isEmpty ? seen : "messages that came: \(others.map { hexadecimal($0) }.joined(separator: ", "))"
    throw .failed("no message \(names) within \(seconds(milliseconds)); \(instead)")
  }

  /// Every message that comes in so much time.
  package func messages(for milliseconds: Int = Patience.quiet) async -> [Message] {
    _ = await watch(milliseconds)
    defer { messages = [] }
    return messages
  }

  /// The same, and everything that has come on this link without having been asked for.
  func everything(for milliseconds: Int) async -> [Message] {
    let before = passedOver
    return before + (await messages(for: milliseconds))
  }

  /// Those that have come and were not asked for.
  func takeMessages() -> [Message] {
    defer { messages = [] }
    return messages
  }
}

/// How long what is waited for.
package enum Patience {
  /// An answer that no timer of the link rules: the slowest coprocessor signs for 1.65 s
  /// (Authentication.md#signing-time).
  package static let answer = 5000
  /// Until a peer speaks at all: after a reset it may rest, and a phone takes its time to begin.
  package static let begin = 15_000
  /// What a timer may be late for the medium and a busy machine.
  package static let slack = 1000
  /// Long enough for what is forbidden to have happened.
  package static let quiet = 1500
}

/// Milliseconds for people.
func seconds(_ milliseconds: Int) -> String {
  milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
}
