// swift-iap2 · Apache-2.0

public import Basics

/// The clock, the feedback and the other timers.
extension PhoneSession {
  mutating func receiveClock(_ bytes: [UInt8], from port: UInt16, at time: MonotonicTime) {
    // Requests of others do not use up those of the head unit.
    guard lastHeard != nil, let packet = ClockPacket(bytes: bytes), packet.isRequest,
      port == headUnitClockPort || takeClockRequest(at: time)
    else { return }
    // Cars may ask from another port than the stated one, and anybody on the network may. Only the former is a sign.
    if port == headUnitClockPort { hear(at: time) }
    let now = time.clock(epochSeconds: configuration.clockEpochSeconds)
    act(.sendDatagram(.clock, packet.answer(received: now, sent: now).bytes, port: port))
  }

  /// The largest number of clock requests that are answered in a second. A head unit sends about one. Ours.
  private static let maximumClockRequests = 16

  /// Counts a clock request, and returns whether it is answered.
  private mutating func takeClockRequest(at time: MonotonicTime) -> Bool {
    var requests = clockRequests ?? (time, 0)
    if requests.since.advanced(by: .seconds(1)) <= time { requests = (time, 0) }
    requests.count += 1
    clockRequests = requests
    return requests.count <= Self.maximumClockRequests
  }

  public var nextDeadline: MonotonicTime? {
    var times = pending.map(\.deadline) + connecting.values
    if let setUpDeadline { times.append(setUpDeadline) }
    if let nextHeartbeat { times.append(nextHeartbeat) }
    if let eventRetry { times.append(eventRetry.time) }
    if let keepAlive { times.append(keepAlive.next) }
    if let lastHeard { times.append(lastHeard.advanced(by: configuration.times.clockSilence)) }
    for stream in streams.values {
      if let deadline = stream.microphone?.receiver.deadline { times.append(MonotonicTime(nanoseconds: deadline)) }
      switch stream.content {
      case .screen(let sender):
        if let stalled = sender.stalled { times.append(stalled.advanced(by: configuration.times.videoStall)) }
      case .audio(let sender):
        if let closing = sender.closing { times.append(closing.time) }
      default: break
      }
    }
    return times.min()
  }

  public mutating func handleDeadline(at time: MonotonicTime) {
    let times = configuration.times
    if setUpDeadline.map({ $0 <= time }) == true { return end(.setupTimeout) }
    if let socket = connecting.filter({ $0.value <= time }).keys.min(by: { "\($0)" < "\($1)" }) {
      if case .control = socket { return end(.controlLost) }
      return end(socket == .events ? .eventLost : .streamLost)
    }
    if let retry = eventRetry, retry.time <= time {
      eventRetry = nil
      act(.connect(.events, port: retry.port))
    }
    if let beat = keepAlive, beat.next <= time {
      keepAlive?.next = time.advanced(by: times.keepAlive)
      act(.sendDatagram(.keepAlive, random(Self.keepAliveByteCount), port: beat.port))
    }
    let late = pending.filter { $0.deadline <= time }
    if late.contains(where: { !$0.isFeedback }) { return end(.requestTimeout) }
    // A late `/feedback` may be behind a request with a longer time limit.
    pending.removeAll { $0.deadline <= time }
    missedFeedback += late.map(\.sequence)
    if missedFeedback.count >= times.feedbackMisses { return end(.feedbackSilent) }
    if let lastHeard, lastHeard.advanced(by: times.clockSilence) <= time { return end(.clockSilent) }
    for case .screen(let sender) in streams.values.map(\.content) {
      if let stalled = sender.stalled, stalled.advanced(by: times.videoStall) <= time { return end(.videoStalled) }
    }
    closeSound(at: time)
    for type in streams.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      report(streams[type]?.microphone?.receiver.advance(to: time.nanoseconds) ?? [], ofMicrophone: type)
    }
    guard let beat = nextHeartbeat, beat <= time else { return }
    nextHeartbeat = time.advanced(by: times.heartbeat)
    guard isLive else { return }
    ask(.feedback, "POST", "/feedback", within: times.feedbackAnswer, at: time)
    for type in [StreamType.screen, .alternateScreen] where streams[type]?.isRunning == true {
      send(heartbeat(of: type), of: type, at: time)
    }
  }

  /// Returns the message on a screen stream that shows that the phone is active.
  private mutating func heartbeat(of type: StreamType) -> ScreenMessage {
    guard info?.wantsStatistics == true, case .screen(var sender)? = streams[type]?.content else {
      return ScreenMessage(.heartbeat)
    }
    let statistics = sender.takeStatistics()
    streams[type]?.content = .screen(sender)
    return ScreenMessage(.statistics, body: statistics.binary)
  }

  /// The size of a datagram of the low-power keep-alive. The value and the random content are those of one program
  /// (CarPlaySession.md#keep-alive).
  private static let keepAliveByteCount = 4
}

extension PhoneSession.PendingRequest {
  var isFeedback: Bool { if case .feedback = kind { true } else { false } }

  /// The problem of an answer with a status.
  func problem(_ status: Int) -> ValueProblem {
    ValueProblem(name, is: "the head unit answered \(status)", expected: "200")
  }

  var isPairing: Bool {
    switch kind {
    case .pairSetup, .pairVerify: true
    default: false
    }
  }
}
