// swift-iap2 · Apache-2.0

/// The receiving end of an audio stream: packets arrive in any order and leave in the order of their sequence numbers.
///
/// The receiver requests missing packets, and gives them up after a time. All times are in nanoseconds of one clock,
/// which the caller reads. The rules are ours. Source: CarPlaySession.md#audio-order.
public struct AudioReceiver: Sendable {
  /// The limit for the number of packets from the first missing one to the newest one. A missing packet further back is
  /// lost. With packets of 352 samples at 48 kHz the limit is 3.7 s, more than the latency of a stream.
  public static let maximumWaitingCount = 512

  /// The usual time between two requests for the same packet, in nanoseconds. Ours.
  public static let standardRequestInterval: Int64 = 50_000_000

  /// The time after which a missing packet of a stream with a long latency is lost, in nanoseconds. It is shorter than
  /// 64 packets, which is how far back ``AudioOpener`` accepts a retransmitted packet. Ours.
  public static let standardLossTime: Int64 = 300_000_000

  /// The part of the latency that is left when a missing packet is lost, in nanoseconds: the duration of a packet whose
  /// successor has arrived. Ours.
  private static let playingMargin: Int64 = 20_000_000

  /// Returns the time after which a missing packet is lost, in nanoseconds: before the packets behind it are heard.
  ///
  /// - Parameter latency: The latency of the stream. Without one, the first loss delays what is heard later.
  static func lossTime(latency: Duration) -> Int64 {
    let latency = Int64(latency / .nanoseconds(1))
    return latency == 0 ? standardLossTime : min(standardLossTime, max(playingMargin, latency - playingMargin))
  }

  /// A change of the stream, in playing order.
  public enum Event: Sendable, Hashable {
    /// The next packet, with its time in samples since the first packet; the time does not wrap.
    case packet(AudioPacket, time: Int64)
    /// Packets that did not arrive in time, by the first sequence number and their count.
    case lost(first: UInt16, count: Int)
    /// The sequence numbers continue at another place, so the number of lost packets is unknown.
    case restarted
  }

  /// The time after which a missing packet is lost, and the time between two requests for it.
  private let lossTime, requestInterval: Int64
  private var gaps = AudioGaps()
  private var waiting: [Int64: AudioPacket] = [:]
  /// The number of the next packet in playing order; nil before the first packet. The low 16 bits are its sequence
  /// number, and the others count the wraps.
  private var expected: Int64?
  private var clock = AudioTimestamps()
  /// The newest packet that arrived, and the samples between two packets; 0 while they are unknown.
  private var newest: (number: Int64, timestamp: UInt32, time: Int64)?
  private var samplesPerPacket: UInt32
  /// The timestamp of the first packet that was sent, as it was announced before any packet arrived.
  private var announced: UInt32?
  /// A packet far from the expected ones, which is accepted if its successor follows.
  private var distant: AudioPacket?

  /// The number of packets that were lost.
  public private(set) var lostCount = 0
  /// The number of packets that arrived twice, or after they were given up.
  public private(set) var staleCount = 0

  /// Creates a receiver. The first packet that arrives is the first one in playing order, unless earlier ones were
  /// announced.
  ///
  /// - Parameters:
  ///   - lossTime: The time after which a missing packet is lost. It should be shorter than the stream's latency.
  ///   - requestInterval: The shortest time between two requests for the same packet.
  ///   - samplesPerPacket: The samples of a packet; nil if they are unknown before the second one.
  public init(
    lossTime: Int64 = AudioReceiver.standardLossTime,
    requestInterval: Int64 = AudioReceiver.standardRequestInterval, samplesPerPacket: Int? = nil
  ) {
    (self.lossTime, self.requestInterval) = (lossTime, requestInterval)
    let samples = samplesPerPacket.flatMap { UInt32(exactly: $0) } ?? 0
    self.samplesPerPacket = samples <= Self.maximumSamplesPerPacket ? samples : 0
  }

  /// The number of packets that wait for an earlier one.
  public var waitingCount: Int { waiting.count }

  /// The time at which ``advance(to:)`` gives up the next packet; nil if no packet is missing.
  public var deadline: Int64? { gaps.first.map { $0.since &+ lossTime } }

  /// Processes a packet that arrived, by its first transmission or by a retransmission.
  public mutating func take(_ packet: AudioPacket, at now: Int64) -> [Event] {
    var events: [Event] = []
    take(packet, at: now, into: &events)
    return events
  }

  /// Processes a packet that arrived, and appends its events to `events`.
  public mutating func take(_ packet: AudioPacket, at now: Int64, into events: inout [Event]) {
    guard let expected else {
      let first = Int64(packet.sequence) - Int64(missingCount(before: packet))
      (self.expected, gaps) = (first, AudioGaps(from: first))
      return admit(packet, number: Int64(packet.sequence), at: now, into: &events)
    }
    // The distance is measured from the newest packet, so that a long wait for a missing one is not treated as a
    // restart.
    let newest = gaps.end ?? expected
    let step = Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: newest))
    guard step.magnitude < Self.maximumWaitingCount else { return takeDistant(packet, at: now, into: &events) }
    distant = nil
    let number = newest + Int64(step)
    while let gap = gaps.first, number - gap.numbers.lowerBound >= Self.maximumWaitingCount {
      giveUp(gap, into: &events)
    }
    admit(packet, number: number, at: now, into: &events)
  }

  /// Processes the timestamp of the sample that the sender sends next. Packets between the newest one and that sample
  /// are missing. If more packets are missing than one request can name, or than the sender can have sent since the
  /// newest one, nothing changes: an announcement has no tag, and must not run ahead of the packets, which have one.
  ///
  /// Before the first packet the timestamp is that of the first one sent, so packets before the first one that arrives
  /// can be requested, as far back as ``AudioOpener`` accepts them.
  ///
  /// - Parameters:
  ///   - next: The timestamp.
  ///   - now: The present time.
  ///   - rate: The samples per second.
  public mutating func announce(next: UInt32, at now: Int64, rate: Int) {
    if expected == nil { announced = announced ?? next }
    guard let newest, samplesPerPacket > 0 else { return }
    let samples = Int64(Int32(bitPattern: next &- newest.timestamp))
    let elapsed = Double(now &- newest.time) / 1e9 * Double(rate)
    guard Double(samples) <= elapsed + Double(Self.maximumSamplesPerPacket) else { return }
    // The last packet may be shorter.
    let count = (samples + Int64(samplesPerPacket) - 1) / Int64(samplesPerPacket)
    guard (2...Int64(AudioRetransmitRequest.maximumCount)).contains(count) else { return }
    gaps.announce(end: newest.number + count, at: now)
  }

  /// Returns the number of packets that were announced before the first one that arrived.
  private func missingCount(before packet: AudioPacket) -> Int {
    guard let announced, samplesPerPacket > 0 else { return 0 }
    let (count, rest) = (packet.timestamp &- announced).quotientAndRemainder(dividingBy: samplesPerPacket)
    return rest == 0 && count < AudioRetransmitRequest.maximumCount ? Int(count) : 0
  }

  /// Gives up the packets that have been missing for the loss time.
  public mutating func advance(to now: Int64) -> [Event] {
    var events: [Event] = []
    while let gap = gaps.first, now &- gap.since >= lossTime { giveUp(gap, into: &events) }
    return events
  }

  /// Returns the requests to send now: at most one for each run of missing packets in each interval.
  public mutating func requests(at now: Int64) -> [AudioRetransmitRequest] {
    gaps.requests(at: now, interval: requestInterval)
  }

  private mutating func admit(_ packet: AudioPacket, number: Int64, at now: Int64, into events: inout [Event]) {
    // Packets that were announced and given up may come after all. An announcement has no tag, so it does not count
    // against a packet behind the newest one.
    if let newest, number > newest.number, number < expected ?? number { expected = number }
    guard let expected, number >= expected, waiting[number] == nil else {
      staleCount += 1
      return
    }
    note(packet, number: number, at: now)
    gaps.arrive(number, at: now)
    guard number == expected else {
      waiting[number] = packet
      return
    }
    release(packet, number: number, into: &events)
    drain(into: &events)
  }

  private mutating func note(_ packet: AudioPacket, number: Int64, at now: Int64) {
    if let newest {
      guard number > newest.number else { return }
      let samples = packet.timestamp &- newest.timestamp
      if number == newest.number + 1, samples <= Self.maximumSamplesPerPacket { samplesPerPacket = samples }
    }
    newest = (number, packet.timestamp, now)
  }

  /// The largest step between the timestamps of two consecutive packets that is treated as the samples of a packet. A
  /// larger step is a pause. Packets of AAC have 1024 samples. Ours.
  private static let maximumSamplesPerPacket: UInt32 = 4096

  /// Delivers the waiting packets that follow the last one.
  private mutating func drain(into events: inout [Event]) {
    while !waiting.isEmpty, let number = expected, let packet = waiting.removeValue(forKey: number) {
      release(packet, number: number, into: &events)
    }
  }

  private mutating func release(_ packet: AudioPacket, number: Int64, into events: inout [Event]) {
    events.append(.packet(packet, time: clock.unwrap(packet.timestamp)))
    expected = number + 1
  }

  private mutating func giveUp(_ gap: AudioGaps.Gap, into events: inout [Event]) {
    gaps.removeFirst()
    lostCount += gap.numbers.count
    expected = gap.numbers.upperBound
    events.append(.lost(first: UInt16(truncatingIfNeeded: gap.numbers.lowerBound), count: gap.numbers.count))
    drain(into: &events)
  }

  /// Restarts at two consecutive packets far from the expected ones. A single one may have a damaged sequence number,
  /// because sequence numbers are not authenticated.
  private mutating func takeDistant(_ packet: AudioPacket, at now: Int64, into events: inout [Event]) {
    guard let first = distant, first.sequence &+ 1 == packet.sequence else {
      distant = packet
      return
    }
    distant = nil
    while let gap = gaps.first { giveUp(gap, into: &events) }
    events.append(.restarted)
    (gaps, newest) = (AudioGaps(), nil)
    expected = Int64(first.sequence)
    for packet in [first, packet] { take(packet, at: now, into: &events) }
  }
}

/// A converter of RTP times to times that do not wrap.
private struct AudioTimestamps: Sendable {
  private var last: UInt32?
  private var time: Int64 = 0

  /// Returns the time since the first packet.
  mutating func unwrap(_ timestamp: UInt32) -> Int64 {
    if let last { time &+= Int64(Int32(bitPattern: timestamp &- last)) }
    last = timestamp
    return time
  }
}
