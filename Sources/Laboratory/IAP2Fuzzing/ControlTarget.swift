// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults

/// The target for control messages in packets: several in one packet, one in several packets, and bytes that are not a
/// message. The result is compared with a plain implementation of the rule: bytes that do not begin a message
/// invalidate the rest of their packet and the bytes collected before.
///
/// Input: the side, the number of lengths of packets (at most 7), these lengths, and the bytes of the session.
enum ControlTarget {
  private enum Outcome: Equatable {
    case message([UInt8])
    case bad
  }

  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let first = program.byte()
    let lengths = program.take(Int(program.byte() & 7))
    let packets = program.takeAll().pieces(lengths.isEmpty ? [255] : lengths)
    var quirks = EndpointQuirks()
    quirks.packsMessages = first & 2 != 0
    var station = try Harness.up(first & 1 == 0 ? .accessory : .device, quirks: quirks)
    _ = station.take()
    for payload in packets {
      let packet = station.data(session: 1, payload)
      try station.receive(packet)
      try station.transmit()
    }
    var found: [Outcome] = []
    for reported in station.take() {
      switch reported.event {
      case .message(let id, _):
        try require(
          reported.bytes.count >= 6 && id == UInt16(reported.bytes[4]) << 8 | UInt16(reported.bytes[5]),
          "\(id) is another")
        found.append(.message(reported.bytes))
      case .violation(.badMessage): found.append(.bad)
      default: throw Finding("\(reported.event) on the control session")
      }
    }
    let expected = outcomes(packets)
    try require(found == expected, "\(found), and not \(expected)")
    try pass(found, lengths, quirks)
  }

  private static func outcomes(_ packets: [[UInt8]]) -> [Outcome] {
    var outcomes: [Outcome] = []
    var collected: [UInt8] = []
    for packet in packets {
      // A message that lies within one packet is judged there; another one is judged as its bytes are received.
      collected += packet
      while !collected.isEmpty {
        let isStart = zip(collected, ControlHeader.start.bigEndianBytes).allSatisfy { $0 == $1 }
        let length = collected.count >= 4 ? Int(collected[2]) << 8 | Int(collected[3]) : 6
        if !isStart || collected.count >= 6 && length < 6 {
          outcomes.append(.bad)
          collected = []
        } else if collected.count >= 6, collected.count >= length {
          outcomes.append(.message(Array(collected[..<length])))
          collected.removeFirst(length)
        } else {
          break
        }
      }
    }
    return outcomes
  }

  /// Checks that the messages can be sent in packets of another length and are received unchanged.
  private static func pass(_ outcomes: [Outcome], _ lengths: [UInt8], _ quirks: EndpointQuirks) throws(Finding) {
    var preferences = LinkPreferences()
    preferences.offer.maxPacketLength = 24 + UInt16(lengths.first ?? 0)
    var pair = Pair(
      accessory: Endpoint(side: .accessory, quirks: quirks),
      device: Endpoint(side: .device, preferences: preferences, firstSequence: Endpoint.firstSequence(of: .device)))
    pair.start()
    let isUp = pair.run(limit: 100) { $0.isUp }
    try require(isUp, "not up")
    var sent: [[UInt8]] = []
    for case .message(let message) in outcomes {
      do { try pair.accessory.send(message: message) } catch { continue }
      sent.append(message)
    }
    pair.flush()
    let isDone = pair.run(limit: 100_000) { $0.accessory.isDrained }
    try require(isDone && pair.violations.isEmpty, "not all was sent: \(pair.violations)")
    let arrived = (pair.observed[.device] ?? []).filter { if case .message = $0.event { true } else { false } }
    try require(arrived.map(\.bytes) == sent, "\(arrived.map(\.bytes)) arrived, and not \(sent)")
  }
}
