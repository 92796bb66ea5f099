// swift-iap2 · Apache-2.0

import IAP2
import IAP2Authentication
import IAP2Roles

/// Authentication and identification by hand, on either side.
extension Probe {
  /// What a good accessory answers, and what it is told.
  private static let asked: [UInt16] = [0xAA00, 0xAA02, 0xAA04, 0xAA05, 0x1D00, 0x1D02, 0x1D03]

  // MARK: As the accessory

  /// Answers whatever the phone asks, in whichever order, until one of these messages comes.
  ///
  /// - Parameter identification: what to say we are; nil for ``ownIdentification()``.
  @discardableResult
  func serve(until wanted: UInt16..., identification: Message? = nil) async throws(Stop) -> Message {
    while true {
      let message = try await message(of: Self.asked + wanted, naming: wanted, within: Patience.begin)
      if wanted.contains(message.id) { return message }
      try await answer(message, identification: identification)
    }
  }

  func answer(_ message: Message, identification: Message? = nil) async throws(Stop) {
    switch message.id {
    case 0xAA00: try await send(Message(0xAA01, [(0, try await certificate())]))
    case 0xAA02: try await send(Message(0xAA03, [(0, try await signature(of: message[0] ?? []))]))
    case 0xAA04:
      throw .inconclusive("the phone turns our authentication down (AA04), so it may not trust our certificate")
    case 0x1D00: try await send(try told(identification))
    case 0x1D03:
      throw .failed("the phone rejects our identification (1D03), naming \(message.parameterNames)")
    default: break
    }
  }

  func certificate() async throws(Stop) -> [UInt8] {
    do { return try await setting.authenticator.certificate() } catch {
      throw .inconclusive("our own authenticator has no certificate: \(error)")
    }
  }

  func signature(of challenge: [UInt8]) async throws(Stop) -> [UInt8] {
    do { return try await setting.authenticator.sign(challenge: challenge) } catch {
      throw .inconclusive("our own authenticator cannot sign \(challenge.count) bytes: \(error)")
    }
  }

  /// A wired head unit that takes what a phone tells of itself, its power, its player and its calls.
  func ownProfile() -> IdentificationInformation {
    HeadUnitProfile.standard(
      name: "swift-iap2 conformance", protocols: [setting.protocolName],
      features: [.power, .deviceNotifications, .nowPlaying, .calls]
    ).identification
  }

  private func told(_ identification: Message?) throws(Stop) -> Message {
    if let identification { return identification }
    return try ownIdentification()
  }

  func ownIdentification(
    _ change: @Sendable (inout IdentificationInformation) -> Void = { _ in }
  ) throws(Stop) -> Message {
    var identification = ownProfile()
    change(&identification)
    do { return Message(try identification.encoded()) } catch {
      throw .inconclusive("our own identification cannot be encoded: \(error)")
    }
  }

  // MARK: As the device

  /// Asks for the certificate and the answer to a challenge, judges neither, and says that all is well.
  func authenticate() async throws(Stop) {
    _ = try await challenge()
    try await send(Message(0xAA05))
  }

  /// Up to the answer to a challenge, which is handed over with what it answers.
  func challenge(
    filledWith byte: UInt8 = 0x5A
  ) async throws(Stop) -> (certificate: [UInt8], challenge: [UInt8], response: [UInt8]) {
    try await send(Message(0xAA00))
    let certificate = try await message(0xAA01)[0] ?? []
    let challenge = (0..<Self.challengeByteCount(for: certificate)).map { UInt8(truncatingIfNeeded: $0) ^ byte }
    try await send(Message(0xAA02, [(0, challenge)]))
    return (certificate, challenge, try await message(0xAA03)[0] ?? [])
  }

  /// 20 bytes for the old chips and 32 for all others (Authentication.md#challenge; high).
  static func challengeByteCount(for certificate: [UInt8]) -> Int {
    do { return try AuthenticationVerifier.any.challengeByteCount(for: certificate) } catch { return 32 }
  }

  /// Asks what the accessory is.
  func identification() async throws(Stop) -> Message {
    try await send(Message(0x1D00))
    return try await message(0x1D01)
  }

  // MARK: Either

  /// Authenticated and identified; whatever goes wrong here is not the check's question.
  ///
  /// - Returns: the accessory's identification, whichever side that is.
  @discardableResult
  func ready(identification: Message? = nil) async throws(Stop) -> Message {
    do throws(Stop) {
      switch side {
      case .device:
        try await authenticate()
        let told = try await self.identification()
        try await send(Message(0x1D02))
        return told
      case .accessory:
        var missing: Set<UInt16> = [0xAA05, 0x1D02]
        while !missing.isEmpty {
          let message = try await message(of: Self.asked, within: Patience.begin)
          missing.remove(message.id)
          try await answer(message, identification: identification)
        }
        return try told(identification)
      }
    } catch { throw error.before("authentication and identification did not come through") }
  }

  /// A link with values of ours, authenticated and identified.
  @discardableResult
  func session(
    _ values: LinkSynchronization = Probe.usual, identification: Message? = nil
  ) async throws(Stop) -> Message {
    try await linkUp(values)
    return try await ready(identification: identification)
  }

  /// Makes the peer send at least one data packet: the head unit by asking for its certificate, the phone by nothing, as
  /// it begins by itself.
  func provoke() async throws(Stop) {
    if side == .device { try await send(Message(0xAA00)) }
  }

  /// A link on which the peer has more packets to send than our window holds, while we acknowledge nothing: a message of
  /// its own is longer than our packets.
  func flood(window: UInt8, retransmissionMilliseconds: UInt16 = 5000) async throws(Stop) {
    let length: UInt16 = side == .device ? 64 : 24
    do throws(Stop) {
      try await linkUp(
        Probe.usual.with {
          $0.maxOutstandingPackets = window
          $0.maxPacketLength = length
          $0.retransmissionTimeout = retransmissionMilliseconds
          $0.maxCumulativeAcks = 1
        })
      if side == .accessory { try await serve(until: 0xAA00) }
      hold()
      try await send(side == .device ? Message(0xAA00) : Message(0xAA01, [(0, try await certificate())]))
      _ = try await newData()
    } catch { throw error.before("the peer could not be made to send several packets") }
  }

  /// What came while we held back, each number once, in the order it came.
  var heldPackets: [Packet] {
    var seen: Set<SequenceNumber> = []
    return held.compactMap(\.packet).filter { seen.insert($0.sequence).inserted }
  }

  /// The next data packet that comes for the first time.
  func newData(within milliseconds: Int = Patience.begin) async throws(Stop) -> Packet {
    let last = lastInOrder
    return try await expect("data packet", within: milliseconds) { sighting in
      sighting.packet.flatMap { packet in
        let step = packet.sequence.distance(from: last)
        return packet.isData && step > 0 && step < 128 ? packet : nil
      }
    }
  }
}

/// What of an identification can be read.
extension Message {
  /// The ids of its parameters, for people.
  var parameterNames: String {
    parameters.isEmpty ? "nothing" : parameters.map { String($0.id) }.joined(separator: ", ")
  }

  func identification() throws(Stop) -> IdentificationInformation {
    do { return try IdentificationInformation(decoding: bytes.rawBytes) } catch {
      throw .failed("the identification cannot be read: \(error.reason) at byte \(error.offset)")
    }
  }

  /// Numbers of two bytes in one parameter.
  package func list(_ id: UInt16) -> [UInt16] {
    let bytes = self[id] ?? []
    return stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
  }
}
