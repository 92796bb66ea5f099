// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Roles

// Authentication and identification on either side.
extension Probe {
  /// The messages of authentication and identification that an accessory receives.
  private static let asked: [UInt16] = [
    RequestAuthenticationCertificate.id, RequestAuthenticationChallengeResponse.id, AuthenticationFailed.id,
    AuthenticationSucceeded.id, StartIdentification.id, IdentificationAccepted.id, IdentificationRejected.id,
  ]

  // MARK: As the accessory

  /// Answers the phone's requests in any order until one of these messages arrives.
  ///
  /// - Parameters:
  ///   - wanted: the identifiers of the messages to wait for.
  ///   - identification: the identification to send; nil for `ownIdentification()`.
  /// - Returns: the message with a wanted identifier, which is not answered.
  @discardableResult
  func serve(until wanted: UInt16..., identification: Message? = nil) async throws(Stop) -> Message {
    while true {
      let message = try await message(of: Self.asked + wanted, naming: wanted, within: timeouts.begin)
      if wanted.contains(message.id) { return message }
      try await answer(message, identification: identification)
    }
  }

  func answer(_ message: Message, identification: Message? = nil) async throws(Stop) {
    switch message.id {
    case RequestAuthenticationCertificate.id:
      try await send(Message(AuthenticationCertificate.id, [(0, try await certificate())]))
    case RequestAuthenticationChallengeResponse.id:
      try await send(Message(AuthenticationResponse.id, [(0, try await signature(of: message[0] ?? []))]))
    case AuthenticationFailed.id:
      throw .inconclusive(
        "the phone rejects the probe's authentication (AA04), so it may not trust the probe's certificate")
    case StartIdentification.id: try await send(try reported(identification))
    case IdentificationRejected.id:
      throw .failed("the phone rejects the probe's identification (1D03), naming \(message.parameterNames)")
    default: break
    }
  }

  func certificate() async throws(Stop) -> [UInt8] {
    do { return try await setting.authenticator.certificate() } catch {
      throw .inconclusive("the probe's authenticator has no certificate: \(error)")
    }
  }

  func signature(of challenge: [UInt8]) async throws(Stop) -> [UInt8] {
    do { return try await setting.authenticator.sign(challenge: challenge) } catch {
      throw .inconclusive("the probe's authenticator cannot sign \(challenge.count) bytes: \(error)")
    }
  }

  /// Returns the identification of a wired head unit with the features power, device notifications, now playing and
  /// calls.
  func ownProfile() -> IdentificationInformation {
    HeadUnitProfile.standard(
      name: "swift-iap2 conformance", protocols: [setting.protocolName],
      features: [.power, .deviceNotifications, .nowPlaying, .calls]
    ).identification
  }

  private func reported(_ identification: Message?) throws(Stop) -> Message {
    if let identification { return identification }
    return try ownIdentification()
  }

  func ownIdentification(
    _ change: @Sendable (inout IdentificationInformation) -> Void = { _ in }
  ) throws(Stop) -> Message {
    var identification = ownProfile()
    change(&identification)
    do { return Message(try identification.encoded()) } catch {
      throw .inconclusive("the probe's identification cannot be encoded: \(error)")
    }
  }

  // MARK: As the device

  /// Requests the certificate and a response, verifies neither, and sends AuthenticationSucceeded.
  func authenticate() async throws(Stop) {
    _ = try await challenge()
    try await send(Message(AuthenticationSucceeded.id))
  }

  /// Performs authentication up to the response, and returns certificate, challenge and response.
  func challenge(
    filledWith byte: UInt8 = 0x5A
  ) async throws(Stop) -> (certificate: [UInt8], challenge: [UInt8], response: [UInt8]) {
    try await send(Message(RequestAuthenticationCertificate.id))
    let certificate = try await message(AuthenticationCertificate.id)[0] ?? []
    let challenge = (0..<Self.challengeByteCount(for: certificate)).map { UInt8(truncatingIfNeeded: $0) ^ byte }
    try await send(Message(RequestAuthenticationChallengeResponse.id, [(0, challenge)]))
    return (certificate, challenge, try await message(AuthenticationResponse.id)[0] ?? [])
  }

  /// Returns the length of a challenge: 20 bytes for the old chips and 32 for all others (Authentication.md#challenge;
  /// high).
  static func challengeByteCount(for certificate: [UInt8]) -> Int {
    do { return try AuthenticationVerifier.any.challengeByteCount(for: certificate) } catch { return 32 }
  }

  /// Requests the identification of the accessory.
  func identification() async throws(Stop) -> Message {
    try await send(Message(StartIdentification.id))
    return try await message(IdentificationInformation.id)
  }

  // MARK: Both sides

  /// Performs authentication and identification. A failure makes the check inconclusive.
  ///
  /// - Returns: the identification of the accessory, which may be the probe or the peer.
  @discardableResult
  func ready(identification: Message? = nil) async throws(Stop) -> Message {
    do throws(Stop) {
      switch side {
      case .device:
        try await authenticate()
        let reported = try await self.identification()
        try await send(Message(IdentificationAccepted.id))
        return reported
      case .accessory:
        var missing: Set<UInt16> = [AuthenticationSucceeded.id, IdentificationAccepted.id]
        while !missing.isEmpty {
          let message = try await message(of: Self.asked, within: timeouts.begin)
          missing.remove(message.id)
          try await answer(message, identification: identification)
        }
        return try reported(identification)
      }
    } catch { throw error.before("authentication and identification did not succeed") }
  }

  /// Sets up a link with these link parameters and performs authentication and identification.
  @discardableResult
  func session(
    _ values: LinkSynchronization = Probe.usual, identification: Message? = nil
  ) async throws(Stop) -> Message {
    try await linkUp(values)
    return try await ready(identification: identification)
  }

  /// Makes the peer send at least one data packet. Requests the certificate of a head unit. A phone starts without a
  /// request.
  func provoke() async throws(Stop) {
    if side == .device { try await send(Message(RequestAuthenticationCertificate.id)) }
  }

  /// Makes the peer send one more data packet after ``provoke()``. Requests the identification of a head unit, and
  /// answers a phone's request.
  func provokeAgain() async throws(Stop) {
    if side == .device {
      try await send(Message(StartIdentification.id))
    } else {
      try await answer(try await message(of: Self.asked))
    }
  }

  /// Sets up a link on which the peer has more packets to send than the probe's window allows, and acknowledges none.
  ///
  /// A head unit gets four requests at once. A phone has its acceptance and its name, language, time and UUID to send,
  /// and then the answers to three requests. No packet has to be short, because a peer may not split messages.
  func flood(window: UInt8, retransmissionMilliseconds: UInt16 = 5000) async throws(Stop) {
    do throws(Stop) {
      try await linkUp(
        Probe.usual.with {
          $0.maxOutstandingPackets = window
          $0.retransmissionTimeout = retransmissionMilliseconds
          $0.maxCumulativeAcks = 1
        })
      if side == .device {
        hold()
        for _ in 0..<2 {
          try await send(Message(RequestAuthenticationCertificate.id))
          try await send(Message(StartIdentification.id))
        }
        _ = try await newData()
      } else {
        try await readyHolding()
        _ = try await newData()
        for feature in Subscription.all { try await send(feature.start([feature.first])) }
      }
      _ = await watch(300)
    } catch { throw error.before("the peer did not send several packets") }
    if isFinished || wasReset {
      throw .inconclusive("it ended the link while its packets were not acknowledged, before the tested behavior")
    }
  }

  /// As the accessory, performs authentication and identification. It sends the last answer and acknowledges nothing
  /// from then on.
  private func readyHolding() async throws(Stop) {
    var missing: Set<UInt16> = [AuthenticationSucceeded.id, IdentificationAccepted.id]
    while true {
      let message = try await message(of: Self.asked, within: timeouts.begin)
      missing.remove(message.id)
      let isLast =
        missing == [AuthenticationSucceeded.id] && message.id == RequestAuthenticationChallengeResponse.id
        || missing == [IdentificationAccepted.id] && message.id == StartIdentification.id
      if isLast { hold() }
      try await answer(message)
      if isLast { return }
    }
  }

  /// The packets received since ``hold()``, at most one per sequence number, in arrival order.
  var heldPackets: [Packet] {
    var seen: Set<SequenceNumber> = []
    return held.compactMap(\.packet).filter { seen.insert($0.sequence).inserted }
  }

  /// Waits for the next data packet that is not a retransmission.
  func newData() async throws(Stop) -> Packet {
    let last = lastInOrder
    return try await expect("data packet", within: timeouts.begin) { observation in
      observation.packet.flatMap { packet in
        let step = packet.sequence.distance(from: last)
        return packet.isData && step > 0 && step < 128 ? packet : nil
      }
    }
  }
}

extension Message {
  /// The human-readable list of the parameter identifiers.
  var parameterNames: String {
    parameters.isEmpty ? "nothing" : parameters.map { String($0.id) }.joined(separator: ", ")
  }

  func identification() throws(Stop) -> IdentificationInformation {
    do { return try IdentificationInformation(decoding: bytes.rawBytes) } catch {
      throw .failed("the identification cannot be read: \(error.reason) at byte \(error.offset)")
    }
  }

  /// Returns the two-byte numbers in one parameter.
  package func list(_ id: UInt16) -> [UInt16] {
    let bytes = self[id] ?? []
    return stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
  }
}
