// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance

extension BrokenPeers {
  static let sessions: [String: Tamper] = [
    "AUT-01": .renames(0xAA01),
    "AUT-02": .sends { _, packet in
      packet.messageID == 0xAA01 ? [packet.changed { $0.payload[10] = 0x31 }] : [packet]
    },
    "AUT-03": .message(0xAA03) { _, _ in Message(0xAA03, [(0, Array(repeating: 7, count: 10))]) },
    "AUT-04": .sends { _, packet in
      packet.messageID == 0xAA03 ? [packet.changed { $0.payload[$0.payload.count - 1] ^= 1 }] : [packet]
    },
    "AUT-05": Tamper(
      sends: { memory, unit in
        guard case .packet(var packet) = unit, packet.messageID == 0x1D01, memory.counts["AA00"] == nil else {
          return [unit]
        }
        packet.payload = Message(0x0BAD).bytes
        return [.packet(packet)]
      },
      receives: { memory, unit in
        if unit.packet?.messageID == 0xAA00 { _ = memory.count("AA00") }
        return Tamper.Received(units: [unit])
      }),
    "AUT-06": .blurts(Message(0xAE03, [(0, [1, 0])]), on: 0x1D02),
    "AUT-07": .blurts(Message(0xAE03, [(0, [1, 0])]), on: 0xAA04),
    "AUT-08": .message(0xAA06) { _, _ in Message(0xAA06) },
    // The probe trusts another authority than that of this peer's certificate.
    "AUT-10": Tamper(),
    // The peer repeats its first response to every challenge.
    "AUT-09": .sends { memory, packet in
      guard packet.messageID == 0xAA03 else { return [packet] }
      let first = memory.kept ?? packet
      memory.kept = first
      return [packet.changed { $0.payload = first.payload }]
    },
    // Peers that send the Wi-Fi's credentials, start CarPlay, report the location, and open an EA session too early.
    "AUT-11": .blurts(Message(0x5703, [(1, [0x41, 0])]), on: 0x5702),
    "AUT-12": .blurts(Message(0x4301, [(1, [])]), on: 0x4300),
    "AUT-13": .blurts(Message(0xFFFB, [(0, [0x24, 0])]), on: 0xFFFA),
    "AUT-14": .blurts(Message(0xEA03, [(0, [0, 1]), (1, [0])]), on: 0xEA00),
    "AUT-20": .renames(0xAA00),
    "AUT-21": .message(0xAA02) { _, _ in Message(0xAA02, [(0, Array(repeating: 7, count: 16))]) },
    "AUT-22": .renames(0xAA05, to: 0xAA04),
    "AUT-23": .renames(0xAA04, to: 0xAA05),
    "AUT-24": .renames(0xAA04, to: 0xAA05),
    "AUT-25": .sends { memory, packet in
      guard packet.messageID == 0xAA02 else { return [packet] }
      return [packet, memory.extra(Message(0x4E09, [(0, [0x41, 0])]).bytes, session: packet.session)]
    },
    "AUT-26": .message(0xAA02) { _, _ in Message(0xAA02, [(0, Array(repeating: 7, count: 32))]) },
    "IDN-01": .renames(0x1D01),
    "IDN-02": .parameters(of: 0x1D01) { $0.filter { $0.id != 13 } },
    "IDN-03": .parameters(of: 0x1D01) { $0.map { $0.id == 0 ? ($0.id, Array($0.value.dropLast())) : $0 } },
    "IDN-04": .lists { $0 + [0xAA00] },
    "IDN-05": .lists { $0.filter { $0 != 0xAE02 } },
    "IDN-06": .lists { $0.filter { $0 != 0xAE00 } },
    "IDN-07": .parameters(of: 0x1D01) { $0.filter { $0.id != 22 } },
    "IDN-08": .sends { memory, packet in
      let isAnswer = packet.messageID == 0x1D05 || packet.messageID == 0x1D01 && memory.count("1D01") > 1
      return isAnswer ? [packet.changed { $0.payload = Message(0x0BAD).bytes }] : packet.isReset ? [] : [packet]
    },
    "IDN-09": .sends { memory, packet in
      guard packet.messageID == 0x1D01 else { return [packet] }
      let first = memory.kept ?? packet
      memory.kept = first
      return [packet.changed { $0.payload = first.payload }]
    },
    "IDN-10": .blurts(Message(0x6805), on: 0x1D02),
    "IDN-11": .parameters(of: 0x1D01) { $0 + $0.filter { $0.id == 10 } },
    "IDN-20": .renames(0x1D00),
    "IDN-21": .renames(0x1D02, to: 0x1D03),
    "IDN-22": .rejects { $0.parameters.first?.id != 0 },
    "IDN-23": .rejects { $0[0x7F01] != nil },
    "IDN-24": .renames(0x1D03, to: 0x1D02),
    "IDN-25": .renames(0x1D03, to: 0x1D02),
    "IDN-26": .renames(0x1D03, to: 0x1D02),
    "IDN-27": .renames(0x1D02, to: 0x1D03),
    "IDN-28": .sends { memory, packet in
      guard packet.messageID == 0x1D02 else { return [packet] }
      return [packet, memory.extra(Message(0x4E0D, [(0, [1])]).bytes, session: packet.session)]
    },
    "IDN-29": .renames(0x4E0C),
  ]

  static let features: [String: Tamper] = [
    "EAP-01": .parameters(of: 0xEA03) { $0.map { $0.id == 1 ? (1, [1]) : $0 } },
    "EAP-02": .parameters(of: 0xEA03) { $0.map { $0.id == 0 ? (0, [0, 9]) : $0 } },
    "EAP-03": .parameters(of: 0xEA03) { $0.map { $0.id == 1 ? (1, [0]) : $0 } },
    "EAP-04": .sends { _, packet in
      packet.isData && packet.messageID == nil ? [packet.changed { $0.payload[0] ^= 0x40 }] : [packet]
    },
    "EAP-05": .ignores(0xEA01),
    "EAP-06": .dies { _, unit in unit.packet?.payload.starts(with: [0x77, 0x77]) ?? false },
    "EAP-07": .parameters(of: 0xEA00) { $0.map { $0.id == 0 ? (0, [9]) : $0 } },
    "EAP-08": .sends { _, packet in
      packet.isData && packet.messageID == nil ? [packet.changed { $0.payload[0] ^= 0x40 }] : [packet]
    },
    // The peer ignores the status.
    "EAP-09": .receives { _, packet in
      guard packet.messageID == 0xEA03 else { return [packet] }
      let reported = Message(packet.payload).parameters.map { $0.id == 1 ? (id: $0.id, value: [0]) : $0 }
      return [packet.changed { $0.payload = Message(0xEA03, reported).bytes }]
    },
    "SUB-01": .renames(0xAE01),
    "SUB-02": .parameters(of: 0xAE01) { $0 + [(5, [1])] },
    "SUB-03": .parameters(of: 0xAE01) { $0 + [(6, [1])] },
    "SUB-04": .renames(0x5001),
    "SUB-05": .renames(0x4158),
    "SUB-06": .dies { _, unit in unit.packet?.messageID == 0xAE02 },
    "SUB-07": .blurts(Message(0xFFFB, [(0, [0x24, 0])]), on: 0x1D02),
    "SUB-08": .renames(0xA101),
    "SUB-09": .renames(0x5703),
    "UNK-01": .dies { _, unit in unit.packet?.messageID == 0x0BAD },
    "UNK-02 accessory": .ignores(0xAA00) { $0[0x7F01] != nil },
    "UNK-02 device": .ignores(0xAA01) { $0[0x7F01] != nil },
    "UNK-03": .dies { _, unit in unit.packet?.session == 99 },
    "UNK-04": .sends { _, packet in
      packet.isData && packet.messageID == nil && packet.payload.count == 2
        ? [packet.changed { $0.payload[1] = 0x06 }] : [packet]
    },
    "UNK-05": .receives { _, packet in packet.control.rawValue & 0x07 != 0 ? [] : [packet] },
  ]
}

extension Tamper {
  /// Returns a tamper for a peer whose identification has a changed list 6.
  fileprivate static func lists(_ change: @escaping @Sendable ([UInt16]) -> [UInt16]) -> Tamper {
    message(0x1D01) { _, message in
      let list = change(message.list(6)).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      return Message(0x1D01, message.parameters.map { $0.id == 6 ? ($0.id, list) : $0 })
    }
  }

  /// Returns a tamper for a peer that rejects identifications that it must accept.
  fileprivate static func rejects(_ condition: @escaping @Sendable (Message) -> Bool) -> Tamper {
    Tamper(
      sends: { memory, unit in
        guard memory.counts["bad"] != nil, case .packet(var packet) = unit, packet.messageID == 0x1D02 else {
          return [unit]
        }
        packet.payload = Message(0x1D03).bytes
        return [.packet(packet)]
      },
      receives: { memory, unit in
        if unit.packet?.messageID == 0x1D01, condition(Message(unit.packet?.payload ?? [])) { _ = memory.count("bad") }
        return Received(units: [unit])
      })
  }
}
