// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults

/// The target for the payload of a SYN: it is decoded and encoded, answered by both sides, and offered by an endpoint
/// if it is a valid offer.
///
/// Input: the payload.
enum SynchronizationTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    let proposal: LinkSynchronization
    do { proposal = try LinkSynchronization(unsafe bytes.span.bytes) } catch {
      try require(bytes.count < 10 || (bytes.count - 10) % 3 != 0 || bytes.count > 775, "\(error) of \(bytes.count)")
      return
    }
    try require(proposal.bytes == bytes, "read and written it differs")
    for side in Side.allCases {
      try answer(proposal, side, rounds: 1)
      // This number of proposals exceeds the limit of an endpoint.
      try answer(proposal, side, rounds: 16)
    }
    try offer(proposal)
  }

  /// Checks an endpoint of one side whose peer sends this proposal `rounds` times and then accepts the answer.
  private static func answer(_ proposal: LinkSynchronization, _ side: Side, rounds: Int) throws(Finding) {
    var preferences = LinkPreferences()
    preferences.retransmissionTimeouts = 500...5000
    var station = Harness(side, preferences: preferences)
    try station.receive(LinkScanner.detect)
    try station.transmit()
    var sequence: UInt8 = 0x40
    var acknowledged: UInt8 = 0x10
    for _ in 0..<rounds {
      try station.receive(packet(side == .accessory ? 0xC0 : 0x80, sequence, acknowledged, proposal.bytes))
      try station.transmit()
      for (number, answer) in synchronizations(station.takeSent()) {
        try examine(answer, to: proposal, preferences)
        acknowledged = number
      }
      sequence &+= 1
    }
    try station.receive(packet(0x40, sequence &- 1, acknowledged))
    for reported in station.take() {
      guard case .linkUp(let local, let remote) = reported.event else { continue }
      try examine(local, to: remote, preferences)
      try require(remote == proposal, "up with another proposal")
      try require(remote.maxPacketLength >= 24, "up with packets of \(remote.maxPacketLength) bytes")
    }
    try use(&station)
    for _ in 0..<40 where try station.expire() {}
  }

  /// Checks that data is sent in packets that the peer accepts, whatever was agreed.
  private static func use(_ station: inout Harness) throws(Finding) {
    _ = station.takeSent()
    let bytes = [UInt8](repeating: 7, count: 300)
    do { try station.endpoint.send(message: ControlHeader.message(DeviceInformationUpdate.id, body: bytes)) } catch {}
    do { _ = try station.endpoint.sendFile(bytes, type: nil) } catch {}
    do {
      try station.endpoint.openExternalAccessory(1)
      _ = try station.endpoint.sendExternalAccessory(1, unsafe bytes.span.bytes)
    } catch {}
    let isUp = station.endpoint.isUp
    try station.transmit()
    let longest = station.endpoint.windowByteCount / station.endpoint.windowPacketCount
    for packet in station.takeSent() where isUp {
      try require(packet.count <= longest, "a packet of \(packet.count) bytes to one who takes \(longest)")
    }
  }

  private static func synchronizations(_ packets: [[UInt8]]) -> [(sequence: UInt8, LinkSynchronization)] {
    packets.compactMap { packet in
      guard packet.count > 10, packet[0] == 0xFF, packet[1] == 0x5A, packet[4] & 0x80 != 0 else { return nil }
      let payload = Array(packet[9..<(packet.count - 1)])
      do { return (packet[5], try LinkSynchronization(unsafe payload.span.bytes)) } catch { return nil }
    }
  }

  /// Checks that an endpoint keeps its own declared values, and that each session has its own id and type.
  private static func examine(
    _ answer: LinkSynchronization, to proposal: LinkSynchronization, _ preferences: LinkPreferences
  ) throws(Finding) {
    let offer = preferences.offer
    try require(answer.maxOutstandingPackets == offer.maxOutstandingPackets, "a window of another's")
    try require(answer.maxPacketLength == offer.maxPacketLength, "a packet length of another's")
    try require(Set(answer.sessions.map(\.id)).count == answer.sessions.count, "two sessions of one id")
    try require(Set(answer.sessions.map(\.type)).count == answer.sessions.count, "two sessions of one type")
    try require(answer.sessionID(of: .control) != nil, "no control session")
    try require(!answer.sessions.contains { $0.id == 0 }, "a session 0")
    try require(
      answer.isZeroAcknowledgement || preferences.retransmissionTimeouts.contains(answer.retransmissionTimeout),
      "\(answer.retransmissionTimeout) ms, which was never agreed")
  }

  /// Checks the proposal as an endpoint's own offer: both sides agree or give up, and both have the same agreed values.
  private static func offer(_ proposal: LinkSynchronization) throws(Finding) {
    guard proposal.outOfRange.isEmpty, proposal.maxPacketLength >= 24, proposal.maxOutstandingPackets > 0 else {
      return
    }
    let preferences = LinkPreferences(offer: proposal)
    var pair = Pair(
      accessory: Endpoint(side: .accessory, preferences: preferences),
      device: Endpoint(side: .device, firstSequence: Endpoint.firstSequence(of: .device)))
    pair.start()
    let isDone = pair.run(limit: 2000) { $0.isUp || ended($0) }
    try require(isDone, "neither up nor ended")
    try require(pair.violations.isEmpty, "\(pair.violations)")
    guard pair.isUp else { return }
    let agreed = Side.allCases.compactMap { side in
      pair.observed[side]?.compactMap { reported in
        if case .linkUp(let local, _) = reported.event { local } else { nil }
      }.last
    }
    guard agreed.count == 2 else { throw Finding("up without a word") }
    // Values that each side declares for itself may differ.
    var theirs = agreed[1]
    theirs.maxOutstandingPackets = agreed[0].maxOutstandingPackets
    theirs.maxPacketLength = agreed[0].maxPacketLength
    theirs.version = agreed[0].version
    try require(agreed[0] == theirs, "\(agreed[0]) at the accessory, \(agreed[1]) at the device")
  }

  private static func ended(_ pair: Pair) -> Bool {
    pair.observed.values.contains { $0.contains { if case .linkDown = $0.event { true } else { false } } }
  }
}
