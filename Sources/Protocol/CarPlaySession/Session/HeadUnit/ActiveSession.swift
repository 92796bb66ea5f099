// swift-iap2 · Apache-2.0

import Basics

/// A session that is set up.
struct ActiveSession: Sendable {
  /// A command that waits for its answer.
  struct PendingRequest: Sendable {
    var sequence: Int
    /// The name of the command.
    var name: String
    var deadline: MonotonicTime
  }

  /// The progress of a session. Commands are sent only while it is live.
  enum Phase: Sendable {
    /// The head unit waits for the event connection. The phone may have sent `RECORD` already.
    case waiting(isRecording: Bool)
    /// The event connection is established, and the phone has not sent `RECORD`.
    case connected(EventChannel)
    /// The phone has sent `RECORD`, and the event connection is established.
    case live(EventChannel)
  }

  /// The connection for the requests of the head unit.
  enum EventChannel: Sendable {
    case open(MessageChannel)
    /// The connection is lost, and its loss ends the session at a time.
    case lost(until: MonotonicTime)
  }

  /// The control connection.
  let connection: Int
  let protection: StreamProtection
  let enabledFeatures: [String]
  private(set) var phase = Phase.waiting(isRecording: false)
  var pending: [PendingRequest] = []
  var nextSequence = 1
  /// The commands that wait for a live session.
  var commands: [SessionCommand] = []

  var streams = StreamTable<HeadUnitStream>()
  /// The modes that the phone reported last.
  var modes: ModeSnapshot?
  /// The time of the last request.
  var lastRequest: MonotonicTime

  /// The port of the phone's clock; nil without a clock.
  let clockPort: UInt16?
  var clock = ClockEstimate()
  /// The times of the last clock requests without an answer.
  var questions: [UInt64] = []
  /// The position of buffered sound on the clock; nil before its first start.
  var anchor: SoundAnchor?
  var nextQuestion: MonotonicTime
  /// The time of the last request, answer, content or clock datagram of the phone.
  var lastHeard: MonotonicTime

  /// The sockets beside those of the control connection and of streams.
  let sockets: [SessionSocket]

  /// The largest number of commands that wait for a live session: a user's actions of some seconds.
  static let maximumCommands = 256

  // MARK: Phases

  var isLive: Bool { if case .live = phase { true } else { false } }

  /// Whether the event connection is established, or was lost after that.
  var isEventConnected: Bool { eventChannel != nil }

  private var eventChannel: EventChannel? {
    get {
      switch phase {
      case .waiting: nil
      case .connected(let channel), .live(let channel): channel
      }
    }
    set {
      guard let newValue else { return }
      switch phase {
      case .waiting(let isRecording): phase = isRecording ? .live(newValue) : .connected(newValue)
      case .connected: phase = .connected(newValue)
      case .live: phase = .live(newValue)
      }
    }
  }

  /// The event channel; nil while its connection is not established.
  var events: MessageChannel? {
    get { if case .open(let channel)? = eventChannel { channel } else { nil } }
    set { if let newValue, isEventConnected { eventChannel = .open(newValue) } }
  }

  /// The time at which the loss of the event connection ends the session; nil if it is not lost.
  var eventLoss: MonotonicTime? { if case .lost(let time)? = eventChannel { time } else { nil } }

  /// Records that the event connection is established.
  mutating func connectEvents(_ channel: MessageChannel) { eventChannel = .open(channel) }

  /// Records that the event connection is lost.
  mutating func loseEvents(until time: MonotonicTime) { if isEventConnected { eventChannel = .lost(until: time) } }

  /// Records that the phone has sent `RECORD`.
  ///
  /// - Returns: false if the phone had sent it before.
  mutating func record() -> Bool {
    switch phase {
    case .waiting(isRecording: true), .live: return false
    case .waiting(isRecording: false): phase = .waiting(isRecording: true)
    case .connected(let channel): phase = .live(channel)
    }
    return true
  }
}

/// A stream of the phone.
struct HeadUnitStream: Sendable {
  let type: StreamType
  /// The set-up as the phone sent it.
  let body: StreamBody
  let format: AudioFormat?
  /// The reading side. The family of the type decides which one of the four is set. They are not cases of an
  /// enumeration, because Swift changes a payload only in a copy, with all received bytes.
  var screen: ScreenOpener?
  var audio: AudioInput?
  var buffered: BufferedAudioOpener?
  var data: DataChannel?
  /// The writing side of the microphone, and the phone's port for it.
  var microphone: (sealer: AudioSealer, port: UInt16)?
  var microphonePosition: (sequence: UInt16, timestamp: UInt32) = (0, 0)
  var isConnected = false
  /// The time until which the phone may end the stream after the stream's connection has ended; nil if it has not
  /// ended.
  var lost: MonotonicTime?
  /// The time at which missing packets of sound may be requested again; nil before the first request.
  var nextSoundRequest: MonotonicTime?
  /// The arrival time and the timestamp of the first valid packet; nil before it.
  var first: (time: MonotonicTime, timestamp: UInt32)?

  init(_ type: StreamType, _ body: StreamBody, format: AudioFormat? = nil) {
    (self.type, self.body, self.format) = (type, body, format)
  }

  /// Records the first valid packet, and returns whether this packet is the first.
  mutating func start(at time: MonotonicTime, timestamp: UInt32) -> Bool {
    guard first == nil else { return false }
    first = (time, timestamp)
    return true
  }

  var sockets: [SessionSocket] {
    type.family == .audio ? [.stream(type), .streamControl(type)] : [.stream(type)]
  }
}

/// The reading side of a stream of sound.
struct AudioInput: Sendable {
  var opener: AudioOpener
  var receiver = AudioReceiver()

  /// Processes a datagram, appends its events to `events`, and returns the timestamp of a valid packet; nil otherwise.
  mutating func take(
    _ bytes: [UInt8], at time: MonotonicTime, into events: inout [AudioReceiver.Event]
  ) -> UInt32? {
    guard let packet = opener.open(bytes) else { return nil }
    receiver.take(packet, at: time.nanoseconds, into: &events)
    return packet.timestamp
  }
}

/// The form of times in session messages: 32 bits of seconds and 32 of their fraction.
extension MonotonicTime {
  package var ntp: UInt64 {
    let nanoseconds = UInt64(max(0, self.nanoseconds))
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds << 32 | (rest << 32) / 1_000_000_000
  }

  /// The time in a clock datagram, with the seconds of an epoch.
  package func clock(epochSeconds: UInt32) -> UInt64 { ntp &+ UInt64(epochSeconds) << 32 }
}
