// swift-iap2 · Apache-2.0

import Basics

/// The writing side of a screen, with a short queue for a head unit that reads slowly.
struct ScreenSender: Sendable {
  /// The messages that wait for the connection: a seventh of a second at 60 pictures. Ours.
  static let maximumQueued = 8

  private var sealer: ScreenSealer
  private var queue: [ScreenMessage] = []
  private var needsKeyFrame = false
  /// The messages that wait.
  var queuedCount: Int { queue.count }
  /// Whether the connection takes bytes.
  var isWritable = true
  /// The time since which messages wait without progress; nil while none does.
  private(set) var stalled: MonotonicTime?

  init(_ sealer: ScreenSealer) { self.sealer = sealer }

  /// Takes a message, or returns false. A frame without room is dropped, and with it every one before the next key frame.
  mutating func add(_ message: ScreenMessage) -> Bool {
    if message.kind == .frame {
      needsKeyFrame = queue.count >= Self.maximumQueued || needsKeyFrame && !message.isKeyFrame
      if needsKeyFrame { return false }
    } else if queue.count >= 2 * Self.maximumQueued {
      // Configurations and heartbeats are small, but their number has a bound too.
      return false
    }
    queue.append(message)
    return true
  }

  /// Returns the bytes of the next message; nil while the connection takes none.
  mutating func next(at time: MonotonicTime) -> [UInt8]? {
    guard isWritable else {
      if !queue.isEmpty, stalled == nil { stalled = time }
      return nil
    }
    stalled = nil
    return queue.isEmpty ? nil : sealer.seal(queue.removeFirst())
  }
}

/// The writing side of a stream of sound, with the packets that may be asked for again.
struct AudioSender: Sendable {
  private var sealer: AudioSealer
  private let type: UInt8
  private let source: UInt32
  /// The samples between the sending of one and the time at which it is to be heard.
  private let latency: UInt32
  private var sequence: UInt16 = 0
  private var timestamp: UInt32 = 0
  private var nextSync: MonotonicTime?
  /// The sync packets that still follow the last packet of sound, and the time of the next one.
  private(set) var closing: (count: Int, time: MonotonicTime)?
  /// The sync packets behind the last packet of sound. One that arrives tells a head unit which of the last packets are
  /// missing. Ours.
  private static let closingCount = 3
  private(set) var history = AudioHistory()

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

  /// Returns the relation of the stream's time to the clock, once in an interval.
  mutating func sync(at time: MonotonicTime, every interval: Duration) -> AudioSync? {
    if let next = nextSync, time < next { return nil }
    defer { nextSync = time.advanced(by: interval) }
    return sync(at: time)
  }

  /// Returns the relation of the stream's time to the clock when no sound has followed for a time.
  mutating func closingSync(at time: MonotonicTime, every interval: Duration) -> AudioSync? {
    guard let (count, due) = closing, due <= time else { return nil }
    closing = count > 1 ? (count - 1, time.advanced(by: interval)) : nil
    return sync(at: time)
  }

  private func sync(at time: MonotonicTime) -> AudioSync {
    AudioSync(isFirst: nextSync == nil, heard: timestamp &- latency, time: time.ntp, next: timestamp)
  }
}
