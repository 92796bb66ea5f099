// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let fragmentation: [Check] = [
    Check(
      "FRA-01", .fragmentation, of: .both, "A message may span packets",
      "A control message in several packets is reassembled by its length.",
      .at("Reliability.md#split-message", .medium)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.question { probe, message throws(Stop) in
        // A short message in two halves, a certificate in packets of at most 100 bytes.
        try await probe.send(message, limit: max(3, min(100, message.bytes.count / 2)))
      }
    },
    Check(
      "FRA-02", .fragmentation, of: .both, "A packet may hold several messages",
      "All control messages in a packet are read.",
      .at("Reliability.md#joined-messages", .medium, "some cars read only the first"), .recommended
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.question { probe, message throws(Stop) in
        try await probe.sendTogether([Probe.unknownMessage, message])
      }
    },
    Check(
      "FRA-03", .fragmentation, of: .both, "No packet is longer than declared",
      "A sender's packets are not longer than the length that the receiver declared, including header and checksums.",
      .at("Link.md#declarations", .high)
    ) { probe throws(Stop) in
      let limit = try await probe.shortPackets()
      let largest = await probe.largestByteCount
      guard largest > 0 else { throw .inconclusive(await probe.missingAnswer(limit)) }
      guard largest <= limit else {
        throw .failed("it sent a packet of \(largest) bytes; the declared length is \(limit)")
      }
    },
    Check(
      "FRA-04", .fragmentation, of: .both, "A long message is split",
      "A control message longer than one packet of the receiver is sent in several packets and arrives complete.",
      .at("Reliability.md#split-message", .medium)
    ) { probe throws(Stop) in
      let limit = try await probe.shortPackets()
      guard let whole = await probe.lastAnswer else { throw .failed(await probe.missingAnswer(limit)) }
      let value = whole[0] ?? []
      // Emulated accessories have certificates of a few bytes.
      if whole.id == AuthenticationCertificate.id, value.count + Self.envelopeByteCount <= limit {
        throw .inconclusive("its certificate of \(value.count) bytes fits into one packet of \(limit)")
      }
      let isWhole =
        whole.id == AuthenticationCertificate.id
        ? value.first == 0x30 && value.count > 100 : value.count == 20 || value.count == 32
      guard isWhole else { throw .failed("the answer of \(value.count) bytes differs from the one in a single packet") }
    },
  ]
}

extension Check {
  /// The bytes around the only parameter of a message in a packet: its header, the message's, the packet's with both
  /// checksums.
  private static let envelopeByteCount = 4 + 6 + 10
}

extension Probe {
  /// Sends a message by `ask` and waits for its answer: a certificate request to a head unit, or the probe's
  /// certificate to a phone.
  func question(
    _ ask: @Sendable (Probe, Message) async throws(Stop) -> Void
  ) async throws(Stop) {
    if side == .device {
      try await ask(self, Message(RequestAuthenticationCertificate.id))
      _ = try await message(AuthenticationCertificate.id)
    } else {
      do throws(Stop) { try await serve(until: RequestAuthenticationCertificate.id) } catch {
        throw error.before("it sends no request")
      }
      try await ask(self, Message(AuthenticationCertificate.id, [(0, try await certificate())]))
      _ = try await message(RequestAuthenticationChallengeResponse.id)
    }
  }

  /// Sends messages in one packet.
  func sendTogether(_ messages: [Message]) async throws(Stop) {
    let bytes = messages.flatMap(\.bytes)
    guard bytes.count <= Int(theirs.maxPacketLength) - LinkHeader.overheadByteCount else {
      throw .notApplicable("its packets are too short for \(bytes.count) bytes")
    }
    await send(data(bytes))
  }

  /// Makes the peer send a message that is longer than the probe's maximum packet length.
  ///
  /// - Returns: the probe's maximum packet length in bytes.
  func shortPackets() async throws(Stop) -> Int {
    let limit: UInt16 = side == .device ? 64 : 24
    try await linkUp(Probe.usual.with { $0.maxPacketLength = limit })
    try await longAnswer()
    return Int(limit)
  }

  /// Makes the peer send a long message, the certificate of a head unit or the challenge of a phone, and stores it in
  /// ``lastAnswer``.
  func longAnswer() async throws(Stop) {
    if side == .device {
      try await send(Message(RequestAuthenticationCertificate.id))
      lastAnswer = await answer(AuthenticationCertificate.id)
    } else {
      do throws(Stop) { try await serve(until: RequestAuthenticationCertificate.id) } catch {
        throw error.before("it sends no request")
      }
      try await send(Message(AuthenticationCertificate.id, [(0, try await certificate())]))
      lastAnswer = await answer(RequestAuthenticationChallengeResponse.id)
    }
  }

  /// The reason for which a long answer did not arrive in packets of a length.
  func missingAnswer(_ limit: Int) -> String {
    isFinished || wasReset
      ? "it ended the link instead of sending a message in packets of \(limit) bytes"
      : "the answer did not arrive complete in packets of \(limit) bytes"
  }

  private func answer(_ id: UInt16) async -> Message? {
    do throws(Stop) { return try await message(id) } catch { return nil }
  }
}
