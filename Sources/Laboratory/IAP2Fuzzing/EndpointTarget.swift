// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults

/// The target for two endpoints and a faulty transport between them, driven by a program. For all operations and
/// faults, data is received in order and once, and every wait has a deadline.
///
/// Input: six bytes that select link values, limits and quirks, then steps: a byte for the operation, and its
/// arguments.
enum EndpointTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    var exercise = EndpointExercise(Configuration(&program))
    exercise.pair.start()
    try exercise.examine()
    // The number of steps is limited, because longer programs only repeat themselves.
    var count = 0
    while !program.isOver, count < 1000 {
      try exercise.step(&program)
      count += 1
    }
    try exercise.drain()
  }

  struct Configuration {
    var preferences: [Side: LinkPreferences] = [:]
    var limits = Limits()
    var quirks = EndpointQuirks()
    var conditions = LinkConditions.perfect
    var isZeroAcknowledgement = false
    var seed: UInt64 = 1

    init(_ program: inout Program) {
      let flags = program.byte()
      for side in Side.allCases {
        var offer = LinkSynchronization.standard
        offer.maxOutstandingPackets = 1 + program.byte() % 127
        offer.maxPacketLength = 24 + UInt16(program.byte()) * 4
        offer.maxCumulativeAcks = min(offer.maxCumulativeAcks, offer.maxOutstandingPackets)
        preferences[side] = LinkPreferences(offer: offer)
      }
      let window = preferences.values.map(\.offer.maxOutstandingPackets).max() ?? 1
      conditions.overtaking = LinkConditions.maximumOvertaking(window: window)
      seed = UInt64(program.byte())
      if flags & 1 != 0 {
        isZeroAcknowledgement = true
        preferences[.accessory]?.offer.retransmissionTimeout = 0
        preferences[.accessory]?.offer.cumulativeAckTimeout = 0
        preferences[.accessory]?.offer.maxRetransmissions = 0
        preferences[.accessory]?.offer.maxCumulativeAcks = 0
      }
      if flags & 2 != 0 {
        limits.queuedByteCount = 512
        limits.externalAccessoryQueueByteCount = 128
        limits.externalAccessoryHighMark = 64
        limits.externalAccessoryUnreadByteCount = 2048
        limits.externalAccessorySessions = 2
        limits.fileTransfers = 2
        limits.fileByteCount = 500
      }
      if flags & 4 != 0 {
        conditions.splitting = 0.3
        conditions.coalescing = 0.3
      }
      quirks.packsMessages = flags & 8 != 0
      quirks.sendsBareExtendedAcknowledge = flags & 16 != 0
      guard !isZeroAcknowledgement else { return }
      if flags & 32 != 0 { preferences[.accessory]?.offer.maxRetransmissions = 3 }
      if flags & 64 != 0 { preferences[.accessory]?.offer.cumulativeAckTimeout = 0 }
    }

    var pair: Pair {
      func endpoint(_ side: Side) -> Endpoint {
        Endpoint(
          side: side, preferences: preferences[side] ?? LinkPreferences(), limits: limits, quirks: quirks,
          firstSequence: Endpoint.firstSequence(of: side))
      }
      return Pair(
        accessory: endpoint(.accessory), device: endpoint(.device), conditions: conditions, seed: seed)
    }
  }
}
