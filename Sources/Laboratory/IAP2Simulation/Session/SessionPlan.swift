// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Faults

/// A plan of a session, drawn from one seed before the session starts, so that the events of the session do not change
/// the meaning of the seed.
package struct SessionPlan: Sendable {
  /// An activity over a connection.
  package enum Deed: Sendable, Hashable {
    /// Concurrent EA sessions.
    case exchange([Exchange])
    /// A new level of the phone's battery.
    case battery(percent: Int)
    /// A new song, whose artwork is a file transfer.
    case song(artworkByteCount: Int)
    /// An interval in which the car offers no current.
    case powerDip(milliseconds: Int)
    /// A disconnect notification of the platform without a disconnect.
    case falseNotice(Side)
    case idle(milliseconds: Int)
  }

  /// The byte counts of one EA session.
  package struct Exchange: Sendable, Hashable {
    var toAccessory: Int
    var toApp: Int
  }

  /// The end of a connection. Times are in milliseconds from the start of the connection.
  package enum End: Sendable, Hashable {
    /// A disconnect by one side after all activities.
    case requested(by: Side)
    /// A pulled cable that both transports report, in any state of the session.
    case pulled(atMilliseconds: Int)
    /// A pulled cable that no transport reports; the direction whose flag is false stays usable.
    case lost(atMilliseconds: Int, toHeadUnit: Bool, toPhone: Bool)
  }

  /// The activities and the end of one connection.
  package struct Connection: Sendable {
    var deeds: [Deed]
    var end: End
  }

  /// The head unit's link preferences. Those of its profile replace them.
  package var headUnitLink: LinkPreferences
  /// The phone's link preferences. Those of its profile replace them.
  package var phoneLink: LinkPreferences
  package var faults: FaultPlan
  /// The probability that the platform loses a disconnect notification.
  package var noticeLoss: Double
  /// The time that the accessory's chip takes for a signature, in milliseconds.
  package var signMilliseconds: Int
  package var connections: [Connection]

  package init(seed: UInt64, faults kinds: Set<FaultKind>) {
    // Each part has its own generator, so that excluding a kind of fault does not change the other parts.
    var links = SeededGenerator(seed: seed &* 5 &+ 1)
    var media = SeededGenerator(seed: seed &* 5 &+ 2)
    var life = SeededGenerator(seed: seed &* 5 &+ 3)
    headUnitLink = LinkPreferences.drawn(using: &links)
    phoneLink = LinkPreferences.drawn(using: &links)
    faults = FaultPlan(seed: seed)
    faults.toHeadUnit = FaultPlan.Direction(LinkConditions.drawn(kinds, using: &media))
    faults.toPhone = FaultPlan.Direction(LinkConditions.drawn(kinds, using: &media))
    // Shorter than the silence that counts as evidence: a disconnect verdict after a longer stall would be correct.
    let stall = FaultPlan.Stall(
      start: .milliseconds(Int.random(in: 0...5000, using: &media)),
      milliseconds: Int.random(in: 1...800, using: &media))
    switch Int.random(in: 0..<4, using: &media) {
    case _ where !kinds.contains(.stall): break
    case 0: faults.toHeadUnit.stall = stall
    case 1: faults.toPhone.stall = stall
    default: break
    }
    noticeLoss = kinds.contains(.notice) ? 0.2 : 0
    signMilliseconds = life.chance(0.3) ? Int.random(in: 1...800, using: &life) : 0
    let count = life.chance(0.3) ? 2 : 1
    connections = (0..<count).map { _ in Connection(using: &life, kinds) }
  }
}

extension SessionPlan {
  /// Limits reordering to the distance at which an 8-bit sequence number is still unambiguous with the links' windows.
  package mutating func limitOvertaking() {
    let window = max(headUnitLink.offer.maxOutstandingPackets, phoneLink.offer.maxOutstandingPackets)
    let limit = LinkConditions.maximumOvertaking(window: window)
    faults.toHeadUnit.conditions.overtaking = limit
    faults.toPhone.conditions.overtaking = limit
  }
}

extension SessionPlan.Connection {
  fileprivate init(using generator: inout SeededGenerator, _ kinds: Set<FaultKind>) {
    let count = Int.random(in: 0...4, using: &generator)
    deeds = (0..<count).map { _ in SessionPlan.Deed.drawn(using: &generator) }.filter { deed in
      switch deed {
      case .powerDip: kinds.contains(.power)
      case .falseNotice: kinds.contains(.notice)
      case .exchange, .battery, .song, .idle: true
      }
    }
    // Half of the times are in the first 1.5 s, in which the connection goes through most of its states.
    let limit = generator.chance(0.5) ? 1500 : 20_000
    let moment = Int.random(in: 0...limit, using: &generator)
    let direction = Int.random(in: 0..<4, using: &generator)
    let side: Side = generator.chance(0.5) ? .accessory : .device
    switch Int.random(in: 0..<4, using: &generator) {
    case 0 where kinds.contains(.disconnect): end = .pulled(atMilliseconds: moment)
    case 1 where kinds.contains(.halfOpen):
      end = .lost(atMilliseconds: moment, toHeadUnit: direction != 1, toPhone: direction != 2)
    default: end = .requested(by: side)
    }
  }
}

extension SessionPlan.Deed {
  fileprivate static func drawn(using generator: inout SeededGenerator) -> Self {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...3:
      let count = generator.chance(0.2) ? 3 : 1
      return .exchange((0..<count).map { _ in SessionPlan.Exchange(using: &generator) })
    case 4: return .battery(percent: Int.random(in: 0...100, using: &generator))
    case 5: return .song(artworkByteCount: Int.random(in: 1...20_000, using: &generator))
    case 6: return .powerDip(milliseconds: Int.random(in: 10...2000, using: &generator))
    case 7: return .falseNotice(generator.chance(0.5) ? .accessory : .device)
    default: return .idle(milliseconds: Int.random(in: 1...4000, using: &generator))
    }
  }
}

extension SessionPlan.Exchange {
  fileprivate init(using generator: inout SeededGenerator) {
    toAccessory = Self.byteCount(using: &generator)
    toApp = Self.byteCount(using: &generator)
  }

  /// Returns a random byte count: mostly few bytes, sometimes many windows, at most 20 000 so that the smallest link
  /// completes in time.
  private static func byteCount(using generator: inout SeededGenerator) -> Int {
    let limit = [1, 20, 500, 4000, 20_000][Int.random(in: 0..<5, using: &generator)]
    return Int.random(in: 1...limit, using: &generator)
  }
}

extension LinkPreferences {
  /// Returns a random offer inside the recommended ranges and, in 30 % of the cases, a range of accepted retransmission
  /// timeouts.
  fileprivate static func drawn(using generator: inout SeededGenerator) -> LinkPreferences {
    var offer = LinkSynchronization.standard
    offer.maxOutstandingPackets = [1, 2, 3, 5, 16, 32, 127][Int.random(in: 0..<7, using: &generator)]
    offer.maxPacketLength = [128, 512, 2048, 4096, 65_535][Int.random(in: 0..<5, using: &generator)]
    offer.retransmissionTimeout = UInt16.random(in: 200...2000, using: &generator)
    offer.cumulativeAckTimeout = UInt16.random(in: 10...(offer.retransmissionTimeout / 2), using: &generator)
    offer.maxRetransmissions = UInt8.random(in: 20...30, using: &generator)
    offer.maxCumulativeAcks = UInt8.random(in: 0...min(10, offer.maxOutstandingPackets), using: &generator)
    var preferences = LinkPreferences(offer: offer)
    if generator.chance(0.3) {
      let lower = UInt16.random(in: 200...1000, using: &generator)
      preferences.retransmissionTimeouts = lower...(lower + 1000)
    }
    return preferences
  }
}

extension SessionPlan {
  /// The human-readable plan, one item a line.
  var lines: [String] {
    [
      "faults: \(faults)" + (noticeLoss > 0 ? ", notifications lost with probability \(noticeLoss)" : ""),
      "head unit's offer: \(headUnitLink.offer.summary), phone's: \(phoneLink.offer.summary)",
    ]
      + (signMilliseconds > 0 ? ["the chip takes \(signMilliseconds) ms to sign"] : [])
      + connections.enumerated().map { number, connection in
        "connection \(number + 1): \((connection.deeds.map(\.text) + [connection.end.text]).joined(separator: "; "))"
      }
  }
}

extension LinkSynchronization {
  fileprivate var summary: String {
    "\(maxOutstandingPackets) × \(maxPacketLength) bytes, \(retransmissionTimeout)/\(cumulativeAckTimeout) ms, "
      + "\(maxRetransmissions) retransmissions, acknowledgement after \(maxCumulativeAcks)"
  }
}

extension SessionPlan.Deed {
  fileprivate var text: String {
    switch self {
    case .exchange(let exchanges):
      "EA " + exchanges.map { "\($0.toAccessory) → ← \($0.toApp)" }.joined(separator: " and ") + " bytes"
    case .battery(let percent): "battery at \(percent) %"
    case .song(let count): "a song with \(count) bytes of artwork"
    case .powerDip(let milliseconds): "no current for \(milliseconds) ms"
    case .falseNotice(let side): "a false disconnect notification at the \(side.roleName)"
    case .idle(let milliseconds): "\(milliseconds) ms without activity"
    }
  }
}

extension SessionPlan.End {
  fileprivate var text: String {
    switch self {
    case .requested(let side): "the \(side.roleName) ends the connection"
    case .pulled(let moment): "the cable is pulled at \(moment) ms"
    case .lost(let moment, true, true): "the cable is pulled without a report at \(moment) ms"
    case .lost(let moment, true, false): "no bytes reach the head unit from \(moment) ms on"
    case .lost(let moment, false, _): "no bytes reach the phone from \(moment) ms on"
    }
  }
}
