// swift-iap2 · Apache-2.0

import Basics

/// The writing side of a screen, with a short queue for a head unit that reads slowly.
struct ScreenSender: Sendable {
  /// The number of waiting messages at which frames are dropped: a seventh of a second at 60 pictures per second. Ours.
  static let maximumQueued = 8

  private var sealer: ScreenSealer
  private var queue: [ScreenMessage] = []
  private var needsKeyFrame = false
  /// The pictures since the last statistics: those that were sent, and the messages that waited with each.
  private var sent = (pictures: 0, waiting: 0)
  /// The number of messages that wait for the connection.
  var queuedCount: Int { queue.count }
  /// Whether the connection accepts bytes.
  var isWritable = true
  /// The time since which messages wait without progress; nil if no message waits without progress.
  private(set) var stalled: MonotonicTime?

  init(_ sealer: ScreenSealer) { self.sealer = sealer }

  /// Adds a message to the queue, or returns false. If a frame finds no room, it is dropped with every frame before the
  /// next key frame.
  mutating func add(_ message: ScreenMessage) -> Bool {
    if message.kind == .frame {
      needsKeyFrame = queue.count >= Self.maximumQueued || needsKeyFrame && !message.isKeyFrame
      if needsKeyFrame { return false }
    } else if queue.count >= 2 * Self.maximumQueued {
      // Configurations and heartbeats are small, but their number has a limit too.
      return false
    }
    queue.append(message)
    return true
  }

  /// Returns the statistics of the pictures since the last call. The keys are those of one captured phone; their units
  /// and types are unverified (CarPlaySession.md#screen-statistics).
  mutating func takeStatistics() -> PropertyValue {
    defer { sent = (0, 0) }
    return [
      "txUsageAvg": 0.0, "encoderCurrentFPS": .real(Double(sent.pictures)),
      "sentFramesAvg": .real(Double(sent.pictures)),
      "queuedFramesAvg": .real(sent.pictures == 0 ? 0 : Double(sent.waiting) / Double(sent.pictures)), "lossAvg": 0.0,
    ]
  }

  /// Returns the bytes of the next message; nil if no message waits or the connection accepts no bytes.
  mutating func next(at time: MonotonicTime) -> [UInt8]? {
    guard isWritable else {
      if !queue.isEmpty, stalled == nil { stalled = time }
      return nil
    }
    stalled = nil
    guard !queue.isEmpty else { return nil }
    let message = queue.removeFirst()
    if message.kind == .frame { sent = (sent.pictures + 1, sent.waiting + queue.count) }
    return sealer.seal(message)
  }
}

/// The writing side of a stream of sound, with the packets that may be retransmitted.
struct AudioSender: Sendable {
  private var sealer: AudioSealer
  private let type: UInt8
  private let source: UInt32
  /// The time between the sending and the playing of a sample, in samples.
  private let latency: UInt32
  private var sequence: UInt16 = 0
  private var timestamp: UInt32 = 0
  private var nextSync: MonotonicTime?
  /// The number of sync packets that still follow the last packet of sound, and the time of the next one.
  private(set) var closing: (count: Int, time: MonotonicTime)?
  /// The number of sync packets after the last packet of sound. From one that arrives, the head unit knows which of the
  /// last packets are missing. Ours.
  private static let closingCount = 3
  var history = AudioHistory()

  init(_ sealer: AudioSealer, type: StreamType, source: UInt32, latency: UInt32) {
    (self.sealer, self.type, self.source, self.latency) = (sealer, UInt8(type.rawValue), source, latency)
  }

  /// Returns the bytes of a packet.
  mutating func seal(_ payload: [UInt8], frameCount: Int, closingAt time: MonotonicTime) -> [UInt8] {
    closing = (Self.closingCount, time)
    let packet = AudioPacket(type: type, sequence: sequence, timestamp: timestamp, source: source, payload: payload)
    sequence &+= 1
    timestamp &+= UInt32(truncatingIfNeeded: frameCount)
    let bytes = sealer.seal(packet)
    history.add(bytes)
    return bytes
  }

  /// Returns the relation of the stream's time to the clock; nil if the interval since the last one has not passed.
  mutating func sync(at time: MonotonicTime, every interval: Duration) -> AudioSync? {
    if let next = nextSync, time < next { return nil }
    defer { nextSync = time.advanced(by: interval) }
    return sync(at: time)
  }

  /// Returns the relation of the stream's time to the clock when it is due after the last packet of sound; nil
  /// otherwise.
  mutating func closingSync(at time: MonotonicTime, every interval: Duration) -> AudioSync? {
    guard let (count, due) = closing, due <= time else { return nil }
    closing = count > 1 ? (count - 1, time.advanced(by: interval)) : nil
    return sync(at: time)
  }

  private func sync(at time: MonotonicTime) -> AudioSync {
    AudioSync(isFirst: nextSync == nil, heard: timestamp &- latency, time: time.ntp, next: timestamp)
  }
}
