// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Roles

/// The target for both roles' sessions, driven by a program. Whatever users, the platform, the transport and injected
/// bytes do: no operation spins, each connection is reported as connected and disconnected in turn, a decided end keeps
/// its cause, and a session that is over stays over and waits for nothing.
///
/// Input: a byte of flags, then steps: a byte for the operation, and its arguments.
enum SessionTarget {
  private static let name = "com.example.fuzz"
  /// Longer programs only repeat themselves.
  private static let stepLimit = 600
  /// Deadlines at one moment: each side has fewer timers.
  private static let deadlineLimit = 64

  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let flags = program.byte()
    var limits = Limits()
    if flags & 1 != 0 {
      limits.externalAccessorySessions = 2
      limits.queuedByteCount = 4096
      limits.externalAccessoryQueueByteCount = 512
    }
    var preferences = LinkPreferences()
    if flags & 2 != 0 {
      preferences.offer.maxOutstandingPackets = 1
      preferences.offer.maxPacketLength = 128
    }
    var pair = SessionPair(
      headUnit: .standard(protocols: [name], features: [.power, .nowPlaying]), preferences: preferences,
      limits: limits, identifyTimeout: .seconds(30), lifecycle: Lifecycle(policy: policy(flags)))
    pair.accepts = flags & 4 == 0
    var views: [Side: View] = [.accessory: View(), .device: View()]
    pair.start()
    var count = 0
    while !program.isOver, count < stepLimit {
      let wasOver = (pair.headUnit.isOver, pair.phone.isOver)
      let decided = (decidedCause(pair.headUnit), decidedCause(pair.phone))
      try step(&pair, &program)
      try examine(&pair, &views)
      try keeps(decided.0, pair.headUnit.cause, "an accessory")
      try keeps(decided.1, pair.phone.cause, "a device")
      try require(!wasOver.0 || pair.headUnit.isOver, "an accessory that was over goes on")
      try require(!wasOver.1 || pair.phone.isOver, "a device that was over goes on")
      count += 1
    }
  }

  private static func policy(_ flags: UInt8) -> LifecyclePolicy {
    switch flags >> 3 & 3 {
    case 1: .notification
    case 2: .charging
    default: .evidence
    }
  }

  private static func step(_ pair: inout SessionPair, _ program: inout Program) throws(Finding) {
    let word = program.byte()
    let side: Side = word & 0x80 == 0 ? .accessory : .device
    switch word & 0x0F {
    case 0, 1: _ = pair.exchange(limit: 64)
    case 2: _ = pair.deliver(from: side)
    case 3: pair.lose(from: side)
    case 4: try expire(&pair)
    case 5: pair.advance(to: pair.now.adding(milliseconds: Int(program.number16())))
    case 6:
      do { _ = try pair.phone.openExternalAccessory(name, at: pair.now) } catch {}
      pair.collect()
    case 7:
      let session = UInt16(program.byte() & 3)
      let bytes = [UInt8](repeating: word, count: Int(program.byte()) * 8)
      switch side {
      case .accessory: _ = pair.headUnit.send(bytes, in: session, at: pair.now)
      case .device: _ = pair.phone.send(bytes, in: session, at: pair.now)
      }
      pair.collect()
    case 8: pair.submit(.closeExternalAccessory(session: UInt16(program.byte() & 3)), to: side)
    case 9: pair.submit(.notice, to: side)
    case 10: pair.submit(.disconnect, to: side)
    case 11: pair.submit(.transportClosed, to: side)
    case 12: pair.inject(program.take(Int(program.byte() & 63)), to: side)
    case 13:
      let percent = Int(program.byte() % 101)
      pair.phone.act(at: pair.now) { policy in
        ((), policy.change { $0.battery.percent = percent })
      }
      pair.collect()
    case 14:
      let id = program.number16()
      pair.perform([.send(ControlHeader.message(id, body: program.take(Int(program.byte() & 31))))], of: side)
    default: pair.answersRequests.toggle()
    }
  }

  /// Handles every deadline of this moment; after that, time goes on.
  private static func expire(_ pair: inout SessionPair) throws(Finding) {
    guard pair.expire() else { return }
    let now = pair.now
    var count = 0
    while let next = [pair.headUnit.nextDeadline, pair.phone.nextDeadline].compactMap({ $0 }).min(), next <= now {
      _ = pair.expire()
      count += 1
      try require(count < deadlineLimit, "deadlines at one moment do not end")
    }
  }

  // MARK: What must hold

  /// The verdicts of one side.
  private struct View {
    var isConnected = false
    /// The end of the last connection was reported, and none has begun since.
    var hasEnded = false
  }

  /// The cause of an end that the side decided, which must stay under every policy.
  private static func decidedCause<Policy>(_ session: Session<Policy>) -> DisconnectCause? {
    session.isEnding ? session.cause : nil
  }

  private static func keeps(
    _ decided: DisconnectCause?, _ cause: DisconnectCause?, _ side: String
  ) throws(Finding) {
    guard let decided else { return }
    try require(cause == decided, "\(side)'s end, \(decided), has the cause \(cause, default: "none")")
  }

  private static func examine(_ pair: inout SessionPair, _ views: inout [Side: View]) throws(Finding) {
    for side in Side.allCases {
      for event in pair.takeEvents(of: side) {
        switch event {
        case .role(.connected):
          try require(views[side]?.isConnected == false, "\(side): connected twice")
          views[side]?.isConnected = true
          views[side]?.hasEnded = false
        case .role(.detected), .role(.linkUp): views[side]?.hasEnded = false
        case .role(.disconnected):
          try require(views[side]?.hasEnded == false, "\(side): disconnected twice")
          views[side]?.isConnected = false
          views[side]?.hasEnded = true
        case .role(.suspected), .role(.cleared):
          try require(views[side]?.isConnected == true, "\(side): a verdict without a connection")
        default: break
        }
      }
    }
    try require(!pair.headUnit.isOver || pair.headUnit.nextDeadline == nil, "an accessory that is over waits")
    try require(!pair.phone.isOver || pair.phone.nextDeadline == nil, "a device that is over waits")
  }
}
