// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let reset: [Check] = [
    Check(
      "RST-01", .reset, of: .both, "RST ends the link at once",
      "After RST nothing of the link comes any more: what was not acknowledged is forgotten.",
      .at("Reliability.md#rst-effect", .high)
    ) { probe throws(Stop) in
      _ = try await probe.unacknowledged(timeout: 1000)
      await probe.send(Packet(.reset, sequence: await probe.sequence))
      // Receive the data in transit.
      _ = await probe.watch(300)
      try await probe.refuse("data comes after RST", for: await probe.resendLimit) { $0.packet?.isData ?? false }
    },
    Check(
      "RST-02", .reset, of: .both, "After RST everything begins again",
      "After RST a new link begins with detection on the same transport, or the transport is ended.",
      .at("Reliability.md#rst-effect", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.resetAndDetect()
    },
    Check(
      "RST-03", .reset, of: .both, "A new link is a new session",
      "On the link after a reset, authentication and identification begin at the beginning.",
      .at("Reliability.md#rst-new-session", .high)
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.resetAndDetect()
      guard await !probe.isFinished else { throw .notApplicable("it ends the transport with the link") }
      try await probe.finishNegotiation(Probe.usual)
      if probe.side == .device {
        try await probe.authenticate()
        _ = try await probe.identification()
      } else {
        _ = try await probe.message(RequestAuthenticationCertificate.id, StartIdentification.id, within: Timeouts.begin)
      }
    },
    Check(
      "RST-04", .reset, of: .both, "RST ends a negotiation",
      "RST during negotiation leads back to detection.", .at("Reliability.md#rst-in-setup", .low, "the table of states")
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      if probe.side == .device {
        _ = try await probe.awaitOffer()
      } else {
        _ = try await probe.offer(Probe.usual)
      }
      try await probe.resetAndDetect()
    },
    Check(
      "RST-05", .reset, of: .both, "SLP does no harm",
      "A packet with the SLP bit, whose use nobody has described, is ignored.",
      .at("Link.md#slp-ignored", .low, "SLP is unverified")
    ) { probe throws(Stop) in
      try await probe.linkUp()
      await probe.send(Packet(.sleep, sequence: await probe.sequence))
      try await probe.stillWorks()
    },
  ]
}

extension Probe {
  /// Sends RST and checks that the peer starts detection again or ends the transport.
  func resetAndDetect() async throws(Stop) {
    await send(Packet(.reset, sequence: sequence))
    forgetLink()
    if side == .accessory { _ = await watch(500) }
    if isFinished { return }
    do throws(Stop) { try await detect() } catch { if !isFinished { throw error } }
  }
}
