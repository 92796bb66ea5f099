// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Faults

/// What one seed makes of a session, drawn before anything happens: so a seed means the same whatever happens in it.
package struct SessionCourse: Sendable {
  /// Something that goes on over a connection.
  package enum Deed: Sendable, Hashable {
    /// EA sessions at once, each with so many bytes to the accessory and to the app.
    case exchange([Exchange])
    /// The phone's battery has a new level.
    case battery(percent: Int)
    /// Another song, with so many bytes of artwork: a file transfer.
    case song(artworkByteCount: Int)
    /// The car offers no current for a while.
    case powerDip(milliseconds: Int)
    /// The platform tells of a disconnect that never was.
    case falseNotice(Side)
    case idle(milliseconds: Int)
  }

  package struct Exchange: Sendable, Hashable {
    var toAccessory: Int
    var toApp: Int
  }

  package enum End: Sendable, Hashable {
    /// In order, once everything was done.
    case requested(by: Side)
    /// At a moment of its own, wherever the session is.
    case pulled(atMilliseconds: Int)
    /// The same, and nobody is told; one direction may live on.
    case lost(atMilliseconds: Int, toHeadUnit: Bool, toPhone: Bool)
  }

  package struct Connection: Sendable {
    var deeds: [Deed]
    var end: End
  }

  /// Each side's link, unless its profile has one.
  package var headUnitLink: LinkPreferences
  package var phoneLink: LinkPreferences
  package var faults: FaultPlan
  package var noticeLoss: Double
  /// How long the accessory's chip takes for a signature.
  package var signMilliseconds: Int
  package var connections: [Connection]

  package init(seed: UInt64, faults kinds: Set<FaultKind>) {
    // Each part has a stream of its own, so that leaving out a kind of fault leaves the rest as it was.
    var links = SeededGenerator(seed: seed &* 5 &+ 1)
    var media = SeededGenerator(seed: seed &* 5 &+ 2)
    var life = SeededGenerator(seed: seed &* 5 &+ 3)
    headUnitLink = LinkPreferences.drawn(using: &links)
    phoneLink = LinkPreferences.drawn(using: &links)
    faults = FaultPlan(seed: seed)
    faults.toHeadUnit = FaultPlan.Direction(LinkConditions.drawn(kinds, using: &media))
    faults.toPhone = FaultPlan.Direction(LinkConditions.drawn(kinds, using: &media))
    // Shorter than the silence that is evidence: what stalls longer is rightly taken for gone.
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

extension SessionCourse {
  /// Late packets are no later than what the links' windows let a number mean.
  package mutating func limitOvertaking() {
    let window = max(headUnitLink.offer.maxOutstandingPackets, phoneLink.offer.maxOutstandingPackets)
    let limit = LinkConditions.maximumOvertaking(window: window)
    faults.toHeadUnit.conditions.overtaking = limit
    faults.toPhone.conditions.overtaking = limit
  }
}

extension SessionCourse.Connection {
  fileprivate init(using generator: inout SeededGenerator, _ kinds: Set<FaultKind>) {
    let count = Int.random(in: 0...4, using: &generator)
    deeds = (0..<count).map { _ in SessionCourse.Deed.drawn(using: &generator) }.filter { deed in
      switch deed {
      case .powerDip: kinds.contains(.power)
      case .falseNotice: kinds.contains(.notice)
      case .exchange, .battery, .song, .idle: true
      }
    }
    // The first second and a half is the way to being connected, with its many steps.
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

extension SessionCourse.Deed {
  fileprivate static func drawn(using generator: inout SeededGenerator) -> Self {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...3:
      let count = generator.chance(0.2) ? 3 : 1
      return .exchange((0..<count).map { _ in SessionCourse.Exchange(using: &generator) })
    case 4: return .battery(percent: Int.random(in: 0...100, using: &generator))
    case 5: return .song(artworkByteCount: Int.random(in: 1...20_000, using: &generator))
    case 6: return .powerDip(milliseconds: Int.random(in: 10...2000, using: &generator))
    case 7: return .falseNotice(generator.chance(0.5) ? .accessory : .device)
    default: return .idle(milliseconds: Int.random(in: 1...4000, using: &generator))
    }
  }
}

extension SessionCourse.Exchange {
  fileprivate init(using generator: inout SeededGenerator) {
    toAccessory = Self.byteCount(using: &generator)
    toApp = Self.byteCount(using: &generator)
  }

  /// Mostly little, sometimes many windows; not so much that the smallest link would take for ever.
  private static func byteCount(using generator: inout SeededGenerator) -> Int {
    let limit = [1, 20, 500, 4000, 20_000][Int.random(in: 0..<5, using: &generator)]
    return Int.random(in: 1...limit, using: &generator)
  }
}

extension LinkPreferences {
  /// An offer inside the recommended ranges, and a wish or two about the peer's.
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

extension SessionCourse {
  /// For people, one line each.
  var lines: [String] {
    [
      "faults: \(faults)" + (noticeLoss > 0 ? ", notices lost with probability \(noticeLoss)" : ""),
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

extension SessionCourse.Deed {
  fileprivate var text: String {
    switch self {
    case .exchange(let exchanges):
      "EA " + exchanges.map { "\($0.toAccessory) → ← \($0.toApp)" }.joined(separator: " and ") + " bytes"
    case .battery(let percent): "battery at \(percent) %"
    case .song(let count): "a song with \(count) bytes of artwork"
    case .powerDip(let milliseconds): "no current for \(milliseconds) ms"
    case .falseNotice(let side): "a notice for nothing at the \(side.roleName)"
    case .idle(let milliseconds): "\(milliseconds) ms of nothing"
    }
  }
}

extension SessionCourse.End {
  fileprivate var text: String {
    switch self {
    case .requested(let side): "the \(side.roleName) ends it"
    case .pulled(let moment): "the cable is pulled at \(moment) ms"
    case .lost(let moment, true, true): "the cable is pulled unnoticed at \(moment) ms"
    case .lost(let moment, true, false): "nothing reaches the head unit from \(moment) ms on"
    case .lost(let moment, false, _): "nothing reaches the phone from \(moment) ms on"
    }
  }
}

extension Side {
  fileprivate var roleName: String { self == .accessory ? "head unit" : "phone" }
}
