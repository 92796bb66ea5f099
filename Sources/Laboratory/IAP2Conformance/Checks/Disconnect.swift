// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let disconnect: [Check] = [
    Check(
      "DIS-01", .disconnect, of: .both, "A new connection works after the transport's end",
      "When the transport ended without RST and is open again, detection and a new link follow.",
      .at("Link.md#next-link", .high)
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.comesBack()
    },
    Check(
      "DIS-02", .disconnect, of: .both, "A new connection works after an end during negotiation",
      "A transport that ends before the link is up does not affect the next connection.",
      .at("Link.md#next-link", .high)
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      if probe.side == .device { _ = try await probe.awaitOffer() } else { _ = try await probe.offer(Probe.usual) }
      try await probe.comesBack()
    },
    Check(
      "DIS-03", .disconnect, of: .both, "A new connection works after an end within a packet",
      "An incomplete packet before the end of the transport does not affect the next connection.",
      .at("Link.md#packet-end", .low), .recommended
    ) { probe throws(Stop) in
      try await probe.linkUp()
      await probe.send(Array(await probe.data(Probe.unknownMessage.bytes).bytes.dropLast(4)))
      try await probe.comesBack()
    },
    Check(
      "DIS-04", .disconnect, of: .both, "A new connection works after an end within a message",
      "An incomplete control message before the end of the transport does not affect the next connection.",
      .at("Link.md#message-end", .low, "inferred"), .recommended
    ) { probe throws(Stop) in
      try await probe.linkUp()
      await probe.send(await probe.data(Array(Message(RequestAuthenticationCertificate.id).bytes.prefix(4))))
      _ = await probe.watch(300)
      try await probe.comesBack()
    },
    Check(
      "DIS-05", .disconnect, of: .both, "A new connection works after an orderly end",
      "After RST and the end of the transport, the peer connects again as after any end.",
      .at("Link.md#next-link", .high)
    ) { probe throws(Stop) in
      try await probe.session()
      await probe.send(Packet(.reset, sequence: await probe.sequence))
      try await probe.comesBack()
    },
    Check(
      "DIS-06", .disconnect, of: .both, "An idle link stays up",
      "A link without data to send stays up.", .at("Reliability.md#idle-link", .low, "no keep-alive is known")
    ) { probe throws(Stop) in
      try await probe.session()
      try await probe.refuse("the idle link ended", for: 10_000) { $0.unit == .end || $0.packet?.isReset == true }
      try await probe.stillWorks()
    },
  ]
}

extension Probe {
  /// Ends the transport, takes the next connection, and gets a session there.
  func comesBack() async throws(Stop) {
    guard !setting.keepsTransport else { throw .notApplicable("this transport stays open") }
    try await reconnect()
    do throws(Stop) { try await session() } catch { throw .failed("on the next connection: \(error.reason)") }
  }
}
