// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let reset: [Check] = [
    Check(
      "RST-01", .reset, of: .both, "RST ends the link at once",
      "After RST the peer sends nothing on the link: unacknowledged packets are discarded.",
      .at("Reliability.md#rst-effect", .high)
    ) { probe throws(Stop) in
      _ = try await probe.unacknowledged(timeout: 1000)
      await probe.send(Packet(.reset, sequence: await probe.sequence))
      // Receive the data in transit.
      _ = await probe.watch(300)
      try await probe.refuse("it sends data after RST", for: await probe.resendLimit) { $0.packet?.isData ?? false }
    },
    Check(
      "RST-02", .reset, of: .both, "After RST the link restarts",
      "After RST a new link starts with detection on the same transport, or the transport is closed.",
      .at("Reliability.md#rst-effect", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.resetAndDetect()
    },
    Check(
      "RST-03", .reset, of: .both, "A new link is a new session",
      "On the link after a reset, authentication and identification restart.",
      .at("Reliability.md#rst-new-session", .high)
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.resetAndDetect()
      guard await !probe.isFinished else { throw .notApplicable("it closes the transport after RST") }
      try await probe.finishNegotiation(Probe.usual)
      if probe.side == .device {
        try await probe.authenticate()
        _ = try await probe.identification()
      } else {
        _ = try await probe.message(
          RequestAuthenticationCertificate.id, StartIdentification.id, within: probe.timeouts.begin)
      }
    },
    Check(
      "RST-04", .reset, of: .both, "RST ends a negotiation",
      "After RST during negotiation, the peer returns to detection.",
      .at("Reliability.md#rst-in-setup", .low, "inferred")
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
      "RST-05", .reset, of: .both, "SLP is ignored",
      "A packet with the SLP bit, whose use no public source describes, is ignored.",
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
