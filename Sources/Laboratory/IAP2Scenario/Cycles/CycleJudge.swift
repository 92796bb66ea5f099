// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession
import IAP2Roles

/// A judge of plug and unplug cycles. It compares the ends that both sides report with what was pulled and lost.
///
/// - Missed: a side still has a link or a session 90 s after its cable, Bluetooth or network was removed, or begins the
///   next one before it reported the end.
/// - False: a side reports an end, or the failure of an attempt, although nothing was removed.
/// - Causes: after a removal only silence and the end of the link are causes.
/// - Agreement: each session that is live on one side is live on the other one, unless it was interrupted meanwhile.
struct CycleJudge: Sendable {
  /// A link or a session of one side. The text is the subject of a violation.
  private enum Key: String, Sendable, Hashable, CaseIterable {
    case headUnitLink = "the head unit's link"
    case phoneLink = "the phone's link"
    case headUnitSession = "the head unit's session"
    case phoneSession = "the phone's session"

    init(_ role: Role) { self = role == .headUnit ? .headUnitLink : .phoneLink }
    init(_ side: SessionSide) { self = side == .headUnit ? .headUnitSession : .phoneSession }

    static let links = [headUnitLink, phoneLink], sessions = [headUnitSession, phoneSession]
  }

  /// The state of a link or a session.
  private struct Connection: Sendable {
    var isOpen = false
    /// Whether an attempt began that is no session yet.
    var isPending = false
    /// The time of the first removal during the session or the attempt; nil if nothing was removed.
    var removal: MonotonicTime?
  }

  /// The time in which a side must report the end, as in simulations of iAP2.
  static let missedMilliseconds = 90_000
  /// The time in which an undisturbed plug brings a picture.
  static let pictureMilliseconds = 20_000
  /// The time in which a pair meets again on a network that is back. The head unit asks every 30 s.
  static let reunionMilliseconds = 45_000
  /// The time for which one side may be live alone before an interruption, longer than delays and retransmissions.
  static let agreementMilliseconds = 3_000

  private let isWireless: Bool
  private var connections = Dictionary(uniqueKeysWithValues: Key.allCases.map { ($0, Connection()) })
  /// The control connections of the head unit that broke before a session, and behind which the phone has connected
  /// anew. The head unit ends each of them after the time limit of the set-up, unless a session begins before.
  private var brokenAttempts = 0
  private var hasLink = false
  private var hasNetwork: Bool
  /// The records of the other side that a side knows.
  private var records: [SessionSide: Set<FoundService.ID>] = [:]
  /// The side whose session became live without the other one, and the time.
  private var liveAlone: (side: SessionSide, time: MonotonicTime)?
  /// The time of the plug of this cycle, whose picture has not come; nil if it has, or if sides were busy with ends.
  private var plugTime: MonotonicTime?
  /// Whether the link has begun a session since that plug. Over the air a control request may be first.
  private var linkBegan = false
  /// The time at which the network came back to a pair that had a session; nil if it has one again.
  private var backTime: MonotonicTime?
  private(set) var outcome: CycleOutcome

  init(isWireless: Bool, outcome: CycleOutcome) {
    self.isWireless = isWireless
    self.outcome = outcome
    hasNetwork = isWireless
  }

  // MARK: Changes

  mutating func take(_ change: CyclePlan.Change, at time: MonotonicTime) {
    switch change {
    case .plug:
      outcome.cycles += 1
      (plugTime, linkBegan) = (isIdle ? time : nil, false)
      restoreLink(at: time)
      if !isWireless { restoreNetwork(at: time) }
    case .pull, .silentPull:
      removeLink(at: time)
      if !isWireless { removeNetwork(at: time) }
    case .networkLost: removeNetwork(at: time)
    case .networkBack: restoreNetwork(at: time)
    // The head unit reports when it drops Bluetooth.
    case .dropBluetooth: break
    // Nothing is removed, so an end would be false.
    case .falseNoticeToHeadUnit, .falseNoticeToPhone: break
    }
  }

  /// Whether no side has a link, a session or an attempt.
  private var isIdle: Bool { connections.values.allSatisfy { !$0.isOpen && !$0.isPending } }

  mutating func removeLink(at time: MonotonicTime) {
    guard hasLink else { return }
    hasLink = false
    checkPicture(at: time)
    for key in Key.links { remove(key, at: time) }
  }

  private mutating func removeNetwork(at time: MonotonicTime) {
    guard hasNetwork else { return }
    hasNetwork = false
    checkPicture(at: time)
    if let backTime, backTime.adding(milliseconds: Self.reunionMilliseconds) < time {
      violate("no session \(Self.reunionMilliseconds / 1000) s after the network was back", at: time)
    }
    backTime = nil
    for key in Key.sessions { remove(key, at: time) }
    if let alone = liveAlone, alone.time.adding(milliseconds: Self.agreementMilliseconds) >= time { liveAlone = nil }
  }

  private mutating func remove(_ key: Key, at time: MonotonicTime) {
    guard let known = connections[key], known.isOpen || known.isPending, known.removal == nil else { return }
    connections[key]?.removal = time
  }

  private mutating func restoreLink(at time: MonotonicTime) {
    hasLink = true
    for key in Key.links { checkMissed(key, at: time) }
  }

  private mutating func restoreNetwork(at time: MonotonicTime) {
    guard !hasNetwork else { return }
    hasNetwork = true
    for key in Key.sessions { checkMissed(key, at: time) }
    if isWireless, outcome.live > 0 { backTime = time }
  }

  /// Checks at a removal that an undisturbed plug has brought a picture in time.
  private mutating func checkPicture(at time: MonotonicTime) {
    guard let plugTime else { return }
    if plugTime.adding(milliseconds: Self.pictureMilliseconds) < time {
      violate("no picture \(Self.pictureMilliseconds / 1000) s after the plug", at: time)
    }
    self.plugTime = nil
  }

  // MARK: Events

  mutating func take(_ event: RoleEvent, of role: Role, at time: MonotonicTime) {
    switch event {
    case .connected:
      begin(Key(role), isRemoved: !hasLink, at: time)
    case .disconnected(let end):
      // A link that was removed before it was identified is not reported as connected.
      guard connections[Key(role)]?.isOpen == true else { return }
      note("link.\(end.cause.rawValue)")
      finish(Key(role), end.cause.rawValue, fits: Self.fits(end.cause), at: time)
    case .carPlayStarted where role == .phone:
      linkBegan = true
      attempt(.phoneSession, at: time)
    default: break
    }
  }

  mutating func take(_ event: CarPlaySession.SessionEvent, of side: SessionSide, at time: MonotonicTime) {
    switch (side, event) {
    case (.phone, .discovery(.connects)): attempt(.phoneSession, at: time)
    case (.headUnit, .state(.connected)): attempt(.headUnitSession, at: time)
    case (.phone, .state(.connected)), (.headUnit, .state(.setUp)):
      begin(Key(side), isRemoved: !hasNetwork, at: time)
      outcome.sessions[side, default: 0] += 1
    case (_, .state(.live)): live(side, at: time)
    case (_, .ended(let end, _)):
      note("\(side).\(end.rawValue)")
      if side == .headUnit, end == .setupTimeout, brokenAttempts > 0, connections[.headUnitSession]?.isOpen == false {
        brokenAttempts -= 1
        return
      }
      finish(Key(side), end.rawValue, fits: fits(end), at: time)
    case (.headUnit, .picture(_, let message)) where message.isKeyFrame: picture(at: time)
    case (.headUnit, .command(.disableBluetooth, _, from: .phone)): removeLink(at: time)
    case (_, .discovery(.found(let service))): records[side, default: []].insert(service.id)
    case (_, .discovery(.lost(let id))): records[side]?.remove(id)
    default: break
    }
  }

  private mutating func attempt(_ key: Key, at time: MonotonicTime) {
    guard let known = connections[key], !known.isOpen else { return }
    if key == .headUnitSession, known.isPending, known.removal != nil { brokenAttempts += 1 }
    connections[key]?.isPending = true
    connections[key]?.removal = hasNetwork ? nil : time
  }

  private mutating func begin(_ key: Key, isRemoved: Bool, at time: MonotonicTime) {
    if connections[key]?.isOpen == true {
      outcome.missed += 1
      violate("\(key.rawValue) begins before the end of the last one", at: time)
    }
    connections[key] = Connection(isOpen: true, removal: isRemoved ? time : nil)
    if key == .headUnitSession { brokenAttempts = 0 }
  }

  private mutating func finish(_ key: Key, _ cause: String, fits: Bool, at time: MonotonicTime) {
    let known = connections[key] ?? Connection()
    if !known.isOpen, !known.isPending {
      violate("\(key.rawValue) reports an end (\(cause)) without a session", at: time)
    } else if known.removal == nil {
      outcome.falseEnds += 1
      violate("\(key.rawValue) ends (\(cause)) although nothing was removed", at: time)
    } else if !fits {
      violate("\(key.rawValue) ends with the cause \(cause) after a removal", at: time)
    }
    connections[key] = Connection()
  }

  private mutating func live(_ side: SessionSide, at time: MonotonicTime) {
    if side == .headUnit { outcome.live += 1 }
    backTime = nil
    if let alone = liveAlone {
      if alone.side == side { violate("the other side was never live in a session", at: alone.time) }
      liveAlone = alone.side == side ? (side, time) : nil
    } else {
      liveAlone = hasNetwork ? (side, time) : nil
    }
  }

  private mutating func picture(at time: MonotonicTime) {
    guard let plug = plugTime else { return }
    plugTime = nil
    guard linkBegan else {
      outcome.meetings += 1
      return
    }
    outcome.pictureMilliseconds.append(Int(plug.duration(to: time) / .milliseconds(1)))
  }

  // MARK: Causes

  private static func fits(_ cause: DisconnectCause) -> Bool {
    switch cause {
    case .transportClosed, .retransmissionLimit, .timeout, .notification, .chargingStopped, .sessionEnded, .replugged:
      true
    case .requested, .linkReset, .peerRestarted, .negotiationFailed, .authenticationFailed, .identificationRejected:
      false
    }
  }

  private func fits(_ end: SessionEnd) -> Bool {
    switch end {
    case .linkLost: !isWireless
    case .requestTimeout, .feedbackSilent, .clockSilent, .setupTimeout: true
    // A removal may come between a request for a connection and the answer.
    case .controlLost, .eventLost, .streamLost: true
    // The phone is back before the head unit notices that it was gone.
    case .superseded: true
    default: false
    }
  }

  // MARK: The end

  private mutating func checkMissed(_ key: Key, at time: MonotonicTime) {
    guard let connection = connections[key], connection.isOpen, let removal = connection.removal,
      removal.adding(milliseconds: Self.missedMilliseconds) < time
    else { return }
    outcome.missed += 1
    violate("\(key.rawValue) has no end \(Self.missedMilliseconds / 1000) s after the removal", at: time)
  }

  /// Checks after the last cycle that every end was reported and nothing is left.
  ///
  /// - Parameter left: What the two sides still have.
  mutating func finish(left: [String], at time: MonotonicTime) {
    for key in Key.allCases { checkMissed(key, at: time) }
    if let liveAlone { violate("the other side was never live in a session", at: liveAlone.time) }
    var left = left
    for side in SessionSide.allCases {
      for id in records[side] ?? [] { left.append("the \(side)'s record of \(id.name)") }
    }
    outcome.left += left.count
    for text in left { violate("left behind: \(text)", at: time) }
  }

  mutating func violate(_ text: String, at time: MonotonicTime) {
    outcome.violations.append("cycle \(outcome.cycles), \(time.seconds) s: \(text)")
  }

  private mutating func note(_ cause: String) { outcome.causes[cause, default: 0] += 1 }
}
