// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance

/// For each check, a peer that violates its requirement and behaves correctly in the steps before.
enum BrokenPeers {
  static let all: [String: Tamper] = [detection, values, streams, traffic, endings, sessions, features]
    .reduce(into: [:]) { $0.merge($1) { first, _ in first } }

  /// Returns the broken peer of a side, or the common one of both sides.
  static func peer(for check: Check, _ subject: Side) -> Tamper? {
    all["\(check.id) \(subject.rawValue)"] ?? all[check.id]
  }

  private static let detection: [String: Tamper] = [
    "DET-01": Tamper(sends: { _, unit in unit == .detect ? [] : [unit] }),
    "DET-02": Tamper(sends: { memory, unit in unit == .detect && memory.count("detect") > 1 ? [] : [unit] }),
    "DET-03": Tamper(greeting: [.detect]),
    "DET-04": Tamper(sends: { _, unit in unit == .detect ? [] : [unit] }),
    "DET-05": Tamper(sends: { memory, unit in unit == .detect && memory.count("detect") > 1 ? [] : [unit] }),
    "DET-06": .sends { _, packet in packet.isSynchronization ? [] : [packet] },
    "DET-07": .dies { memory, unit in unit == .detect && memory.count("detect") > 1 },
    "DET-08": .receives { memory, packet in packet.isSynchronization && memory.count("SYN") == 1 ? [] : [packet] },
    "NEG-01": .sends { _, packet in packet.isSynchronization ? [packet.changed { $0.session = 5 }] : [packet] },
    "NEG-02": .values(
      receives: { _ in }, sends: { values in for i in values.sessions.indices { values.sessions[i].id = 0 } }),
    "NEG-03": .sends { memory, packet in
      guard packet.isSynchronization, memory.count("SYN") > 1 else { return [packet] }
      return [packet.changed { $0.sequence = $0.sequence.next }]
    },
    "NEG-04": .sends { memory, packet in
      guard packet.isPureAcknowledgement, memory.count("ACK") == 1 else { return [packet] }
      return [packet.changed { $0.acknowledgement = $0.acknowledgement.next }]
    },
    "NEG-05": .sends { _, packet in
      packet.isSynchronization ? [packet.changed { $0.acknowledgement = $0.acknowledgement.next }] : [packet]
    },
    "NEG-06": .values(
      receives: { _ in }, sends: { $0.sessions.append(LinkSession(id: 77, type: .externalAccessory, version: 1)) }),
    "NEG-07": .receives { memory, packet in packet.isSynchronization && memory.count("SYN") > 1 ? [] : [packet] },
    "NEG-08": .receives { memory, packet in
      if packet.isPureAcknowledgement { _ = memory.count("ACK") }
      return packet.isData && memory.counts["ACK"] == nil ? [] : [packet]
    },
    "NEG-09": .sends { _, packet in packet.isData ? [packet.changed { $0.session += 40 }] : [packet] },
    "NEG-10": Tamper(receives: { memory, unit in
      guard unit.packet?.messageID == 0x1D02 else { return Tamper.Received(units: [unit]) }
      return Tamper.Received(units: [unit], answers: [.packet(memory.extra([1, 2, 3], session: 2))])
    }),
    "NEG-11": Tamper(receives: { memory, unit in
      guard let packet = unit.packet, packet.proposal.map({ $0.sessionID(of: .control) == nil }) ?? false else {
        return Tamper.Received(units: [unit])
      }
      let isOffer = !packet.control.contains(.acknowledge)
      let number = SequenceNumber(memory.lastSent)
      return Tamper.Received(
        answers: [
          .packet(
            isOffer
              ? Packet(
                [.synchronize, .acknowledge], sequence: number, acknowledgement: packet.sequence,
                payload: packet.payload)
              : Packet(.acknowledge, sequence: number, acknowledgement: packet.sequence))
        ])
    }),
    "NEG-12": .dies { _, unit in unit.packet?.isPureAcknowledgement == true && unit.packet?.sequence.rawValue == 7 },
    "NEG-13": Tamper(receives: { memory, unit in
      guard let packet = unit.packet, packet.isSynchronization, packet.proposal == nil else {
        return Tamper.Received(units: [unit])
      }
      let answer = Packet(
        [.synchronize, .acknowledge], sequence: SequenceNumber(0x64), acknowledgement: packet.sequence,
        payload: Probe.usual.bytes)
      return Tamper.Received(answers: [.packet(answer)])
    }),
  ]

  private static let values: [String: Tamper] = [
    "VAL-01": .refuses { values, _ in values.cumulativeAckTimeout > values.retransmissionTimeout },
    "VAL-02": .refuses { values, _ in values.maxOutstandingPackets == 1 },
    "VAL-03": .refuses { values, _ in values.maxPacketLength == 24 },
    "VAL-04": .refuses { values, _ in values.maxPacketLength == 65_535 },
    "VAL-05": .refuses { values, _ in values.maxCumulativeAcks == 0 },
    "VAL-06": .values(receives: { _ in }, sends: { $0.maxRetransmissions = 3 }),
    "VAL-07": .refuses { values, _ in values.sessions.contains { $0.type.rawValue == 9 } },
    "VAL-08": .refuses { _, packet in packet.sequence.rawValue == 0xFF },
  ]

  private static let streams: [String: Tamper] = [
    "SUM-01": Tamper(sends: { _, unit in
      guard let packet = unit.packet, packet.isData else { return [unit] }
      var bytes = packet.bytes
      bytes[bytes.count - 1] ^= 0x01
      return [.noise(bytes)]
    }),
    // The peer ignores payload checksums.
    "SUM-02": Tamper(receives: { _, unit in
      if case .damaged(let packet) = unit {
        Tamper.Received(units: [.packet(packet)])
      } else {
        Tamper.Received(units: [unit])
      }
    }),
    // The peer ignores header checksums.
    "SUM-03": Tamper(reads: { bytes in
      guard bytes.count >= 9, bytes.starts(with: [0xFF, 0x5A]) else { return bytes }
      var bytes = bytes
      bytes[8] = 0 &- bytes[..<8].reduce(0, &+)
      return bytes
    }),
    "SUM-04": Tamper(reads: { bytes in
      guard bytes.count >= 9, bytes.starts(with: [0xFF, 0x5A]) else { return bytes }
      return bytes[..<9].reduce(0, &+) == 0 ? bytes : []
    }),
    "SUM-05": .dies { _, unit in if case .noise = unit { true } else { false } },
    "SUM-06": Tamper(reads: { $0.count < 6 ? [] : $0 }),
    "SUM-07": Tamper(reads: { bytes in
      guard bytes.count >= 9, bytes.starts(with: [0xFF, 0x5A]) else { return bytes }
      return Array(bytes.prefix(Int(bytes[2]) << 8 | Int(bytes[3])))
    }),
    "SUM-08": .dies { _, unit in unit.packet?.isPureAcknowledgement == true && unit.packet?.session == 2 },
    "SUM-09": .receives { _, packet in packet.isPureAcknowledgement && packet.session != 0 ? [] : [packet] },
    "FRA-01": .receives { _, packet in
      guard packet.isData, !packet.payload.starts(with: [0x40, 0x40]) else { return [packet] }
      return [packet.changed { $0.payload = $0.payload.map { _ in 0 } }]
    },
    "FRA-02": .receives { _, packet in
      guard packet.messageID != nil else { return [packet] }
      return [packet.changed { $0.payload = Array($0.payload.prefix(Int($0.payload[2]) << 8 | Int($0.payload[3]))) }]
    },
    "FRA-03": .values(receives: { $0.maxPacketLength = 4096 }),
    // The peer sends only the first packet of a long message.
    "FRA-04": .sends { _, packet in
      guard packet.isData, !packet.payload.starts(with: [0x40, 0x40]) else { return [packet] }
      return [packet.changed { $0.payload = [0] }]
    },
  ]

  private static let traffic: [String: Tamper] = [
    "WIN-01": .sends { _, packet in packet.isData ? [packet.changed { $0.sequence = $0.sequence.next }] : [packet] },
    // The peer uses a sequence number for each ACK.
    "WIN-02": .sends { memory, packet in
      if packet.isPureAcknowledgement, !memory.received.isEmpty { _ = memory.count("ACK") }
      return packet.isData
        ? [packet.changed { $0.sequence = $0.sequence.advanced(by: memory.counts["ACK"] ?? 0) }] : [packet]
    },
    "WIN-11": .sends { _, packet in
      packet.isPureAcknowledgement ? [packet.changed { $0.sequence = $0.sequence.advanced(by: 5) }] : [packet]
    },
    "WIN-03": .sends { _, packet in packet.isData ? [packet.changed { $0.control.remove(.acknowledge) }] : [packet] },
    "WIN-04": .values(receives: { $0.maxOutstandingPackets = 127 }),
    // The peer ignores acknowledgements when its window is full.
    "WIN-05": .receives { memory, packet in
      if [0x1D00, 0x1D01].contains(packet.messageID) { _ = memory.count("asked") }
      return packet.isPureAcknowledgement && memory.counts["asked"] != nil ? [] : [packet]
    },
    "WIN-06": .receives { memory, packet in
      packet.isData && packet.sequence.rawValue != memory.lastReceived &+ 1 ? [] : [packet]
    },
    "WIN-07": .receives { memory, packet in
      packet.isData && memory.received.contains(packet.sequence.rawValue) ? [] : [packet]
    },
    // The peer ignores sequence numbers and treats a duplicate as a new packet.
    "WIN-08": Tamper(
      sends: { memory, unit in
        guard case .packet(var packet) = unit, packet.control.contains(.acknowledge) else { return [unit] }
        packet.acknowledgement = packet.acknowledgement.advanced(by: -Int(memory.duplicates))
        return [.packet(packet)]
      },
      receives: { memory, unit in
        guard case .packet(var packet) = unit, packet.isData else { return Tamper.Received(units: [unit]) }
        if memory.received.contains(packet.sequence.rawValue) { memory.duplicates += 1 }
        packet.sequence = packet.sequence.advanced(by: Int(memory.duplicates))
        return Tamper.Received(units: [.packet(packet)])
      }),
    "WIN-09": .receives { _, packet in packet.isData && packet.sequence.rawValue == 0 ? [] : [packet] },
    "WIN-10": .dies { memory, unit in
      guard let packet = unit.packet, packet.isData else { return false }
      return (34..<128).contains(Int(packet.sequence.rawValue &- memory.lastReceived))
    },
    "ACK-01": .sends { memory, packet in packet.isPureAcknowledgement && !memory.received.isEmpty ? [] : [packet] },
    "ACK-02": .values(receives: { $0.maxCumulativeAcks = 30 }, sends: { $0.maxCumulativeAcks = 3 }),
    "ACK-03": .values(receives: { $0.maxCumulativeAcks = 30 }, sends: { $0.maxCumulativeAcks = 1 }),
    "ACK-04": .sends { _, packet in
      packet.isData ? [packet.changed { $0.acknowledgement = $0.acknowledgement.advanced(by: -1) }] : [packet]
    },
    "ACK-05": Tamper(receives: { memory, unit in
      guard let packet = unit.packet, packet.isData, packet.sequence.rawValue != memory.lastReceived &+ 1 else {
        return Tamper.Received(units: [unit])
      }
      let hasty = Packet(
        .acknowledge, sequence: SequenceNumber(memory.lastSent), acknowledgement: packet.sequence)
      return Tamper.Received(units: [unit], answers: [.packet(hasty)])
    }),
    "ACK-06": .receives { memory, packet in packet.isPureAcknowledgement && !memory.sent.isEmpty ? [] : [packet] },
    "ACK-07": .receives { memory, packet in
      if packet.isPureAcknowledgement { _ = memory.count("ACK") }
      return packet.isData && memory.counts["ACK"] ?? 0 >= 3 ? [] : [packet]
    },
    "ACK-08": .dies { memory, unit in
      guard let packet = unit.packet, packet.isPureAcknowledgement, !memory.sent.isEmpty else { return false }
      return !memory.sent.contains(packet.acknowledgement.rawValue)
    },
    "ACK-09": Tamper(repeatsAfterMilliseconds: 6000),
    "EAK-01": .sends { _, packet in
      packet.isSelective ? [packet.changed { $0.payload = $0.payload.map { $0 &+ 1 } }] : [packet]
    },
    "EAK-02": .receives { _, packet in packet.isSelective ? [] : [packet] },
    "EAK-03": .receives { _, packet in
      guard packet.isSelective, let first = packet.payload.first else { return [packet] }
      return [packet.changed { $0.payload = [first, first &+ 1, first &+ 2] }]
    },
    "EAK-04": .receives { _, packet in packet.isSelective && packet.control == .extendedAcknowledge ? [] : [packet] },
    "EAK-05": .receives { memory, packet in
      if packet.isSelective { _ = memory.count("EAK") }
      return packet.isData && memory.counts["EAK"] != nil ? [] : [packet]
    },
  ]

  private static let endings: [String: Tamper] = [
    "RET-01": .sends { memory, packet in
      packet.isData && memory.sent.contains(packet.sequence.rawValue) ? [] : [packet]
    },
    "RET-02": .sends { memory, packet in
      guard packet.isData, memory.sent.contains(packet.sequence.rawValue) else { return [packet] }
      return [packet.changed { $0.payload[$0.payload.count - 1] ^= 0x01 }]
    },
    "RET-03": .sends { _, packet in packet.isData ? [packet, packet] : [packet] },
    "RET-05": .values(receives: { $0.maxRetransmissions = 12 }, sends: { $0.maxRetransmissions = 3 }),
    "RET-06": .sends { _, packet in packet.isReset ? [] : [packet] },
    "RET-04": .sends { memory, packet in packet.isSynchronization && memory.count("SYN") > 1 ? [] : [packet] },
    "RST-01": .receives { _, packet in packet.isReset ? [] : [packet] },
    "RST-02": .receives { memory, packet in
      memory.isDead = packet.isReset
      return [packet]
    },
    // On the link after the reset, the peer sends unknown messages.
    "RST-03": Tamper(
      sends: { memory, unit in
        guard memory.counts["RST"] != nil, case .packet(var packet) = unit, packet.isData else { return [unit] }
        packet.payload = Message(0x0BAD).bytes
        return [.packet(packet)]
      },
      receives: { memory, unit in
        if unit.packet?.isReset == true { _ = memory.count("RST") }
        return Tamper.Received(units: [unit])
      }),
    "RST-04": .receives { memory, packet in
      memory.isDead = packet.isReset
      return [packet]
    },
    "RST-05": .dies { _, unit in unit.packet?.control.contains(.sleep) ?? false },
    "DIS-01": .once, "DIS-02": .once, "DIS-03": .once, "DIS-04": .once, "DIS-05": .once,
    "DIS-06": Tamper(endsAfterMilliseconds: 6000),
  ]
}

extension Tamper {
  /// A peer that neither sends nor receives after its first connection.
  fileprivate static let once = Tamper(
    sends: { memory, unit in memory.connection > 1 ? [] : [unit] },
    receives: { memory, unit in memory.connection > 1 ? Received() : Received(units: [unit]) })
}

extension Packet {
  func changed(_ body: (inout Packet) -> Void) -> Packet {
    var packet = self
    body(&packet)
    return packet
  }
}
